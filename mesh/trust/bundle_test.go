package trust_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"collie/crypto/sealed"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh/trust"
)

// forged seals what a bundle is not, signed by a node.
func forged(t testing.TB, key sealed.Key, number byte, content []byte, change func(*statement.Bundle)) []byte {
	t.Helper()
	b := statement.Bundle{
		CrewID: statement.CrewID{1}, Generation: 2, Deputy: "atlas", DeputyFingerprint: fp(t, atlas), Counter: 5, At: at(0),
		Digest: secret.Hash(string(content)), Length: uint64(len(content)),
	}
	change(&b)
	data, err := json.Marshal(trust.SignedBundle{Signed: signed(t, number, b), Content: content})
	if err != nil {
		t.Fatal(err)
	}
	return sealing(t, key, data)
}

func sealing(t testing.TB, key sealed.Key, data []byte) []byte {
	t.Helper()
	out, err := sealed.Seal(key.Recipient(), data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func as(*statement.Bundle) {}

func TestBundleIsRefusedByNameAndNothingIsStored(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	lead, first := sealedBundle(t, named(t), barn, f.key, devices[:1])
	_, second := sealedBundle(t, lead, barn, f.key, devices)
	holder := must(t)(trust.TakeBundle(f.withoutBundle(t), second, f.key, fp(t, atlas)))
	good := []byte(`{"members":[]}`)
	member := func(change func(*trust.Member)) []byte {
		m, _ := f.barn.Member("box")
		change(&m)
		content, err := json.Marshal(trust.Bundle{Members: []trust.Member{m}})
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	with := func(b trust.Bundle) []byte {
		content, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":                     {nil, sealed.ErrSealed},
		"cut":                         {second[:len(second)-1], sealed.ErrSealed},
		"a bit changed":               {flipped(second, len(second)/2), sealed.ErrSealed},
		"sealed for somebody else":    {sealing(t, newKey(t), []byte("x")), sealed.ErrSealed},
		"huge":                        {make([]byte, 2<<20), sealed.ErrTooLarge},
		"no bundle":                   {sealing(t, f.key, []byte("x")), trust.ErrBundleContent},
		"an empty object":             {sealing(t, f.key, []byte("{}")), trust.ErrNotSigned},
		"signed by a stranger":        {forged(t, f.key, alien, good, as), trust.ErrNotSigned},
		"signed by the deputy itself": {forged(t, f.key, atlas, good, as), trust.ErrNotSigned},
		"of another crew":             {forged(t, f.key, barn, good, func(b *statement.Bundle) { b.CrewID[0] = 2 }), trust.ErrOtherCrew},
		"for another member":          {forged(t, f.key, barn, good, func(b *statement.Bundle) { b.Deputy = "cart" }), trust.ErrBundleAudience},
		"for another certificate":     {forged(t, f.key, barn, good, func(b *statement.Bundle) { b.DeputyFingerprint = fp(t, cart) }), trust.ErrBundleAudience},
		"of another warrant":          {forged(t, f.key, barn, good, func(b *statement.Bundle) { b.Generation = 3 }), trust.ErrBundleAudience},
		"with a lower counter":        {first, trust.ErrBundleOld},
		"of another digest":           {forged(t, f.key, barn, good, func(b *statement.Bundle) { b.Digest[0] ^= 1 }), trust.ErrBundleContent},
		"of another length":           {forged(t, f.key, barn, good, func(b *statement.Bundle) { b.Length++ }), trust.ErrBundleContent},
		"with a content that is none": {forged(t, f.key, barn, []byte("[]"), as), trust.ErrBundleContent},
		"with a broken roster":        {forged(t, f.key, barn, member(func(m *trust.Member) { m.Fingerprint = fp(t, alien) }), as), trust.ErrBundleContent},
		"with an id that is none":     {forged(t, f.key, barn, member(func(m *trust.Member) { m.ID = "../box" }), as), trust.ErrBundleContent},
		"with the lead as a member":   {forged(t, f.key, barn, member(func(m *trust.Member) { m.ID = "barn" }), as), trust.ErrBundleContent},
		"with an id in use retired":   {forged(t, f.key, barn, with(trust.Bundle{RetiredIDs: []string{"barn"}}), as), trust.ErrBundleContent},
		"with a device twice":         {forged(t, f.key, barn, with(trust.Bundle{Devices: []trust.Device{devices[0], devices[0]}}), as), trust.ErrBundleContent},
		"with a device of no token":   {forged(t, f.key, barn, with(trust.Bundle{Devices: []trust.Device{{Label: "x", CreatedAt: start}}}), as), trust.ErrBundleContent},
		"with too many devices":       {forged(t, f.key, barn, with(trust.Bundle{Devices: make([]trust.Device, trust.MaxDevices+1)}), as), trust.ErrBundleContent},
		"with a chain to another":     {forged(t, f.key, barn, with(trust.Bundle{Chain: drawn(t, "barn=cart@2")}), as), trust.ErrBundleContent},
		"with a broken chain":         {forged(t, f.key, barn, with(trust.Bundle{Chain: drawn(t, "atlas=cart@2 box=barn@3")}), as), trust.ErrBundleContent},
		"with a door that is none":    {forged(t, f.key, barn, with(trust.Bundle{Door: "http://door.example"}), as), trust.ErrBundleContent},
	} {
		storesNothing(t, name, holder, c.want, func(old *trust.Crew) (*trust.Crew, error) {
			return trust.TakeBundle(old, c.data, f.key, fp(t, atlas))
		})
	}
	storesNothing(t, "at a member that is not the deputy", f.box, trust.ErrNotDeputy, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.TakeBundle(old, second, f.key, fp(t, box))
	})
	storesNothing(t, "at the lead", f.barn, trust.ErrNotMember, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.TakeBundle(old, second, f.key, fp(t, barn))
	})
	if again := must(t)(trust.TakeBundle(holder, second, f.key, fp(t, atlas))); again != holder {
		t.Error("the same bundle again is a change")
	}
}

// withoutBundle is the deputy before it got its bundle.
func (f farm) withoutBundle(t testing.TB) *trust.Crew {
	t.Helper()
	return took(t, following(t, f.barn, barn, atlas), atlas, standing(t, f.barn), 0)
}

func flipped(data []byte, at int) []byte {
	bad := bytes.Clone(data)
	bad[at] ^= 1
	return bad
}

func TestBundleCountsUpWhenItsContentChangesAlone(t *testing.T) {
	t.Parallel()
	signer := owner(t, barn)
	lead := named(t)
	counter := func(d []trust.Device) uint64 {
		t.Helper()
		next, made, err := trust.NextBundle(lead, d, signer, at(3))
		if err != nil {
			t.Fatal(err)
		}
		said, err := statement.OpenBundle(made.Signed, signer.PublicKey())
		if err != nil || said.Counter != next.Bundled.Counter || said.Generation != lead.Generation || !said.Holds(made.Content) {
			t.Errorf("it says %+v, %v", said, err)
		}
		if same := next == lead; same != (lead.Bundled != nil && lead.Bundled.Counter == said.Counter) {
			t.Errorf("counter %d: a change is %v", said.Counter, !same)
		}
		lead = next
		return said.Counter
	}
	var got []uint64
	got = append(got, counter(devices[:1]), counter(devices[:1]), counter(devices), counter(devices[1:]))
	lead = must(t)(trust.RemoveMember(lead, "box", nil, at(1)))
	got = append(got, counter(devices[1:]))
	lead = must(t)(trust.RefreshWarrant(lead, signer, at(2)))
	got = append(got, counter(devices[1:]))
	lead = must(t)(trust.CountBundlesOn(lead, 9))
	got = append(got, counter(devices[1:]))
	lead = must(t)(trust.NameDeputy(unnamed(lead), "cart", "", signer, at(3)))
	got = append(got, counter(devices[1:]))
	if want := []uint64{1, 1, 2, 3, 4, 4, 10, 1}; !slices.Equal(got, want) {
		t.Errorf("the counters are %v, want %v", got, want)
	}
	survives(t, lead)
	for _, reported := range []uint64{0, 1, 1 << 62, 1<<64 - 1} {
		if next := must(t)(trust.CountBundlesOn(lead, reported)); next != lead {
			t.Errorf("a report of %d is a change", reported)
		}
	}
}

func TestBundleIsMadeForALiveDeputyAlone(t *testing.T) {
	t.Parallel()
	signer := owner(t, barn)
	make := func(c *trust.Crew, hour int) error {
		_, _, err := trust.NextBundle(c, nil, signer, at(hour))
		return err
	}
	for name, c := range map[string]struct {
		err, want error
	}{
		"nobody was named": {make(leading(t), 0), trust.ErrNoDeputy},
		"it was revoked":   {make(must(t)(trust.RevokeDeputy(named(t), signer, at(0))), 0), trust.ErrNoDeputy},
		"it is dead":       {make(named(t), 30*24), trust.ErrNoDeputy},
		"a member":         {make(newFarm(t).box, 0), trust.ErrNotLead},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", name, c.err, c.want)
		}
	}
	huge := *named(t)
	huge.RetiredIDs = []string{strings.Repeat("r", statement.MaxBundle)}
	if err := make(&huge, 0); !errors.Is(err, trust.ErrBundleContent) {
		t.Errorf("huge: %v", err)
	}
}

func TestBundleHoldsWhoFollowsAndRetiresWhoHasNotConfirmed(t *testing.T) {
	t.Parallel()
	lead := invited(t, must(t)(trust.RemoveMember(named(t), "cart", nil, at(0))), "new", start)
	lead, _, err := trust.Admit(lead, admission(t, "new", 4, "new"), start)
	lead = must(t)(lead, err)
	key := newKey(t)
	deputy := took(t, following(t, lead, barn, atlas), atlas, standing(t, lead), 0)
	_, data := sealedBundle(t, lead, barn, key, devices)
	deputy = must(t)(trust.TakeBundle(deputy, data, key, fp(t, atlas)))
	b, err := trust.OpenBundle(deputy, key)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range b.Members {
		ids = append(ids, m.ID)
	}
	if !slices.Equal(ids, []string{"atlas", "box"}) || !slices.Equal(b.RetiredIDs, []string{"cart", "new"}) || !reflect.DeepEqual(b.Devices, devices) || b.Door != "https://door.example" {
		t.Errorf("it holds %v, retired %v, devices %v, door %q", ids, b.RetiredIDs, b.Devices, b.Door)
	}
	if len(lead.RetiredIDs) != 1 {
		t.Error("the lead's own list was written to")
	}
	if w := deputy.Bundle.Witnesses; len(w) != 1 || w[0].ID != "box" || deputy.Bundle.Door != "https://door.example" || deputy.Bundle.Counter != 1 {
		t.Errorf("the deputy holds %+v", deputy.Bundle)
	}
	if bytes.Contains(deputy.Bundle.Sealed, []byte("box")) {
		t.Error("the bundle can be read")
	}
	if _, err := trust.OpenBundle(newFarm(t).box, key); !errors.Is(err, trust.ErrNoBundle) {
		t.Errorf("a member without one: %v", err)
	}
	if _, err := trust.OpenBundle(deputy, newKey(t)); !errors.Is(err, sealed.ErrSealed) {
		t.Errorf("with another key: %v", err)
	}
}

// FuzzTakeBundle seals any bytes for the deputy: what it takes is what the lead
// has signed.
func FuzzTakeBundle(f *testing.F) {
	crew := newFarm(f)
	before := crew.withoutBundle(f)
	next, made, err := trust.NextBundle(named(f), devices, owner(f, barn), at(0))
	if err != nil || next == nil {
		f.Fatal(err)
	}
	good, err := json.Marshal(made)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"bundle":{"statement":"","signature":""},"content":""}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		after, err := trust.TakeBundle(before, sealing(t, crew.key, data), crew.key, fp(t, atlas))
		if err != nil {
			return
		}
		var read trust.SignedBundle
		if json.Unmarshal(data, &read) != nil || !bytes.Equal(read.Content, made.Content) {
			t.Errorf("it took %q", data)
		}
		if len(after.Bundle.Witnesses) != 2 {
			t.Errorf("the witnesses are %v", after.Bundle.Witnesses)
		}
	})
}
