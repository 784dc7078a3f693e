package link

import (
	"errors"
	"fmt"
	"time"

	"collie/mesh"
)

// The hints.
const (
	// Reconnecting says that a lost link is looked for and may come back by itself.
	Reconnecting = "reconnecting"
	// Attention says that waiting will not help.
	Attention = "attention"
)

const (
	// reconnectBudget is how long a lost link may be looked for until a person is
	// asked to have a look: twenty times the longest wait between two dials.
	reconnectBudget = 10 * time.Minute
	// lookAgain is how soon what is said of a link that is not well may be
	// another thing, though nothing has happened on it.
	lookAgain = time.Minute
	// clockSkew is how far two machines' clocks may differ without a word.
	clockSkew = 10 * time.Second
)

// Advice is what a person is told of a link.
type Advice struct {
	Hint   string // Reconnecting, Attention or empty
	Reason string // a sentence: what is so, and what to do where waiting will not help
	// Again is after how long it may say something else; 0 is not before the link
	// changes.
	Again time.Duration
}

// A Peer is who is at the other end of a link.
type Peer struct {
	ID    string
	Leads bool
	// Join is an address of the lead, for whoever has to join again; optional.
	Join string
}

// Advise says what the state of a link to a peer means at a moment.
func Advise(l mesh.Link, peer Peer, now time.Time) Advice {
	var mismatch *mesh.MismatchError
	attention := func(format string, args ...any) Advice {
		return Advice{Hint: Attention, Reason: fmt.Sprintf(format, args...), Again: lookAgain}
	}
	switch l.State {
	case mesh.StateReachable:
		if skew := Skew(l); skew != "" {
			return Advice{Hint: Attention, Reason: skew}
		}
		return Advice{}
	case mesh.StateIncompatible:
		if errors.As(l.Cause, &mismatch) {
			return attention("it speaks version %d of the crew link and this machine version %d: bring both to one version of collie", mismatch.Theirs, mismatch.Ours)
		}
	case mesh.StateUnenrolled:
		if peer.Leads {
			return attention("this machine holds an older crew secret: run %s here with a token of collie crew invite on the lead", peer.join())
		}
		return attention("it holds an older crew secret: on it, run %s with a token of collie crew invite here", peer.join())
	case mesh.StateConflicted:
		if errors.Is(l.Cause, mesh.ErrDuplicate) {
			return attention("duplicate identity: two processes show the identity of %s, so its state folder was copied; stop one of them and delete the copy", peer.ID)
		}
	case mesh.StateUnreachable:
		return away(l, peer, now)
	}
	return attention("%s", l.Reason)
}

// away is what is said of a peer without a link.
func away(l mesh.Link, peer Peer, now time.Time) Advice {
	if errors.Is(l.Cause, mesh.ErrNotPinned) {
		if peer.Leads {
			return Advice{Attention, fmt.Sprintf("the lead does not know this machine any more: collie crew leave here, or %s with a new token", peer.join()), lookAgain}
		}
		return Advice{Attention, fmt.Sprintf("it does not know this lead any more: collie crew remove %s here, or on it %s with a new token", peer.ID, peer.join()), lookAgain}
	}
	reason := l.Reason
	if errors.Is(l.Cause, mesh.ErrMissedBeats) { // whose text is for a log
		reason = "it stopped answering"
	}
	if left := reconnectBudget - now.Sub(l.Since); left > 0 {
		return Advice{Reconnecting, reason, left}
	}
	return Advice{Attention, reason + "; it is still looked for, but may need a hand", lookAgain}
}

func (p Peer) join() string {
	address := p.Join
	if address == "" {
		address = "HOST:PORT"
	}
	return "collie crew join " + address
}

// Skew says that the clock of a link's peer is not ours, or nothing.
func Skew(l mesh.Link) string {
	switch {
	case l.ClockAhead > clockSkew:
		return "its clock is ahead of ours by " + l.ClockAhead.Round(time.Second).String()
	case l.ClockAhead < -clockSkew:
		return "its clock is behind ours by " + (-l.ClockAhead).Round(time.Second).String()
	}
	return ""
}
