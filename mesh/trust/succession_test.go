package trust_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"collie/crypto/identity"
	"collie/crypto/sealed"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh/trust"
)

// The nodes of a succession, by number: the founder, its deputy, a member, and
// one more. Node 9 is nobody's.
const (
	barn  = own
	atlas = 1
	box   = 2
	cart  = 3
	alien = 9
)

var names = map[byte]string{barn: "barn", atlas: "atlas", box: "box", cart: "cart"}

func fp(t testing.TB, number byte) identity.Fingerprint { return owner(t, number).Fingerprint() }

func at(hours int) time.Time { return start.Add(time.Duration(hours) * time.Hour) }

// leading is barn as the lead of atlas, box and cart, generation 1.
func leading(t testing.TB) *trust.Crew {
	t.Helper()
	c := must(t)(trust.Found(nil, trust.Founding{
		ID: statement.CrewID{1}, Name: "farm", Label: "barn", Secret: bytes.Repeat([]byte{7}, secret.KeySize),
	}))
	for _, number := range []byte{atlas, box, cart} {
		c = invited(t, c, "token", start)
		next, _, err := trust.Admit(c, trust.Admission{
			Token: "token", Certificate: node(t, number), Label: names[number], Addresses: []string{"10.0.0." + string('0'+number) + ":8788"}, Own: fp(t, barn),
		}, start)
		c = must(t)(trust.Confirm(must(t)(next, err), fp(t, number), 1))
	}
	return c
}

// following is a node that joined lead, which is the node leadNumber.
func following(t testing.TB, lead *trust.Crew, leadNumber, number byte) *trust.Crew {
	t.Helper()
	return must(t)(trust.Join(nil, trust.Joined{
		ID: lead.ID, Name: lead.Name, Generation: 1, Secret: lead.Secret, SecretGeneration: lead.SecretGeneration,
		Self: trust.Self{SelfID: names[number], SelfLabel: names[number]},
		Lead: trust.Lead{ID: lead.SelfID, Label: lead.SelfLabel, Fingerprint: fp(t, leadNumber), Certificate: node(t, leadNumber).DER, Addresses: []string{"10.0.0.9:8788"}},
	}))
}

// named is leading with atlas as its deputy since hour 0, generation 2.
func named(t testing.TB) *trust.Crew {
	t.Helper()
	return must(t)(trust.NameDeputy(leading(t), "atlas", "https://door.example", owner(t, barn), at(0)))
}

// standing is the warrant that a lead sends.
func standing(t testing.TB, lead *trust.Crew) trust.Warrant {
	t.Helper()
	w, some := lead.StandingWarrant()
	if !some {
		t.Fatal("no warrant stands")
	}
	return w
}

func took(t testing.TB, member *trust.Crew, number byte, w trust.Warrant, hour int) *trust.Crew {
	t.Helper()
	return must(t)(trust.TakeWarrant(member, w, fp(t, number), at(hour)))
}

var devices = []trust.Device{
	{Label: "phone", Token: secret.Hash("phone"), CreatedAt: start},
	{Label: "tablet", Token: secret.Hash("tablet"), CreatedAt: start, ExpiresAt: start.Add(48 * time.Hour)},
}

// sealedBundle is the lead's next bundle for a key.
func sealedBundle(t testing.TB, lead *trust.Crew, number byte, key sealed.Key, d []trust.Device) (*trust.Crew, []byte) {
	t.Helper()
	next, made, err := trust.NextBundle(lead, d, owner(t, number), at(2))
	if err != nil {
		t.Fatal(err)
	}
	data, err := made.Seal(key.Recipient())
	if err != nil {
		t.Fatal(err)
	}
	return next, data
}

func newKey(t testing.TB) sealed.Key {
	t.Helper()
	key, err := sealed.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// A farm is one crew at rest with a deputy: what each node has stored.
type farm struct {
	barn, atlas, box, cart *trust.Crew
	key                    sealed.Key // of atlas
}

func newFarm(t testing.TB) farm {
	t.Helper()
	f := farm{barn: named(t), key: newKey(t)}
	w := standing(t, f.barn)
	f.atlas = took(t, following(t, f.barn, barn, atlas), atlas, w, 0)
	f.box = took(t, following(t, f.barn, barn, box), box, w, 0)
	f.cart = took(t, following(t, f.barn, barn, cart), cart, w, 0)
	var data []byte
	f.barn, data = sealedBundle(t, f.barn, barn, f.key, devices)
	f.atlas = must(t)(trust.TakeBundle(f.atlas, data, f.key, fp(t, atlas)))
	return f
}

// takenOver is what atlas stores when it takes over at an hour.
func (f farm) takenOver(t testing.TB, hour int) *trust.Crew {
	t.Helper()
	b, err := trust.OpenBundle(f.atlas, f.key)
	if err != nil {
		t.Fatal(err)
	}
	return must(t)(trust.TakeOver(f.atlas, b, owner(t, atlas), at(hour)))
}

// unnamed is a lead as it would be had it named nobody: another deputy is named,
// or the crew handed over, once the one before has heard of its end.
func unnamed(lead *trust.Crew) *trust.Crew {
	next := *lead
	next.Warrant, next.Bundled = nil, nil
	return &next
}

// handedOver is what barn stores when it hands over to box at hour 1, having
// approved it.
func (f farm) handedOver(t testing.TB) *trust.Crew {
	t.Helper()
	approved := must(t)(trust.Approve(unnamed(f.barn), "box", at(1)))
	return must(t)(trust.HandOver(approved, fp(t, box), devices, owner(t, barn), at(1)))
}

// storesNothing checks that a change is refused with an error and that the file
// is the very same afterwards.
func storesNothing(t *testing.T, name string, before *trust.Crew, want error, change func(old *trust.Crew) (*trust.Crew, error)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), trust.FileName)
	s := open(t, path)
	if err := s.Update(set(before)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	visible := s.Crew()
	bytesBefore, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(change); !errors.Is(err, want) {
		t.Errorf("%s: refused with %v, want %v", name, err, want)
	}
	if bytesAfter, err := os.ReadFile(path); err != nil || !bytes.Equal(bytesBefore, bytesAfter) || s.Crew() != visible {
		t.Errorf("%s: something was stored, %v", name, err)
	}
}

// survives checks that a crew is what its file says, read again.
func survives(t *testing.T, c *trust.Crew) {
	t.Helper()
	path := filepath.Join(t.TempDir(), trust.FileName)
	if err := open(t, path).Update(set(c)); err != nil {
		t.Fatal(err)
	}
	want, err := trust.Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := trust.Encode(open(t, path).Crew()); err != nil || !bytes.Equal(again, want) {
		t.Errorf("read again it is\n%s\nwant\n%s", again, want)
	}
}

// grades is what a crew says about the nodes barn, atlas, box, cart and alien.
func grades(t testing.TB, c *trust.Crew) [5]trust.Grade {
	t.Helper()
	var got [5]trust.Grade
	for i, number := range []byte{barn, atlas, box, cart, alien} {
		got[i] = c.Grade(fp(t, number))
	}
	return got
}

func TestEveryStateOfASuccessionIsReadAgainAsItWasStored(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	for _, c := range []*trust.Crew{f.barn, f.atlas, f.box, f.takenOver(t, 1), f.handedOver(t)} {
		survives(t, c)
	}
}

func TestTakeoverMakesOneLeadThatAllFollow(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	lead := f.takenOver(t, 1)
	if lead.Role != trust.RoleLead || lead.Generation != 3 || lead.LeadSince() != 3 || lead.SelfID != "atlas" || lead.Warrant != nil {
		t.Errorf("the deputy became %+v", lead)
	}
	if got, want := grades(t, lead), [5]trust.Grade{trust.GradeUnconfirmed, "", trust.GradeUnconfirmed, trust.GradeUnconfirmed, ""}; got != want {
		t.Errorf("it knows %q, want %q", got, want)
	}
	if !reflect.DeepEqual(lead.Inherited.Devices, devices) || lead.Devices() != trust.DevicesCrew {
		t.Errorf("it inherits %+v on %s", lead.Inherited.Devices, lead.Devices())
	}
	hint := trust.Hint{Label: "Atlas", Addresses: []string{"10.0.0.1:8788"}}
	member := must(t)(trust.Follow(f.box, lead.Chain, hint, fp(t, box)))
	if got, want := grades(t, member), [5]trust.Grade{trust.GradeFormer, trust.GradeLead, "", "", ""}; got != want {
		t.Errorf("a follower knows %q, want %q", got, want)
	}
	if member.Generation != 3 || member.SelfID != "box" || !bytes.Equal(member.Secret, f.box.Secret) || member.Lead.Label != "Atlas" {
		t.Errorf("the follower is %+v", member)
	}
	former := must(t)(trust.Depose(f.barn, lead.Chain, hint, node(t, barn)))
	if got, want := grades(t, former), [5]trust.Grade{"", trust.GradeLead, trust.GradeFormer, trust.GradeFormer, ""}; got != want {
		t.Errorf("the former lead knows %q, want %q", got, want)
	}
	if former.Role != trust.RoleMember || former.Generation != 3 || len(former.Members) != 0 || !former.ForgetDevices {
		t.Errorf("the former lead is %+v", former)
	}
	survives(t, member)
	survives(t, former)
	lead = must(t)(trust.Repinned(lead, fp(t, box), 3))
	if lead.Grade(fp(t, box)) != trust.GradeMember {
		t.Error("who has shown the generation is no member")
	}
}

func TestHandoverMakesOneLeadThatAllFollow(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	former := f.handedOver(t)
	if former.Role != trust.RoleMember || former.Generation != 3 || former.Lead.ID != "box" || former.HandedOver == nil || !former.ForgetDevices {
		t.Errorf("the old lead is %+v", former)
	}
	if got, want := grades(t, former), [5]trust.Grade{"", trust.GradeFormer, trust.GradeLead, trust.GradeFormer, ""}; got != want {
		t.Errorf("it knows %q, want %q", got, want)
	}
	lead := must(t)(trust.TakeHandover(f.box, *former.HandedOver, owner(t, box), at(2)))
	if lead.Role != trust.RoleLead || lead.Generation != 3 || !reflect.DeepEqual(lead.Inherited.Devices, devices) {
		t.Errorf("the new lead is %+v", lead)
	}
	survives(t, lead)
	if again := must(t)(trust.TakeHandover(lead, *former.HandedOver, owner(t, box), at(3))); again != lead {
		t.Error("the same bytes again are a change")
	}
	for _, member := range []struct {
		crew   *trust.Crew
		number byte
	}{{f.atlas, atlas}, {f.cart, cart}} {
		next := must(t)(trust.Follow(member.crew, former.Chain, trust.Hint{}, fp(t, member.number)))
		if next.Lead.Fingerprint != fp(t, box) || next.Warrant != nil || next.Bundle != nil {
			t.Errorf("%s is %+v", next.SelfID, next)
		}
	}
	if done := must(t)(trust.HandoverConfirmed(former, fp(t, box), 3)); done.HandedOver != nil {
		t.Error("a confirmed handover is kept")
	}
}
