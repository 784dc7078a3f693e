package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/identity"
	"collie/crypto/sealed"
	"collie/lead/frontdoor"
	"collie/mesh/trust"
	"collie/node/audit"
	"collie/node/control"
	"collie/standby"
	"collie/standby/door"
)

// ageKeyName is the file of the key that opens what a lead seals for this node.
// It exists while the node is in a crew.
const ageKeyName = "age.key"

// newStandby returns this node's part in successions.
func (d *daemon) newStandby() *standby.Standby {
	c := d.options.Config
	return standby.New(standby.Config{
		Store: d.store, Key: d.ageKey, Arm: c.Millis("COLLIE_STANDBY_ARM_MS"), Beat: c.Millis("COLLIE_BEAT_MS"),
		Addresses: d.addresses, Devices: func() ([]trust.Device, error) { return d.devices.Bequest() },
		Adopt:  func(devices []trust.Device) error { return d.devices.Inherit(trust.DevicesCrew, devices) },
		Forget: d.forgetDevices, Opened: d.opened, Audit: d.auditStandby, Now: time.Now, Log: d.options.Log,
	})
}

// ageKey reads the key, or draws one.
func (d *daemon) ageKey() (sealed.Key, error) {
	path := d.node.Folder.Path(ageKeyName)
	data, err := atomicfile.Read(path, sealed.MaxKeyText)
	if errors.Is(err, fs.ErrNotExist) {
		key, err := sealed.NewKey()
		if err != nil {
			return sealed.Key{}, err
		}
		return key, atomicfile.Write(path, key.Marshal())
	}
	if err != nil {
		return sealed.Key{}, err
	}
	key, err := sealed.UnmarshalKey(data)
	if err != nil {
		return sealed.Key{}, fmt.Errorf("%s: %w: move it away, and a new one is drawn", path, err)
	}
	return key, nil
}

// recipient is what a bundle for this node is sealed to; without a key it is "",
// and this node can be no deputy.
func (d *daemon) recipient() string {
	key, err := d.ageKey()
	if err != nil {
		d.options.Log.Error("this node can be no deputy", "error", err)
		return ""
	}
	return key.Recipient()
}

// forgetDevices deletes the lists of roles that have ended, and makes the one of
// this role count.
func (d *daemon) forgetDevices(lists []trust.DeviceList) error {
	if d.devices.Using() != countingList(d.crew()) {
		d.devices.Use(countingList(d.crew()))
	}
	return d.devices.Forget(lists...)
}

// countingList is the list of a role. A member has no front door; its own list
// sleeps.
func countingList(crew *trust.Crew) trust.DeviceList {
	if list := crew.Devices(); list != "" {
		return list
	}
	return trust.DevicesOwn
}

// settleDevices has the lists of paired devices follow a change of role that no
// link is played for.
func (d *daemon) settleDevices() {
	if d.store == nil {
		return
	}
	if err := d.standby.SettleDevices(); err != nil {
		d.options.Log.Error("the paired devices of another role are not in order yet", "error", err)
	}
}

// isOpening says that a lead's devices are not in order yet, so that nobody is to
// be let in by another list.
func (d *daemon) isOpening(crew *trust.Crew) bool {
	return crew != nil && crew.Inherited != nil || d.devices.Using() != countingList(crew)
}

// opened waits until the front door serves as the lead's.
func (d *daemon) opened(ctx context.Context) (string, error) {
	if err := d.standby.SettleDevices(); err != nil {
		return "", err
	}
	if _, err := d.settle(ctx); err != nil {
		return "", err
	}
	if mode := d.mode().Name; mode != "lead" {
		return "", fmt.Errorf("this machine does not lead, it is %s", mode)
	}
	return d.publicURL, nil
}

func (d *daemon) auditStandby(e standby.Entry) error {
	return d.node.Audit.Write(audit.Entry{
		Action: e.Action, Host: e.Member, Device: e.Device, Via: e.Via, What: audit.Text(e.What), Outcome: e.Outcome,
	})
}

// unheard waits a moment until the deputy has heard of a change, and returns who
// it is if it has not.
func (d *daemon) unheard(ctx context.Context) control.Text {
	if d.store == nil {
		return ""
	}
	d.standby.Wake()
	ctx, cancel := context.WithTimeout(ctx, hearTimeout)
	defer cancel()
	for {
		deputy, owed := d.standby.Owed()
		if !owed {
			return ""
		}
		select {
		case <-ctx.Done():
			return control.Text(deputy)
		case <-time.After(hearPause):
		}
	}
}

// isFormer says whether this node, under a certificate, once led its crew.
func isFormer(crew *trust.Crew, own identity.Fingerprint) bool {
	return slices.ContainsFunc(crew.Chain, func(change trust.Change) bool {
		return identity.FingerprintOf(change.FormerCertificate) == own
	})
}

// A doorway is the standby door as the node has it: open, or why not.
type doorway struct {
	url     string
	trouble error
}

// keepStandbyDoor opens the standby door while this node is the deputy, until
// ctx ends. Without its port there is none.
func (d *daemon) keepStandbyDoor(ctx context.Context) error {
	if d.store == nil || d.options.Config.Get("COLLIE_STANDBY_PORT") == "" {
		<-ctx.Done()
		return ctx.Err()
	}
	changed, stop := d.store.Watch()
	defer stop()
	look := time.NewTicker(doorCheckEvery)
	defer look.Stop()
	for {
		if d.standby.IsDeputy() {
			d.serveStandbyDoor(ctx)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-look.C:
		}
	}
}

// serveStandbyDoor serves the door until this node is the deputy no more.
func (d *daemon) serveStandbyDoor(ctx context.Context) {
	config := d.standbyConfig()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	listener, err := door.Listen(ctx, config)
	if err != nil {
		d.noteDoorway(doorway{trouble: err})
		return // it is tried again
	}
	opened, err := door.New(config, d.standby)
	if err != nil {
		d.noteDoorway(doorway{trouble: errors.Join(err, listener.Close())})
		return
	}
	d.noteDoorway(doorway{url: "http://" + listener.Addr().String()})
	defer d.noteDoorway(doorway{})
	served := make(chan error, 1)
	go func() { served <- opened.Serve(ctx, listener) }() // waited for below
	look := time.NewTicker(doorCheckEvery)
	defer look.Stop()
	for d.standby.IsDeputy() && ctx.Err() == nil {
		select {
		case err := <-served:
			d.options.Log.Error("the standby door has closed", "error", err)
			return
		case <-ctx.Done():
		case <-look.C:
		}
	}
	cancel()
	if err := <-served; err != nil {
		d.options.Log.Error("the standby door has closed", "error", err)
	}
}

func (d *daemon) standbyConfig() door.Config {
	c := d.options.Config
	return door.Config{
		Host: c.Get("COLLIE_STANDBY_HOST"), Port: int(c.Number("COLLIE_STANDBY_PORT")),
		AllowNonLoopback: c.On("COLLIE_ALLOW_NON_LOOPBACK_BIND"), AllowAnyHost: c.On("COLLIE_ALLOW_ANY_HOST"),
		Public: func() []string { return []string{d.standby.Door()} }, Build: d.options.Build, Now: time.Now, Log: d.options.Log,
	}
}

func (d *daemon) noteDoorway(now doorway) {
	if before := d.doorway.Swap(&now); now.trouble != nil && (before == nil || before.trouble == nil) {
		d.options.Log.Error("the standby door is not open, and is tried again", "error", now.trouble)
	}
}

// standbyState is off, cold or armed, with the address of an open door.
func (d *daemon) standbyState() (state, url string, trouble error) {
	way := d.doorway.Load()
	switch {
	case way == nil:
		return "off", "", nil
	case way.url == "":
		return "off", "", way.trouble
	case d.standby.View().Armed:
		return "armed", way.url, nil
	}
	return "cold", way.url, nil
}

// serveFrontDoor opens the front door once the node plays its first role and, as
// a lead, has asked its members whether it still is the lead.
func (d *daemon) serveFrontDoor(ctx context.Context, front *frontdoor.Door, listener net.Listener) error {
	select {
	case <-d.roles.settled:
	case <-ctx.Done():
		return listener.Close()
	}
	return front.Serve(ctx, listener)
}
