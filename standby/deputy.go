package standby

import (
	"errors"
	"time"

	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/site"
	"collie/standby/door"
)

// opened is the bundle that the deputy holds, opened once. It is of one counter
// and one warrant.
type opened struct {
	generation, counter uint64
	bundle              trust.Bundle
	err                 error
}

// ready is all that a takeover needs at this node.
type ready struct {
	node   Node
	crew   *trust.Crew
	bundle trust.Bundle
	silent time.Duration
}

// ready refuses with door.ErrCold, whose detail says why, unless the door is
// armed.
func (s *Standby) ready() (ready, error) { return s.readyAfter(s.Arm) }

// readyAfter is ready for another silence than the one that arms.
func (s *Standby) readyAfter(least time.Duration) (ready, error) {
	cold := func(why string) (ready, error) { return ready{}, door.ErrCold.With(why) }
	node, crew, err := s.current()
	if err != nil {
		return cold("This machine is in no crew, or its link is not open.")
	}
	err = trust.MayTakeOver(crew, node.Identity.Fingerprint(), s.Now())
	switch {
	case errors.Is(err, trust.ErrRestored):
		return cold("Its state was restored from a backup, and it has not heard yet how the crew stands.")
	case errors.Is(err, trust.ErrNoBundle):
		return cold("It has not been told yet what a lead has to know.")
	case errors.Is(err, trust.ErrWarrantDead), errors.Is(err, trust.ErrWarrantFuture):
		return cold("The lead's word that names it is too old, or a clock is wrong.")
	case err != nil:
		return cold("It is not the one that the lead has named.")
	}
	b, err := s.open(crew)
	if err != nil {
		return cold("What a lead has to know cannot be opened here.")
	}
	if len(b.Devices) == 0 {
		return cold("No phone is paired with the crew.")
	}
	silent := s.silence.of(crew.Lead.Fingerprint)
	if silent < least {
		return cold("The lead is well, or was a moment ago.")
	}
	return ready{node, crew, b, silent}, nil
}

// open opens the bundle that is held, once.
func (s *Standby) open(crew *trust.Crew) (trust.Bundle, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	said, _ := crew.Warrant.Said()
	if s.opened.generation == said.Generation && s.opened.counter == crew.Bundle.Counter {
		return s.opened.bundle, s.opened.err
	}
	key, err := s.Key()
	var b trust.Bundle
	if err == nil {
		b, err = trust.OpenBundle(crew, key)
	}
	if err != nil {
		s.Log.Error("the bundle of the lead cannot be opened", "error", err)
	}
	s.opened = opened{said.Generation, crew.Bundle.Counter, b, err}
	return b, err
}

// IsDeputy says whether a door belongs here: a live warrant names this node, or
// it leads by its door.
func (s *Standby) IsDeputy() bool {
	node, crew, err := s.current()
	return err == nil && crew.IsDeputy(node.Identity.Fingerprint()) || s.carriedOut() != nil
}

// carriedOut returns the tap by which this node leads, while it is remembered.
func (s *Standby) carriedOut() *tap {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tap
	if t == nil || s.forgotten(t) {
		return nil
	}
	return t
}

// outcome is what a tap has come to: where this node serves by it, or that it is
// under way, and another one gets its answer.
func (s *Standby) outcome(t *tap) (url string, underWay bool) {
	select {
	case <-t.done:
		return t.url, t.url == ""
	default:
		return "", true
	}
}

// View is what the standby door shows.
func (s *Standby) View() door.View {
	crew := s.Store.Crew()
	if crew == nil {
		return door.View{Reason: "This machine is in no crew."}
	}
	v := door.View{Machine: crew.SelfLabel}
	if crew.Lead != nil {
		v.Lead = crew.Lead.Label
	}
	if t := s.carriedOut(); t != nil {
		v.URL, v.Armed = s.outcome(t)
		if v.URL != "" {
			return v
		}
	}
	b, err := s.ready()
	if err == nil {
		v.Armed, v.SilentFor, v.Witnesses = true, b.silent, len(b.crew.Bundle.Witnesses)
		return v
	}
	v.Reason, _ = api.AsError(err).Detail.(string)
	return v
}

// Door is the URL under which the lead says that this deputy's door is
// published, or "".
func (s *Standby) Door() string {
	if crew := s.Store.Crew(); crew != nil && crew.Bundle != nil {
		return crew.Bundle.Door
	}
	return ""
}

// Authenticate returns the label of the device that holds a token, by the list
// in the bundle: devices.json of this machine has no say.
func (s *Standby) Authenticate(token string) (string, error) {
	digest, now := secret.Hash(token), s.Now()
	var found *trust.Device
	devices := s.devices()
	for i := range devices { // all of them, so that the time says nothing
		if devices[i].Token.Equal(digest) {
			found = &devices[i]
		}
	}
	switch {
	case found == nil:
		return "", site.ErrNotPaired
	case !found.ExpiresAt.IsZero() && !now.Before(found.ExpiresAt):
		return "", site.ErrExpired
	}
	return found.Label, nil
}

func (s *Standby) devices() []trust.Device {
	if t := s.carriedOut(); t != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if t.devices != nil {
			return t.devices
		}
	}
	b, err := s.ready()
	if err != nil {
		return nil
	}
	return b.bundle.Devices
}

func certificateOf(node Node) (*identity.Certificate, error) {
	return identity.ParseCertificate(node.Identity.Certificate())
}
