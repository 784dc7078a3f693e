package trust_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"collie/crypto/statement"
	"collie/mesh/trust"
)

func TestSuccessionThatContradictsItselfIsNotStored(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	taken, handed := f.takenOver(t, 1), f.handedOver(t)
	parked := must(t)(trust.Strand(must(t)(trust.Depose(f.barn, taken.Chain, trust.Hint{}, node(t, barn))), node(t, barn)))
	follower := must(t)(trust.Follow(f.box, taken.Chain, trust.Hint{}, fp(t, box)))
	by := func(number byte, change func(*statement.Warrant)) *trust.Warrant {
		return &trust.Warrant{Signed: signed(t, number, edit(said(t), change))}
	}
	same := func(*statement.Warrant) {}
	held := func(change func(*trust.HeldBundle)) func(*trust.Crew) {
		return func(c *trust.Crew) {
			b := *c.Bundle
			change(&b)
			c.Bundle = &b
		}
	}
	for name, c := range map[string]struct {
		good *trust.Crew
		bad  func(*trust.Crew)
	}{
		"an approval on a member": {f.box, func(c *trust.Crew) {
			c.Handover = &trust.Approval{MemberID: "cart", Fingerprint: fp(t, cart), ExpiresAt: at(1)}
		}},
		"a bundle's memory on a member":  {f.box, func(c *trust.Crew) { c.Bundled = f.barn.Bundled }},
		"a list of devices on a member":  {f.box, func(c *trust.Crew) { c.CrewDevices = true }},
		"an inheritance of a founder":    {f.barn, func(c *trust.Crew) { c.Inherited = taken.Inherited }},
		"a device twice":                 {taken, func(c *trust.Crew) { c.Inherited = &trust.Inheritance{Devices: []trust.Device{devices[0], devices[0]}} }},
		"a bundle on a lead":             {f.barn, func(c *trust.Crew) { c.Bundle = f.atlas.Bundle }},
		"members to tell on a lead":      {f.barn, func(c *trust.Crew) { c.ToTell = handed.ToTell }},
		"what was handed over on a lead": {taken, func(c *trust.Crew) { c.HandedOver = handed.HandedOver }},
		"a parked member":                {f.box, func(c *trust.Crew) { c.Parked = trust.ParkedStranded }},
		"parked without a reason":        {parked, func(c *trust.Crew) { c.Parked = "" }},
		"parked for no known reason":     {parked, func(c *trust.Crew) { c.Parked = "tired" }},
		"parked with a warrant":          {parked, func(c *trust.Crew) { c.Warrant = by(atlas, same) }},
		"parked with those to tell":      {parked, func(c *trust.Crew) { c.ToTell = handed.ToTell }},
		"parked without a lead":          {parked, func(c *trust.Crew) { c.Lead = nil }},
		"a chain of the future":          {follower, func(c *trust.Crew) { c.Generation = 2 }},
		"a chain to another lead":        {follower, func(c *trust.Crew) { c.Lead = f.box.Lead }},
		"a chain to another node":        {taken, func(c *trust.Crew) { c.SelfID = "moon" }},
		"a chain of another crew":        {taken, func(c *trust.Crew) { c.ID[0] = 2 }},
		"a chain too long":               {taken, func(c *trust.Crew) { c.Chain = slices.Repeat(c.Chain, trust.MaxChain+1) }},
		"a warrant by another key":       {f.box, func(c *trust.Crew) { c.Warrant = by(atlas, same) }},
		"a warrant of another crew":      {f.barn, func(c *trust.Crew) { c.Warrant = by(barn, func(w *statement.Warrant) { w.CrewID[0] = 2 }) }},
		"a warrant of another lead":      {f.barn, func(c *trust.Crew) { c.Warrant = by(barn, func(w *statement.Warrant) { w.Lead = "cart" }) }},
		"a warrant for the lead":         {f.barn, func(c *trust.Crew) { c.Warrant = by(barn, func(w *statement.Warrant) { w.Deputy = "barn" }) }},
		"a warrant of the future":        {f.barn, func(c *trust.Crew) { c.Warrant = by(barn, func(w *statement.Warrant) { w.Generation = 3 }) }},
		"a warrant of no generation":     {f.barn, func(c *trust.Crew) { c.Warrant = by(barn, func(w *statement.Warrant) { w.Generation = 0 }) }},
		"a warrant of the lead before": {follower, func(c *trust.Crew) {
			c.Warrant = by(atlas, func(w *statement.Warrant) { w.Generation, w.Lead, w.Deputy = 3, "atlas", "cart" })
		}},
		"a pin of another certificate": {f.box, func(c *trust.Crew) { c.Warrant = &trust.Warrant{Signed: c.Warrant.Signed, Deputy: peer(t, cart)} }},
		"a pin of nobody": {f.box, func(c *trust.Crew) {
			c.Generation, c.Warrant = 3, &trust.Warrant{Signed: by(barn, revoked).Signed, Deputy: peer(t, atlas)}
		}},
		"a door on a member": {f.box, func(c *trust.Crew) {
			c.Warrant = &trust.Warrant{Signed: c.Warrant.Signed, Door: "https://door.example"}
		}},
		"a door that is none":         {f.barn, func(c *trust.Crew) { c.Warrant = &trust.Warrant{Signed: c.Warrant.Signed, Door: "door"} }},
		"a bundle made for nobody":    {f.barn, func(c *trust.Crew) { c.Warrant = nil }},
		"a bundle made without count": {f.barn, func(c *trust.Crew) { c.Bundled = &trust.Bundled{} }},
		"a bundle without a warrant":  {f.atlas, func(c *trust.Crew) { c.Warrant = nil }},
		"a bundle at another member":  {f.box, func(c *trust.Crew) { c.Bundle = f.atlas.Bundle }},
		"a bundle without a count":    {f.atlas, held(func(b *trust.HeldBundle) { b.Counter = 0 })},
		"an empty bundle":             {f.atlas, held(func(b *trust.HeldBundle) { b.Sealed = nil })},
		"a huge bundle":               {f.atlas, held(func(b *trust.HeldBundle) { b.Sealed = make([]byte, 2<<20) })},
		"a witness twice":             {f.atlas, held(func(b *trust.HeldBundle) { b.Witnesses = append(b.Witnesses[:1:1], b.Witnesses[0]) })},
		"itself as a witness":         {f.atlas, held(func(b *trust.HeldBundle) { b.Witnesses = []trust.Peer{*peer(t, atlas)} })},
		"handed over without a chain": {handed, func(c *trust.Crew) { c.Chain = nil }},
		"handed over to another one":  {handed, func(c *trust.Crew) { c.Chain, c.Lead = drawn(t, "barn=cart@3"), peer(t, cart) }},
		"handed over something else": {handed, func(c *trust.Crew) {
			h := *c.HandedOver
			h.Bundle.Content = []byte("{}")
			c.HandedOver = &h
		}},
		"a member to tell twice": {handed, func(c *trust.Crew) { c.ToTell = append(c.ToTell[:1:1], c.ToTell[0]) }},
		"itself to tell":         {handed, func(c *trust.Crew) { c.ToTell = []trust.Peer{*peer(t, barn)} }},
	} {
		store := open(t, filepath.Join(t.TempDir(), trust.FileName))
		if err := store.Update(set(c.good)); err != nil {
			t.Errorf("%s: before it is made bad: %v", name, err)
		}
		bad := *c.good
		c.bad(&bad)
		if err := store.Update(set(&bad)); !errors.Is(err, trust.ErrInvalid) || store.Crew() != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}
