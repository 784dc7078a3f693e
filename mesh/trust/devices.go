package trust

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"collie/crypto/secret"
)

// ErrDevicesLeft says that a node still has the devices of a crew that it led.
var ErrDevicesLeft = errors.New("the paired devices of the time as lead could not be deleted yet: free some disk space and try again")

// A DeviceList names a file of paired devices in the state folder.
type DeviceList string

// The lists. What is paired with a solo node stays on its list while it is a
// member, and sleeps there while it leads a crew that it did not found.
const (
	// DevicesOwn is the list of a solo node, and of the lead that founded its
	// crew.
	DevicesOwn DeviceList = "devices.json"
	// DevicesCrew is the list that a lead got with its crew.
	DevicesCrew DeviceList = "crew-devices.json"
)

// A Device is a paired device as it goes from one lead to the next.
type Device struct {
	Label     string        `json:"label"`
	Token     secret.Digest `json:"token"`
	CreatedAt time.Time     `json:"createdAt"`
	ExpiresAt time.Time     `json:"expiresAt,omitzero"`
}

// An Inheritance is the devices that a lead got with its crew and that are not
// on its list yet. While it has one, the front door stays shut and no device is
// changed.
type Inheritance struct {
	Devices []Device `json:"devices"`
}

// Devices returns the list that counts, or "" on a node that has no front door.
// A nil Crew is a solo node.
func (c *Crew) Devices() DeviceList {
	switch {
	case c == nil || c.Role == RoleLead && !c.CrewDevices:
		return DevicesOwn
	case c.Role == RoleLead:
		return DevicesCrew
	}
	return ""
}

// StaleDevices returns the lists whose role has ended: their files are to be
// deleted, in every start again, and then Forgotten told.
func (c *Crew) StaleDevices() []DeviceList {
	var stale []DeviceList
	if c.Devices() != DevicesCrew {
		stale = append(stale, DevicesCrew)
	}
	if c != nil && c.ForgetDevices {
		stale = append(stale, DevicesOwn)
	}
	return stale
}

// Forgotten notes that the stale lists are deleted. It returns old itself when
// none was owed.
func Forgotten(old *Crew) (*Crew, error) {
	if old == nil || !old.ForgetDevices {
		return old, nil
	}
	next := old.clone()
	next.ForgetDevices = false
	return next, nil
}

// Adopted notes that the inherited devices are on their list. It returns old
// itself when there were none.
func Adopted(old *Crew) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	if old.Inherited == nil {
		return old, nil
	}
	next := old.clone()
	next.Inherited = nil
	return next, nil
}

// checkDevices refuses a list that no lead can have.
func checkDevices(devices []Device) error {
	if len(devices) > MaxDevices {
		return fmt.Errorf("%d devices, the most is %d", len(devices), MaxDevices)
	}
	for i, d := range devices {
		if d.Label == "" || len(d.Label) > maxDeviceLabel || d.Token == (secret.Digest{}) || d.CreatedAt.IsZero() {
			return fmt.Errorf("the device %d has no label, token or time", i)
		}
		if slices.ContainsFunc(devices[:i], func(other Device) bool { return other.Label == d.Label || other.Token.Equal(d.Token) }) {
			return fmt.Errorf("the device %d occurs twice", i)
		}
	}
	return nil
}
