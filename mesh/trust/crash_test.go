package trust_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/atomicfile/diskfault"
	"collie/crypto/identity"
	"collie/crypto/statement"
	"collie/mesh/trust"
)

// encoded is a crew as its file has it; nil is no file.
func encoded(t testing.TB, c *trust.Crew) string {
	t.Helper()
	if c == nil {
		return ""
	}
	data, err := trust.Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A step of a succession: what is stored before, how it changes, and what of the
// change counts when the disk does not take it.
type step struct {
	before  *trust.Crew
	change  func(*trust.Crew) (*trust.Crew, error)
	visible func(before, after *trust.Crew) *trust.Crew
}

// What counts of a change that cannot be stored.
func nothing(before, _ *trust.Crew) *trust.Crew { return before }
func all(_, after *trust.Crew) *trust.Crew      { return after }

// but is nothing, less what a change of the old state takes away.
func but(lose func(*trust.Crew, *trust.Crew)) func(before, after *trust.Crew) *trust.Crew {
	return func(before, after *trust.Crew) *trust.Crew {
		c := *before
		lose(&c, after)
		return &c
	}
}

func steps(t *testing.T) map[string]step {
	f := newFarm(t)
	b, err := trust.OpenBundle(f.atlas, f.key)
	if err != nil {
		t.Fatal(err)
	}
	approved := must(t)(trust.Approve(unnamed(f.barn), "cart", at(1)))
	handed := f.handedOver(t)
	taken := f.takenOver(t, 1)
	fewer, _, err := trust.NextBundle(must(t)(trust.RemoveMember(f.barn, "box", nil, at(1))), devices[:1], owner(t, barn), at(1))
	_, data := sealedBundle(t, must(t)(fewer, err), barn, f.key, devices[:1])
	bare := f.withoutBundle(t)
	signer := owner(t, barn)
	deposed := must(t)(trust.Depose(f.barn, taken.Chain, trust.Hint{}, node(t, barn)))
	return map[string]step{
		"a deputy is named": {leading(t), func(c *trust.Crew) (*trust.Crew, error) { return trust.NameDeputy(c, "atlas", "", signer, at(0)) }, nothing},
		"another one is":    {unnamed(f.barn), func(c *trust.Crew) (*trust.Crew, error) { return trust.NameDeputy(c, "box", "", signer, at(1)) }, nothing},
		"nobody is":         {f.barn, func(c *trust.Crew) (*trust.Crew, error) { return trust.RevokeDeputy(c, signer, at(1)) }, all},
		"the deputy is removed": {f.barn, func(c *trust.Crew) (*trust.Crew, error) {
			return trust.RemoveMember(c, "atlas", signer, at(1))
		}, all},
		"a refresh": {f.barn, func(c *trust.Crew) (*trust.Crew, error) { return trust.RefreshWarrant(c, signer, at(1)) }, nothing},
		"counting on": {f.barn, func(c *trust.Crew) (*trust.Crew, error) {
			return trust.CountOn(c, warrant(t, func(w *statement.Warrant) { w.Generation = 7 }), node(t, barn))
		}, nothing},
		"a bundle is made": {named(t), func(c *trust.Crew) (*trust.Crew, error) {
			next, _, err := trust.NextBundle(c, devices, signer, at(1))
			return next, err
		}, nothing},
		"an approval":            {f.barn, func(c *trust.Crew) (*trust.Crew, error) { return trust.Approve(c, "box", at(1)) }, nothing},
		"another approval":       {approved, func(c *trust.Crew) (*trust.Crew, error) { return trust.Approve(c, "box", at(1)) }, but(func(c, _ *trust.Crew) { c.Handover = nil })},
		"an approval is cleared": {approved, trust.CancelApproval, all},
		"the lead hands over": {approved, func(c *trust.Crew) (*trust.Crew, error) {
			return trust.HandOver(c, fp(t, cart), devices, signer, at(1))
		}, nothing},
		"a member is handed the lead": {f.box, func(c *trust.Crew) (*trust.Crew, error) {
			return trust.TakeHandover(c, *handed.HandedOver, owner(t, box), at(1))
		}, nothing},
		"a handover is confirmed": {handed, func(c *trust.Crew) (*trust.Crew, error) { return trust.HandoverConfirmed(c, fp(t, box), 3) }, all},
		"a member was told":       {handed, func(c *trust.Crew) (*trust.Crew, error) { return trust.Told(c, fp(t, cart)) }, all},
		"devices are forgotten":   {handed, trust.Forgotten, nothing},
		"the first warrant": {following(t, f.barn, barn, box), func(c *trust.Crew) (*trust.Crew, error) {
			return trust.TakeWarrant(c, standing(t, f.barn), fp(t, box), at(0))
		}, nothing},
		"a warrant for another deputy": {f.box, func(c *trust.Crew) (*trust.Crew, error) {
			return trust.TakeWarrant(c, standing(t, must(t)(trust.NameDeputy(unnamed(f.barn), "cart", "", signer, at(1)))), fp(t, box), at(1))
		}, but(func(c, after *trust.Crew) {
			c.Generation, c.Warrant, c.Ended = 3, &trust.Warrant{Signed: after.Warrant.Signed}, after.Ended
		})},
		"a revocation": {f.box, func(c *trust.Crew) (*trust.Crew, error) {
			return trust.TakeWarrant(c, warrant(t, revoked), fp(t, box), at(0))
		}, all},
		"the deputy's revocation": {f.atlas, func(c *trust.Crew) (*trust.Crew, error) {
			return trust.TakeWarrant(c, warrant(t, revoked), fp(t, atlas), at(0))
		}, all},
		"a refresh is taken": {f.atlas, func(c *trust.Crew) (*trust.Crew, error) {
			return trust.TakeWarrant(c, warrant(t, func(w *statement.Warrant) { w.RefreshedAt = at(1) }), fp(t, atlas), at(1))
		}, nothing},
		"the first bundle": {bare, func(c *trust.Crew) (*trust.Crew, error) { return trust.TakeBundle(c, data, f.key, fp(t, atlas)) }, nothing},
		"a bundle without a witness": {f.atlas, func(c *trust.Crew) (*trust.Crew, error) {
			return trust.TakeBundle(c, data, f.key, fp(t, atlas))
		}, but(func(c, _ *trust.Crew) {
			held := *c.Bundle
			held.Witnesses = held.Witnesses[1:]
			c.Bundle = &held
		})},
		"the deputy takes over": {f.atlas, func(c *trust.Crew) (*trust.Crew, error) { return trust.TakeOver(c, b, owner(t, atlas), at(1)) }, nothing},
		"devices are adopted":   {taken, trust.Adopted, nothing},
		"a member has followed": {taken, func(c *trust.Crew) (*trust.Crew, error) { return trust.Repinned(c, fp(t, box), 3) }, nothing},
		"a member follows": {f.box, func(c *trust.Crew) (*trust.Crew, error) {
			return trust.Follow(c, taken.Chain, trust.Hint{}, fp(t, box))
		}, all},
		"the lead is deposed": {f.barn, func(c *trust.Crew) (*trust.Crew, error) {
			return trust.Depose(c, taken.Chain, trust.Hint{}, node(t, barn))
		}, all},
		"the lead is parked": {must(t)(trust.RemoveMember(leading(t), "atlas", nil, at(0))), func(c *trust.Crew) (*trust.Crew, error) {
			return trust.Depose(c, taken.Chain, trust.Hint{}, node(t, barn))
		}, all},
		"a former lead is stranded": {deposed, func(c *trust.Crew) (*trust.Crew, error) { return trust.Strand(c, node(t, barn)) }, all},
		"a parked lead joins again": {must(t)(trust.Strand(deposed, node(t, barn))), func(c *trust.Crew) (*trust.Crew, error) {
			return trust.Join(c, trust.Joined{ID: c.ID, Name: c.Name, Generation: 3, Secret: make([]byte, 32), SecretGeneration: 2, Self: c.Self, Lead: *c.Lead})
		}, nothing},
		"a member forces itself": {following(t, f.barn, barn, box), func(c *trust.Crew) (*trust.Crew, error) {
			return trust.Force(c, founding(), at(1))
		}, nothing},
	}
}

// Each write of a succession meets each failure of the disk, both ways. What is
// visible then is the old state or the new, or the old less what was lost; what
// a restart reads is the old state or the new, and once the disk is well again
// it is what is visible.
func TestFullDiskAtEveryWriteOfASuccession(t *testing.T) {
	t.Parallel()
	for name, s := range steps(t) {
		after := must(t)(s.change(s.before))
		visible := s.visible(s.before, after)
		oldText, newText, visibleText := encoded(t, s.before), encoded(t, after), encoded(t, visible)
		if oldText == newText {
			t.Errorf("%s: it changes nothing", name)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, fault := range diskfault.Steps() {
				for _, persist := range []bool{false, true} {
					path := filepath.Join(t.TempDir(), trust.FileName)
					disk := &diskfault.Disk{}
					store, err := trust.OpenOn(disk, path, func() time.Time { return start })
					if err != nil {
						t.Fatal(err)
					}
					if err := store.Update(set(s.before)); err != nil {
						t.Fatal(err)
					}
					disk.Fail(fault, persist)
					err = store.Update(s.change)
					at := fmt.Sprintf("%s persists %v", fault, persist)
					if !errors.Is(err, diskfault.ErrFault) || errors.As(err, new(*trust.UnsavedError)) != (visibleText == newText) {
						t.Errorf("%s: the error is %v", at, err)
					}
					if got := encoded(t, store.Crew()); got != visibleText {
						t.Errorf("%s: visible is\n%s\nwant\n%s", at, got, visibleText)
					}
					if got := encoded(t, open(t, path).Crew()); got != oldText && got != newText {
						t.Errorf("%s: a restart reads\n%s", at, got)
					}
					disk.Heal()
					if err := store.Flush(); err != nil {
						t.Errorf("%s: flushed with %v", at, err)
					}
					if got := encoded(t, open(t, path).Crew()); got != visibleText {
						t.Errorf("%s: on a disk that is well it is\n%s\nwant\n%s", at, got, visibleText)
					}
				}
			}
		})
	}
}

// torn are the crews whose files are cut and flipped: between them they have
// every field of a succession.
func torn(t testing.TB) map[string]*trust.Crew {
	t.Helper()
	f := newFarm(t)
	lead := f.takenOver(t, 1)
	for _, number := range []byte{barn, box} {
		lead = must(t)(trust.Confirm(must(t)(trust.Repinned(lead, fp(t, number), 3)), fp(t, number), 1))
	}
	lead = must(t)(trust.RemoveMember(lead, "cart", nil, at(2)))
	lead = must(t)(trust.NameDeputy(lead, "box", "https://door.example", owner(t, atlas), at(2)))
	lead, _, err := trust.NextBundle(lead, devices, owner(t, atlas), at(2))
	lead = must(t)(trust.Approve(must(t)(lead, err), "box", at(2)))
	lead = must(t)(trust.Rotate(lead, make([]byte, 32), at(2)))
	small := must(t)(trust.RemoveMember(leading(t), "cart", nil, at(0)))
	deputy := took(t, following(t, small, barn, atlas), atlas, standing(t, named(t)), 0)
	_, data := sealedBundle(t, must(t)(trust.NameDeputy(small, "atlas", "", owner(t, barn), at(0))), barn, f.key, devices[:1])
	return map[string]*trust.Crew{
		"a lead":      lead,
		"a deputy":    must(t)(trust.TakeBundle(deputy, data, f.key, fp(t, atlas))),
		"handed over": must(t)(trust.HandOver(must(t)(trust.Approve(small, "box", at(1))), fp(t, box), devices, owner(t, barn), at(1))),
		"deposed":     must(t)(trust.Depose(must(t)(trust.RemoveMember(small, "atlas", nil, at(0))), lead.Chain, trust.Hint{}, node(t, barn))),
	}
}

func TestFileThatWasCutAnywhereIsRefusedAndStays(t *testing.T) {
	t.Parallel()
	for name, c := range torn(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := []byte(encoded(t, c))
			path := filepath.Join(t.TempDir(), trust.FileName)
			for i := range whole {
				cut := whole[:i]
				crew, err := trust.Decode(cut)
				if i == len(whole)-1 { // all but the line end
					if err != nil || encoded(t, crew) != string(whole) {
						t.Errorf("without its line end: %v", err)
					}
					continue
				}
				if err == nil {
					t.Fatalf("cut at %d of %d it is read", i, len(whole))
				}
				if i%512 != 0 {
					continue
				}
				if err := os.WriteFile(path, cut, 0o600); err != nil {
					t.Fatal(err)
				}
				store, err := trust.Open(path, time.Now)
				var refused *trust.RefusedError
				if store != nil || !errors.As(err, &refused) {
					t.Fatalf("cut at %d: %v", i, err)
				}
				if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, cut) {
					t.Fatalf("cut at %d: the file was changed, or %v", i, err)
				}
			}
		})
	}
}

// what is all in a crew that gives or takes a right: who is pinned as what, and
// every signed byte.
func what(c *trust.Crew) string {
	var out strings.Builder
	fmt.Fprintln(&out, c.ID, c.Role, c.Parked, c.ForgetDevices, c.CrewDevices)
	for p, grade := range c.Peers() {
		fmt.Fprintf(&out, "%s %s %x\n", grade, p.Fingerprint.String(), p.Certificate)
	}
	if c.Warrant != nil {
		fmt.Fprintf(&out, "warrant %x\n", c.Warrant.Signed)
	}
	for _, link := range c.Chain {
		fmt.Fprintf(&out, "link %x %x %x %x %x\n", link.FormerCertificate, link.Certificate, link.Handover, link.Warrant, link.Takeover)
	}
	if c.HandedOver != nil {
		fmt.Fprintf(&out, "handed %x\n", c.HandedOver)
	}
	if c.Lead != nil {
		fmt.Fprintln(&out, "lead", identity.FingerprintOf(c.Lead.Certificate))
	}
	if c.Handover != nil {
		fmt.Fprintln(&out, "approved", c.Handover.Fingerprint)
	}
	return out.String()
}

// A bit that flips in a certificate, a fingerprint, a statement, a signature, a
// role or a state is noticed. In a label, an address or a secret it is not: they
// are nobody's word, and grant nothing by themselves.
func TestBitThatFlippedWhereItMattersIsNoticed(t *testing.T) {
	t.Parallel()
	for name, c := range torn(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole, want := []byte(encoded(t, c)), what(c)
			// Odd, so that each place in a group of base64 has its turn.
			for i := 0; i < len(whole); i += len(whole)/768 | 1 {
				bad := bytes.Clone(whole)
				bad[i] ^= 1 << (i % 7)
				crew, err := trust.Decode(bad)
				if err == nil && what(crew) != want {
					t.Fatalf("flipped at %d (%q) it is read as\n%s\nwant\n%s", i, bad[max(0, i-40):min(len(bad), i+20)], what(crew), want)
				}
				if err != nil && !errors.Is(err, trust.ErrInvalid) && !errors.Is(err, atomicfile.ErrJSON) && !errors.Is(err, atomicfile.ErrVersion) {
					t.Fatalf("flipped at %d: %v", i, err)
				}
			}
		})
	}
}
