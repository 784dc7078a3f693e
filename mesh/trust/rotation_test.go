package trust_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"collie/crypto/atomicfile/diskfault"
	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/mesh/trust"
)

var (
	firstSecret = bytes.Repeat([]byte{7}, 32) // see founded
	freshSecret = bytes.Repeat([]byte{8}, 32)
)

// rotated is crewOf with box confirmed, and a new secret that both are owed.
func rotated(t testing.TB) *trust.Crew {
	t.Helper()
	c := must(t)(trust.Confirm(crewOf(t), node(t, 2).Fingerprint, 1))
	return must(t)(trust.Rotate(c, freshSecret, start))
}

func TestRotationOwesTheNewSecretToThoseWhoHoldTheOneBefore(t *testing.T) {
	t.Parallel()
	c := must(t)(trust.Rotate(crewOf(t), freshSecret, start)) // box is unconfirmed
	if !bytes.Equal(c.Secret, freshSecret) || c.SecretGeneration != 2 || !slices.Equal(c.Rotation.Owed, []string{"atlas"}) {
		t.Errorf("the crew is %+v, owed %+v", c, c.Rotation)
	}
	for number, want := range map[byte][]byte{1: firstSecret, 2: freshSecret, 9: freshSecret} {
		if got := c.SecretFor(node(t, number).Fingerprint); !bytes.Equal(got, want) {
			t.Errorf("node %d is called under %x", number, got[:1])
		}
	}
	if c = must(t)(trust.Rotate(founded(t), freshSecret, start)); c.Rotation != nil || c.SecretGeneration != 2 {
		t.Errorf("without a member it is %+v", c)
	}
}

func TestEachMemberIsOwedTheSecretUntilItHoldsItOrIsGone(t *testing.T) {
	t.Parallel()
	atlas := node(t, 1).Fingerprint
	invited := invited(t, rotated(t), "again", start)
	for what, change := range map[string]func(*trust.Crew) (*trust.Crew, error){
		"it said hello": func(c *trust.Crew) (*trust.Crew, error) { return trust.Confirm(c, atlas, 2) },
		"it joined again": func(c *trust.Crew) (*trust.Crew, error) {
			next, _, err := trust.Admit(c, admission(t, "again", 1, "atlas"), start)
			return next, err
		},
		"it was removed": func(c *trust.Crew) (*trust.Crew, error) { return trust.RemoveMember(c, "atlas", nil, start) },
	} {
		c := must(t)(change(invited))
		if c.Owes(atlas) || !c.Owes(node(t, 2).Fingerprint) || !bytes.Equal(c.SecretFor(atlas), freshSecret) {
			t.Errorf("%s: owed %+v", what, c.Rotation)
		}
		if c = must(t)(trust.Confirm(c, node(t, 2).Fingerprint, 2)); c.Rotation != nil {
			t.Errorf("%s, and the other one too: %+v", what, c.Rotation)
		}
		if !invited.Owes(atlas) {
			t.Fatal("the old snapshot changed")
		}
	}
}

func TestTheSecretBeforeIsForgottenAfterAMinuteOrWhenEachWasTried(t *testing.T) {
	t.Parallel()
	c := rotated(t)
	end := start.Add(time.Minute)
	if at, some := trust.NextSweep(c); !some || !at.Equal(end) {
		t.Errorf("the next sweep is at %v, %v", at, some)
	}
	if trust.Sweep(c, end.Add(-1)) != c || trust.Sweep(c, end).Rotation != nil {
		t.Error("it does not last a minute")
	}
	if err := last(trust.Rotate(c, firstSecret, start)); !errors.Is(err, trust.ErrRotating) {
		t.Errorf("rotating meanwhile: %v", err)
	}
	over := must(t)(trust.EndRotation(c))
	if over.Rotation != nil || must(t)(trust.EndRotation(over)) != over {
		t.Errorf("it is over, and is %+v", over.Rotation)
	}
	path := filepath.Join(t.TempDir(), trust.FileName)
	if err := open(t, path).Update(set(c)); err != nil {
		t.Fatal(err)
	}
	if got := open(t, path).Crew(); !got.Owes(node(t, 1).Fingerprint) {
		t.Errorf("read again it is %+v", got.Rotation)
	}
	late, err := trust.Open(path, func() time.Time { return end })
	if err != nil || late.Crew().Rotation != nil {
		t.Errorf("read a minute later it is %+v, %v", late.Crew().Rotation, err)
	}
}

func TestASecretThatWasReplacedConfirmsNobody(t *testing.T) {
	t.Parallel()
	if err := last(trust.Confirm(rotated(t), node(t, 1).Fingerprint, 1)); !errors.Is(err, trust.ErrOldSecret) {
		t.Errorf("a proof of the secret before: %v", err)
	}
}

func TestAMemberTakesANewerSecretAndNoOther(t *testing.T) {
	t.Parallel()
	held := must(t)(trust.TakeSecret(followed(t), firstSecret, 3))
	if next := must(t)(trust.TakeSecret(held, freshSecret, 5)); !bytes.Equal(next.Secret, freshSecret) || next.SecretGeneration != 5 {
		t.Errorf("took %+v", next)
	}
	if must(t)(trust.TakeSecret(held, firstSecret, 3)) != held {
		t.Error("the same one again is a change")
	}
	for what, generation := range map[string]uint64{"an older one": 2, "another one of its number": 3} {
		if err := last(trust.TakeSecret(held, freshSecret, generation)); !errors.Is(err, trust.ErrOldSecret) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := last(trust.TakeSecret(founded(t), freshSecret, 5)); !errors.Is(err, trust.ErrNotMember) {
		t.Errorf("a lead: %v", err)
	}
	if err := last(trust.TakeSecret(nil, freshSecret, 5)); !errors.Is(err, trust.ErrSolo) {
		t.Errorf("a solo node: %v", err)
	}
	if err := last(trust.Rotate(held, freshSecret, start)); !errors.Is(err, trust.ErrNotLead) {
		t.Errorf("a member rotates: %v", err)
	}
}

func TestARotationThatTheDiskRefusedTakesTheSecretBeforeAllTheSame(t *testing.T) {
	t.Parallel()
	s, disk, path := failing(t, diskfault.Write, false)
	err := s.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Rotate(old, freshSecret, start) })
	unsaved(t, err, path)
	if c := s.Crew(); !bytes.Equal(c.Secret, freshSecret) || !c.Owes(node(t, 1).Fingerprint) {
		t.Errorf("live it is %+v", c)
	}
	disk.Heal()
	if err := s.Flush(); err != nil || !open(t, path).Crew().Owes(node(t, 1).Fingerprint) {
		t.Errorf("flushed with %v", err)
	}
}

func TestARotationThatContradictsItsCrewIsRefused(t *testing.T) {
	t.Parallel()
	for what, spoil := range map[string]func(*trust.Rotation){
		"owed to a stranger":          func(r *trust.Rotation) { r.Owed = []string{"nobody"} },
		"owed twice":                  func(r *trust.Rotation) { r.Owed = []string{"atlas", "atlas"} },
		"of no time":                  func(r *trust.Rotation) { r.StartedAt = time.Time{} },
		"of half a secret":            func(r *trust.Rotation) { r.Secret = r.Secret[:16] },
		"of the secret that is valid": func(r *trust.Rotation) { r.Secret = freshSecret },
	} {
		c := *rotated(t)
		r := *c.Rotation
		spoil(&r)
		c.Rotation = &r
		if err := open(t, filepath.Join(t.TempDir(), trust.FileName)).Update(set(&c)); !errors.Is(err, trust.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestADeputyThatWasAwayFromARotationIsDeputyNoMore(t *testing.T) {
	t.Parallel()
	c := must(t)(trust.Confirm(crewOf(t), node(t, 2).Fingerprint, 1))
	c = must(t)(trust.NameDeputy(c, "atlas", "", owner(t, own), start))
	c = must(t)(trust.Rotate(c, freshSecret, start))
	if must(t)(trust.RetireDeputy(c, owner(t, own), start)) != c {
		t.Error("a deputy that is owed the secret was retired")
	}
	told := must(t)(trust.EndRotation(must(t)(trust.Confirm(c, node(t, 1).Fingerprint, 2))))
	if must(t)(trust.RetireDeputy(told, owner(t, own), start)) != told || told.Deputy() != "atlas" {
		t.Error("a deputy that was told was retired")
	}
	over := must(t)(trust.RetireDeputy(must(t)(trust.EndRotation(c)), owner(t, own), start))
	if said, some := over.Warrant.Said(); !some || !said.NamesNobody() || said.Generation != c.Generation+1 || over.Deputy() != "" {
		t.Errorf("afterwards the warrant says %+v, %v", said, some)
	}
	if err := last(trust.RetireDeputy(followed(t), owner(t, own), start)); !errors.Is(err, trust.ErrNotLead) {
		t.Errorf("a member retires a deputy: %v", err)
	}
}

// FuzzRotation holds that no order of what can happen during a rotation leaves a
// crew that contradicts itself, or lets the secret before back in.
func FuzzRotation(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 0, 9})
	certificates := []*identity.Certificate{node(f, 1), node(f, 2)}
	began := crewOf(f)
	f.Fuzz(func(t *testing.T, steps []byte) {
		c, now, drawn := began, start, byte(8)
		for i, step := range steps[:min(len(steps), 24)] {
			now = now.Add(10 * time.Second)
			which := int(step / 8 % 2)
			next, err := c, error(nil)
			switch step % 6 {
			case 0:
				drawn++
				next, err = trust.Rotate(c, bytes.Repeat([]byte{drawn}, 32), now)
			case 1:
				next, err = trust.Confirm(c, certificates[which].Fingerprint, uint64(step/16))
			case 2:
				next, err = trust.EndRotation(c)
			case 3:
				next = trust.Sweep(c, now)
			case 4:
				next, err = trust.RemoveMember(c, []string{"atlas", "box"}[which], nil, start)
			default:
				if next, _, err = trust.AddInvite(c, secret.Hash(fmt.Sprint(i)), now); err == nil {
					next, _, err = trust.Admit(next, trust.Admission{Token: fmt.Sprint(i), Certificate: certificates[which], Label: "again"}, now)
				}
			}
			if err != nil {
				continue // refused, and nothing changed
			}
			if next.SecretGeneration < c.SecretGeneration {
				t.Fatalf("step %d of %v went back to an older secret", i, steps)
			}
			data, err := trust.Encode(next)
			if err == nil {
				c, err = trust.Decode(data)
			}
			if err != nil {
				t.Fatalf("step %d of %v: %v", i, steps, err)
			}
		}
	})
}
