package trust_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"collie/crypto/identity"
	"collie/crypto/statement"
	"collie/mesh/trust"
)

// numberOf is the node of a name.
func numberOf(t testing.TB, name string) byte {
	t.Helper()
	for number, n := range names {
		if n == name {
			return number
		}
	}
	t.Fatalf("there is no node %q", name)
	return 0
}

// drawn is a chain as text: "barn>atlas@3" is the takeover by atlas under a
// warrant of barn, in generation 3; "atlas=box@4" a handover.
func drawn(t testing.TB, text string) []trust.Change {
	t.Helper()
	var chain []trust.Change
	for _, word := range strings.Fields(text) {
		var generation uint64
		names, number, _ := strings.Cut(word, "@")
		if _, err := fmt.Sscan(number, &generation); err != nil {
			t.Fatalf("%q: %v", word, err)
		}
		from, to, isTakeover := strings.Cut(names, ">")
		if !isTakeover {
			from, to, _ = strings.Cut(names, "=")
		}
		chain = append(chain, change(t, numberOf(t, from), numberOf(t, to), generation, isTakeover))
	}
	return chain
}

func change(t testing.TB, from, to byte, generation uint64, isTakeover bool) trust.Change {
	t.Helper()
	link := trust.Change{FormerID: names[from], FormerCertificate: node(t, from).DER, Certificate: node(t, to).DER}
	if !isTakeover {
		s := signed(t, from, statement.Handover{CrewID: statement.CrewID{1}, Generation: generation, NewLead: names[to], NewLeadFingerprint: fp(t, to), At: at(1)})
		link.Handover = &s
		return link
	}
	w := signed(t, from, statement.Warrant{
		CrewID: statement.CrewID{1}, Generation: generation - 1, Lead: names[from], Deputy: names[to], DeputyFingerprint: fp(t, to), IssuedAt: at(0), RefreshedAt: at(0),
	})
	s := signed(t, to, statement.Takeover{CrewID: statement.CrewID{1}, Generation: generation, Warrant: statement.WarrantDigest(w), At: at(1)})
	link.Warrant, link.Takeover = &w, &s
	return link
}

func TestMemberWalksAChainFromTheLeadThatItPins(t *testing.T) {
	t.Parallel()
	founded := following(t, leading(t), barn, box)
	for _, c := range []struct {
		known, chain, want string
	}{
		{"", "barn>atlas@3", "atlas 3"},
		{"", "barn=atlas@2", "atlas 2"},
		{"", "barn>atlas@3 atlas=cart@4 cart>barn@9", "barn 9"},
		{"barn>atlas@3", "barn>atlas@3 atlas=cart@4", "cart 4"},
		{"barn>atlas@3", "atlas=cart@4", "cart 4"},
		// A lead that came back: from which of its times on is told by the generation.
		{"", "barn=atlas@2 atlas=barn@3 barn=cart@4", "cart 4"},
		{"barn=atlas@2 atlas=barn@3", "barn=atlas@2 atlas=barn@3 barn=cart@4", "cart 4"},
		{"barn=atlas@2", "barn=atlas@2 atlas=barn@3", "barn 3"},
		// Through this very node, which led for a while and was restored since.
		{"", "barn=box@2 box=cart@3", "cart 3"},
		// Nothing new.
		{"barn>atlas@3", "barn>atlas@3", "atlas 3"},
		{"barn=atlas@2 atlas=barn@3", "barn=atlas@2 atlas=barn@3", "barn 3"},
	} {
		member := founded
		if c.known != "" {
			member = must(t)(trust.Follow(member, drawn(t, c.known), trust.Hint{}, fp(t, box)))
		}
		next := must(t)(trust.Follow(member, drawn(t, c.chain), trust.Hint{}, fp(t, box)))
		if got := fmt.Sprint(next.Lead.ID, " ", next.Generation); got != c.want || next.LeadSince() != next.Generation {
			t.Errorf("from %q along %q to %s, want %s", c.known, c.chain, got, c.want)
		}
		if next.Lead.Fingerprint != fp(t, numberOf(t, next.Lead.ID)) {
			t.Errorf("along %q the wrong certificate is pinned", c.chain)
		}
		survives(t, next)
	}
}

func TestChainIsRefusedByNameAndNothingIsStored(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	bad := func(text string, which int, change func(*trust.Change)) []trust.Change {
		chain := drawn(t, text)
		change(&chain[which])
		return chain
	}
	flip := func(s *statement.Signed) *statement.Signed {
		b := statement.Signed{Statement: s.Statement, Signature: bytes.Clone(s.Signature)}
		b.Signature[5] ^= 1
		return &b
	}
	by := func(number byte, k statement.Kind) *statement.Signed {
		s := signed(t, number, k)
		return &s
	}
	const middle = "barn>atlas@3 atlas=cart@4 cart=barn@5"
	long := drawn(t, "barn>atlas@3")
	for i := range trust.MaxChain {
		from, to := "atlas", "cart"
		if i%2 == 1 {
			from, to = to, from
		}
		long = append(long, drawn(t, fmt.Sprintf("%s=%s@%d", from, to, 4+i))...)
	}
	for name, c := range map[string]struct {
		chain []trust.Change
		want  error
	}{
		"none":                           {nil, trust.ErrChainStart},
		"too long":                       {long, trust.ErrChainLong},
		"from a lead that is not pinned": {drawn(t, "cart=atlas@4"), trust.ErrChainStart},
		"a generation that falls":        {drawn(t, "barn>atlas@4 atlas=cart@3"), trust.ErrChainBroken},
		"a generation twice":             {drawn(t, "barn>atlas@4 atlas=cart@4"), trust.ErrChainBroken},
		"a gap":                          {drawn(t, "barn>atlas@3 cart=barn@4"), trust.ErrChainBroken},
		"a generation that is known":     {drawn(t, "barn=atlas@2"), trust.ErrSuperseded},
		"to this very node":              {drawn(t, "barn=box@3"), trust.ErrOwnChain},
		"a bad signature in the middle":  {bad(middle, 1, func(c *trust.Change) { c.Handover = flip(c.Handover) }), trust.ErrNotSigned},
		"a bad signature at the end":     {bad(middle, 2, func(c *trust.Change) { c.Handover = flip(c.Handover) }), trust.ErrNotSigned},
		"a bad warrant":                  {bad(middle, 0, func(c *trust.Change) { c.Warrant = flip(c.Warrant) }), trust.ErrNotSigned},
		"a bad takeover":                 {bad(middle, 0, func(c *trust.Change) { c.Takeover = flip(c.Takeover) }), trust.ErrNotSigned},
		"a warrant without takeover":     {bad(middle, 0, func(c *trust.Change) { c.Takeover = nil }), trust.ErrNoTakeover},
		"a takeover without warrant":     {bad(middle, 0, func(c *trust.Change) { c.Warrant = nil }), trust.ErrChainLink},
		"nothing in a link":              {bad(middle, 1, func(c *trust.Change) { c.Handover = nil }), trust.ErrChainLink},
		"both in a link":                 {bad(middle, 1, func(c *trust.Change) { w := drawn(t, "barn>atlas@3")[0]; c.Warrant, c.Takeover = w.Warrant, w.Takeover }), trust.ErrChainLink},
		"another certificate at the end": {bad(middle, 2, func(c *trust.Change) { c.Certificate = node(t, alien).DER }), trust.ErrChainLink},
		"a certificate that is none":     {bad(middle, 2, func(c *trust.Change) { c.Certificate = []byte("x") }), trust.ErrChainLink},
		"an id that is none":             {bad(middle, 1, func(c *trust.Change) { c.FormerID = "../x" }), trust.ErrChainLink},
		"a warrant under another id":     {bad(middle, 0, func(c *trust.Change) { c.FormerID = "cart" }), trust.ErrChainLink},
		"a handover to the lead itself":  {drawn(t, "barn=barn@3"), trust.ErrChainLink},
		"a handover by the deputy": {bad("barn=cart@3", 0, func(c *trust.Change) {
			c.Handover = by(atlas, statement.Handover{CrewID: statement.CrewID{1}, Generation: 3, NewLead: "cart", NewLeadFingerprint: fp(t, cart), At: at(1)})
		}), trust.ErrNotSigned},
		"a handover of another crew": {bad("barn=cart@3", 0, func(c *trust.Change) {
			c.Handover = by(barn, statement.Handover{CrewID: statement.CrewID{2}, Generation: 3, NewLead: "cart", NewLeadFingerprint: fp(t, cart), At: at(1)})
		}), trust.ErrOtherCrew},
		"a takeover of another crew": {bad("barn>atlas@3", 0, func(c *trust.Change) {
			c.Takeover = by(atlas, statement.Takeover{CrewID: statement.CrewID{2}, Generation: 3, Warrant: statement.WarrantDigest(*c.Warrant), At: at(1)})
		}), trust.ErrOtherCrew},
		"a takeover by another member": {bad("barn>atlas@3", 0, func(c *trust.Change) {
			c.Takeover = by(cart, statement.Takeover{CrewID: statement.CrewID{1}, Generation: 3, Warrant: statement.WarrantDigest(*c.Warrant), At: at(1)})
			c.Certificate = node(t, cart).DER
		}), trust.ErrChainLink},
		"a takeover by another warrant": {bad("barn>atlas@3", 0, func(c *trust.Change) {
			c.Takeover = by(atlas, statement.Takeover{CrewID: statement.CrewID{1}, Generation: 3, Warrant: [32]byte{1}, At: at(1)})
		}), trust.ErrChainLink},
		"a takeover that skips generations": {bad("barn>atlas@3", 0, func(c *trust.Change) {
			c.Takeover = by(atlas, statement.Takeover{CrewID: statement.CrewID{1}, Generation: 9, Warrant: statement.WarrantDigest(*c.Warrant), At: at(1)})
		}), trust.ErrChainLink},
		"a takeover by a revocation": {bad("barn>atlas@3", 0, func(c *trust.Change) {
			c.Warrant = by(barn, edit(said(t), func(w *statement.Warrant) { w.Deputy, w.DeputyFingerprint = "", identity.Fingerprint{} }))
			c.Takeover = by(atlas, statement.Takeover{CrewID: statement.CrewID{1}, Generation: 3, Warrant: statement.WarrantDigest(*c.Warrant), At: at(1)})
		}), trust.ErrChainLink},
		"a warrant that the held one contradicts": {drawn(t, "barn>cart@3"), trust.ErrEquivocation},
	} {
		storesNothing(t, name, f.box, c.want, func(old *trust.Crew) (*trust.Crew, error) {
			return trust.Follow(old, c.chain, trust.Hint{}, fp(t, box))
		})
	}
	storesNothing(t, "at the lead", f.barn, trust.ErrNotMember, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Follow(old, drawn(t, "barn>atlas@3"), trust.Hint{}, fp(t, barn))
	})
}

func TestRevokedTakeoverIsSuperseded(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	after := took(t, f.box, box, warrant(t, revoked), 0)
	storesNothing(t, "a takeover by the warrant before", after, trust.ErrSuperseded, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Follow(old, f.takenOver(t, 1).Chain, trust.Hint{}, fp(t, box))
	})
}

func TestFollowerOfAChainHasForgottenNoLinkAndKeepsTheNewest(t *testing.T) {
	t.Parallel()
	member := following(t, leading(t), barn, box)
	from, to := "barn", "atlas"
	for generation := 2; generation < 2+trust.MaxChain+3; generation++ {
		member = must(t)(trust.Follow(member, drawn(t, fmt.Sprintf("%s=%s@%d", from, to, generation)), trust.Hint{}, fp(t, box)))
		from, to = to, from
	}
	if len(member.Chain) != trust.MaxChain || member.Chain[0].Generation() != 5 || member.LeadSince() != 68 {
		t.Errorf("%d links, from generation %d to %d", len(member.Chain), member.Chain[0].Generation(), member.LeadSince())
	}
	survives(t, member)
}

func TestHintsAboutALeadAreTakenOnlyWhenTheyAreValid(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	for name, c := range map[string]struct {
		hint  trust.Hint
		label string
		at    string
	}{
		"none":   {trust.Hint{}, "atlas", "10.0.0.1:8788"}, // from the warrant
		"good":   {trust.Hint{Label: "Atlas", Addresses: []string{"10.9.9.9:1"}}, "Atlas", "10.9.9.9:1"},
		"broken": {trust.Hint{Label: "a\nb", Addresses: []string{"x"}}, "atlas", "10.0.0.1:8788"},
	} {
		next := must(t)(trust.Follow(f.box, drawn(t, "barn>atlas@3"), c.hint, fp(t, box)))
		if next.Lead.Label != c.label || fmt.Sprint(next.Lead.Addresses) != "["+c.at+"]" {
			t.Errorf("%s: the lead is %q at %v", name, next.Lead.Label, next.Lead.Addresses)
		}
	}
}

func TestTakeoverIsObeyedFromTheDeputyOfALiveWarrantAlone(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	chain := drawn(t, "barn>atlas@3")
	for name, c := range map[string]struct {
		chain  []trust.Change
		caller byte
		hour   int
		want   error
	}{
		"another member":      {chain, cart, 1, trust.ErrNotDeputy},
		"a warrant alone":     {nil, atlas, 1, trust.ErrNoTakeover},
		"a handover":          {drawn(t, "barn=atlas@3"), atlas, 1, trust.ErrNoTakeover},
		"an expired warrant":  {chain, atlas, 30 * 24, trust.ErrWarrantDead},
		"one from the future": {chain, atlas, -1, trust.ErrWarrantFuture},
		"another chain":       {drawn(t, "cart>atlas@3"), atlas, 1, trust.ErrChainStart},
	} {
		storesNothing(t, name, f.box, c.want, func(old *trust.Crew) (*trust.Crew, error) {
			return trust.Obey(old, c.chain, trust.Hint{}, fp(t, c.caller), fp(t, box), at(c.hour))
		})
	}
	next := must(t)(trust.Obey(f.box, chain, trust.Hint{}, fp(t, atlas), fp(t, box), at(1)))
	if next.Lead.ID != "atlas" {
		t.Errorf("the lead is %+v", next.Lead)
	}
	if again := must(t)(trust.Obey(next, chain, trust.Hint{}, fp(t, atlas), fp(t, box), at(1))); again != next {
		t.Error("obeyed again, it is a change")
	}
	if err := last(trust.Obey(nil, chain, trust.Hint{}, fp(t, atlas), fp(t, box), at(1))); !errors.Is(err, trust.ErrSolo) {
		t.Errorf("a solo node: %v", err)
	}
}

// FuzzFollow shows any chain to a member and to the lead: neither moves but by
// links that the keys of the crew have signed.
func FuzzFollow(f *testing.F) {
	crew := newFarm(f)
	for _, text := range []string{"barn>atlas@3", "barn=cart@3", "barn>atlas@3 atlas=cart@4 cart>barn@9", "cart=atlas@3"} {
		data, err := json.Marshal(drawn(f, text))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`[{"former":"barn","formerCert":"","cert":""}]`))
	f.Add([]byte(`[{"handover":{},"warrant":{},"takeover":{}}]`))
	known := map[identity.Fingerprint]bool{fp(f, barn): true, fp(f, atlas): true, fp(f, box): true, fp(f, cart): true}
	f.Fuzz(func(t *testing.T, data []byte) {
		var chain []trust.Change
		if json.Unmarshal(data, &chain) != nil {
			return
		}
		if next, err := trust.Follow(crew.box, chain, trust.Hint{}, fp(t, box)); err == nil && next != crew.box {
			if !known[next.Lead.Fingerprint] || next.Generation <= crew.box.Generation {
				t.Errorf("it follows %s in generation %d", next.Lead.Fingerprint, next.Generation)
			}
			if written, err := trust.Encode(next); err != nil {
				t.Errorf("it cannot be stored: %v", err)
			} else if _, err := trust.Decode(written); err != nil {
				t.Errorf("it cannot be read again: %v", err)
			}
		}
		if next, err := trust.Depose(crew.barn, chain, trust.Hint{}, node(t, barn)); err == nil && !known[next.Lead.Fingerprint] {
			t.Errorf("the lead is deposed by %s", next.Lead.Fingerprint)
		}
	})
}
