package succession_test

import (
	"context"
	"maps"
	"slices"

	"collie/crypto/identity"
	"collie/mesh/trust"
)

// A deed is a generation that a lead gave away, to whoever took over by its
// warrant, or in which it named nobody.
type deed struct {
	lead       string
	generation uint64
}

// A history knows what was signed, from what was seen in stores.
type history struct {
	taken, revoked map[deed]bool
}

func newHistory() history { return history{map[deed]bool{}, map[deed]bool{}} }

func (h history) see(crew *trust.Crew) {
	for _, change := range crew.Chain {
		if change.Takeover != nil {
			h.taken[deed{change.FormerID, change.Generation()}] = true
		}
	}
	if said, some := crew.Warrant.Said(); some && said.NamesNobody() {
		h.revoked[deed{said.Lead, said.Generation}] = true
	}
}

// unheard says that a deputy took over by a warrant that its lead had revoked, or
// was about to, where it could not hear it. Then two may lead, until a person
// decides. No handover and no other deputy leads to that without a revocation.
func (h history) unheard() bool {
	for d := range h.taken {
		if h.revoked[d] {
			return true
		}
	}
	return false
}

// A warning is who could have told a deputy, when it was tapped, why it must not
// take over.
type warning struct {
	at   int // tick
	who  []*machine
	from uint64 // the generation that it followed

	called bool // its lead has called since
	over   bool
}

// tapped notes who hears the lead, or knows better, and is within the deputy's
// reach.
func (w *world) tapped(deputy *machine) {
	crew := deputy.crew()
	if before := w.warnings[deputy]; crew.Lead == nil || before != nil && !before.over {
		return // it leads, or gets the answer of the tap before
	}
	warned := &warning{at: w.tick, from: crew.Generation}
	for _, m := range w.machines {
		if m == deputy || m.crew() != nil && m.crew().Restored || w.reached(deputy.process.Load(), m.fp()) == nil || w.reached(m.process.Load(), deputy.fp()) == nil {
			continue
		}
		silent, follows := m.process.Load().standby.SilentFor()
		switch {
		case m.fp() == crew.Lead.Fingerprint && w.disturbed[between(m, deputy)] < w.tick-2:
		case m.crew().Grade(deputy.fp()) == trust.GradeDeputy && follows && silent < arm/3 && m.crew().Lead.Fingerprint == crew.Lead.Fingerprint:
		case m.crew().Grade(deputy.fp()) == trust.GradeDeputy && m.crew().Generation > crew.Generation:
		case m.crew().Role == trust.RoleMember && m.crew().Generation > crew.Generation && w.asked(deputy, m):
		case m.crew().Role == trust.RoleLead && m.crew().LeadSince() > crew.Generation:
		default:
			continue
		}
		warned.who = append(warned.who, m)
	}
	w.warnings[deputy] = warned
}

// asked says whether a deputy asks a machine: that is a witness of its bundle.
func (w *world) asked(deputy, m *machine) bool {
	bundle := deputy.crew().Bundle
	return bundle != nil && slices.ContainsFunc(bundle.Witnesses, func(p trust.Peer) bool { return p.Fingerprint == m.fp() })
}

// tap takes over at a deputy's door.
func (w *world) tap(p *process, alone bool) {
	w.tapped(p.machine)
	warned := w.warnings[p.machine]
	w.command(func(ctx context.Context) {
		_, err := p.standby.TakeOver(ctx, "pixel", alone)
		w.note("the tap at %s, alone %v: %v", p.machine.name, alone, err)
		if warned != nil && err != nil {
			warned.over = true
		}
	})
}

// called notes a call from a lead.
func (w *world) called(m *machine, from identity.Fingerprint) {
	crew := m.crew()
	if warned, some := w.warnings[m]; some && crew != nil && crew.Grade(from) == trust.GradeLead {
		warned.called = true
	}
}

// decided checks a takeover in the moment of its decision.
func (w *world) decided(m *machine, crew *trust.Crew) {
	warned, some := w.warnings[m]
	if !some || warned.over || crew.Role != trust.RoleLead || crew.Generation != warned.from+1 || crew.Chain[len(crew.Chain)-1].Takeover == nil {
		return
	}
	warned.over = true
	w.inherits(m)
	if warned.called {
		w.fail("%s took over, though its lead had called since the tap", m.name)
	}
	for _, objector := range warned.who {
		if objector.process.Load() != nil && w.disturbed[between(m, objector)] < warned.at {
			w.fail("%s took over, though %s could have objected", m.name, objector.name)
		}
	}
}

// look checks what has to hold at every moment.
func (w *world) look() {
	w.t.Helper()
	leads := map[uint64]string{}
	for _, m := range w.machines {
		crew := m.crew()
		if crew == nil {
			continue
		}
		w.history.see(crew)
		m.process.Load().play()
		w.decided(m, crew)
		if crew.Role == trust.RoleDeposed {
			w.fail("%s is parked: %s", m.name, crew.Parked)
		}
		if !m.serves() {
			continue
		}
		if other, some := leads[crew.Generation]; some && !w.history.unheard() {
			w.fail("%s and %s lead in the generation %d", other, m.name, crew.Generation)
		}
		leads[crew.Generation] = m.name
	}
}

// atRest checks a crew whose faults have ended and that has had time.
func (w *world) atRest() {
	w.t.Helper()
	if w.history.unheard() {
		return
	}
	var lead *machine
	for _, m := range w.machines {
		switch {
		case !m.serves():
		case lead != nil:
			w.fail("%s and %s lead", lead.name, m.name)
		default:
			lead = m
		}
	}
	if lead == nil {
		w.fail("nobody leads")
	}
	for _, m := range w.machines {
		crew := m.crew()
		if m != lead && (crew.Role != trust.RoleMember || crew.Lead.Fingerprint != lead.fp()) {
			w.fail("%s does not follow %s", m.name, lead.name)
		}
		if crew.SelfID != w.ids[m.name] {
			w.fail("%s is %s now, and was %s", m.name, crew.SelfID, w.ids[m.name])
		}
		if m != lead && (crew.HandedOver != nil || len(crew.ToTell) > 0) {
			w.fail("%s has still to tell %d, handed over %v", m.name, len(crew.ToTell), crew.HandedOver != nil)
		}
	}
	roster := map[string]string{lead.crew().SelfID: lead.name}
	for _, member := range lead.crew().Members {
		if other, some := roster[member.ID]; some {
			w.fail("%s and %s have the id %s", other, member.Label, member.ID)
		}
		roster[member.ID] = member.Label
		if member.State != trust.StateEnrolled {
			w.fail("%s is %s", member.ID, member.State)
		}
	}
	want := map[string]string{}
	for name, id := range w.ids {
		want[id] = name
	}
	if !maps.Equal(roster, want) {
		w.fail("the roster of %s is %v, want %v", lead.name, roster, want)
	}
	if held, want := lead.devices(), w.devices[len(w.devices)-1]; !sameDevices(held, want) {
		w.fail("the devices of %s are %v, want %v", lead.name, labels(held), labels(want))
	}
	for _, m := range w.machines {
		if own := m.disk.lists[trust.DevicesOwn]; m.name != names[0] && (len(own) != 1 || own[0].Label != "of "+m.name+" alone") {
			w.fail("the devices of %s's solo days are %v", m.name, labels(own))
		}
	}
}

// devices returns the list of a lead.
func (m *machine) devices() []trust.Device {
	crew := m.crew()
	if crew.Inherited != nil {
		return crew.Inherited.Devices
	}
	return m.disk.lists[crew.Devices()]
}

func sameDevices(a, b []trust.Device) bool {
	return slices.EqualFunc(a, b, func(a, b trust.Device) bool { return a.Token == b.Token && a.Label == b.Label })
}

// pair changes the devices of the lead.
func (w *world) pair(lead *machine, devices []trust.Device) {
	lead.disk.lists[lead.crew().Devices()] = devices
	w.devices = append(w.devices, devices)
}

// newest says whether nobody leads who became lead after a machine.
func (w *world) newest(lead *machine) bool {
	for _, m := range w.machines {
		if crew := m.crew(); crew == nil || m != lead && crew.Generation > lead.crew().Generation {
			return false
		}
	}
	return true
}

// hear notes what the lead says that its deputy holds.
func (w *world) hear() {
	for _, m := range w.machines {
		if !m.serves() || !w.newest(m) {
			continue
		}
		if deputy, owed := m.process.Load().standby.Owed(); deputy != "" && !owed {
			w.heard = len(w.devices) - 1
		}
	}
}

// inherits checks the devices of a takeover: none that the deputy was said to
// know is lost, and none of before comes back.
func (w *world) inherits(m *machine) {
	got := m.devices()
	if w.history.unheard() { // two may lead, each with a list of its own
		w.devices, w.heard = [][]trust.Device{got}, 0
		return
	}
	i := slices.IndexFunc(w.devices, func(list []trust.Device) bool { return sameDevices(list, got) })
	if i < w.heard { // none of those, or one from before what went to the deputy
		w.fail("%s took over with the devices %v, and had been told of %v", m.name, labels(got), labels(w.devices[w.heard]))
	}
	w.devices, w.heard = w.devices[i:i+1:i+1], 0
}

func labels(devices []trust.Device) []string {
	var all []string
	for _, d := range devices {
		all = append(all, d.Label)
	}
	return all
}
