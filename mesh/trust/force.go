package trust

import (
	"errors"
	"time"
)

// ErrHasDeputy says that a member cannot make itself the lead where a deputy may
// take over.
var ErrHasDeputy = errors.New("the crew has a deputy: let it take over at its standby door")

// Force makes a member the lead of a crew of its own, with a new id and secret,
// without members, devices or chain: nothing that the old lead holds or signs
// counts in it. Its key is of the old crew until KeyDrawn. It is for a lead that is
// gone and a crew without a deputy.
func Force(old *Crew, f Founding, now time.Time) (*Crew, error) {
	if err := mustFollow(old); err != nil {
		return nil, err
	}
	if said, some := old.Warrant.Said(); some && !said.NamesNobody() && CheckLive(said, now) == nil {
		return nil, ErrHasDeputy
	}
	next, err := Found(nil, f)
	if err != nil {
		return nil, err
	}
	next.Name, next.Self, next.KeyDue = old.Name, old.Self, true
	next.CrewDevices, next.Inherited, next.ForgetDevices = true, &Inheritance{}, old.ForgetDevices
	return next, nil
}

// KeyDrawn notes that a founder by force has drawn a key for its crew. It returns
// old itself where none is due.
func KeyDrawn(old *Crew) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	if !old.KeyDue {
		return old, nil
	}
	next := old.clone()
	next.KeyDue = false
	return next, nil
}
