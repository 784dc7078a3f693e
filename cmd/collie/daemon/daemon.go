// Package daemon is the running node: it opens what every install has, serves
// the front door and the control socket, and plays the role that the trust
// store says, solo, lead or member, for as long as it says so. A change of role
// takes effect in the running process.
//
// It is the one place that knows every room; the rooms do not know each other.
package daemon

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"collie/crypto/atomicfile"
	"collie/crypto/secret"
	"collie/lead"
	"collie/lead/frontdoor"
	"collie/lead/meter"
	"collie/lead/pairing"
	"collie/member"
	"collie/mesh/notify"
	"collie/mesh/trust"
	"collie/node"
	"collie/node/audit"
	"collie/node/config"
	"collie/node/control"
	"collie/node/pane/origin"
	"collie/node/walky"
	"collie/standby"
	"collie/web"
)

// localSecretName is the file that lets this machine's own programs read over
// HTTP.
const localSecretName = "local-secret"

// Options are what a node is run with. All are needed but Ready and Welcome.
type Options struct {
	Config  *config.Config
	Holder  []string // the command line that runs a pane's holder
	Environ []string
	Origin  origin.Origin
	Build   string
	Log     *slog.Logger
	// Walky are the limits of messages; the default ones when nil.
	Walky *walky.Limits
	// Ready is called once the node serves.
	Ready func(control.Status)
	// Welcome is called after Ready with a pairing code when no device is
	// paired yet.
	Welcome func(control.PairCode)
}

// A daemon is one run of a node.
type daemon struct {
	options   Options
	started   time.Time
	node      *node.Node
	store     *trust.Store
	refused   error // why the crew part is off, if it is
	devices   *pairing.Store
	lead      *lead.Lead
	member    *member.Member
	standby   *standby.Standby
	doorway   atomic.Pointer[doorway]
	roles     *roles
	told      *told
	nearby    nearby
	changing  chan struct{} // holds one element while the crew changes
	listener  net.Listener
	local     string // lets this machine's own programs read over HTTP
	publicURL string
	launchers notify.Hub // of the paired devices, for their launchers
}

// Run runs a node until ctx ends. Panes go on after it. It returns within five
// seconds then, and says so when something had not ended by that time.
func Run(ctx context.Context, o Options) error {
	done := make(chan error, 1)
	go func() { done <- run(ctx, o) }() // left behind only with the error below
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(stopTimeout):
		return fmt.Errorf("the node did not stop within %v", stopTimeout)
	}
}

func run(ctx context.Context, o Options) (err error) {
	d := &daemon{options: o, started: time.Now(), changing: make(chan struct{}, 1)}
	d.node, err = node.Open(ctx, node.Options{
		Config: o.Config, Holder: o.Holder, Environ: o.Environ, Origin: o.Origin,
		Build: o.Build, Walky: o.Walky, Now: time.Now, Rand: rand.Reader, Log: o.Log,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.node.Close()) }()
	d.openCrew()
	defer func() { err = errors.Join(err, d.flushCrew()) }()
	d.standby = d.newStandby()
	defer d.standby.Wait()
	d.devices = pairing.Open(d.node.Folder.Path(string(countingList(d.crew()))), pairing.Options{
		Audit: d.auditPairing, Log: o.Log, Changed: d.devicesChanged,
	})
	defer d.devices.Close()
	d.settleDevices()
	d.lead = lead.New(d.node, time.Now, o.Log)
	d.member = member.New(d.node, time.Now, o.Log)
	d.roles = newRoles(d)
	if d.told, err = openTold(d.node.Folder.Path(addressesName)); err != nil {
		o.Log.Error("the addresses of the last invite are not known", "error", err)
	}
	defer func() { err = errors.Join(err, atomicfile.Remove(d.node.Folder.Path(localSecretName))) }()
	door, err := d.openDoor(ctx)
	if err != nil {
		return err
	}
	socket, err := control.Listen(d.node.Folder, d.node.Resolve, append(d.node.Routes(), d.routes()...), o.Log)
	if err != nil {
		return errors.Join(err, d.listener.Close())
	}
	hooks, err := d.openHooks(ctx)
	if err != nil {
		return errors.Join(err, d.listener.Close(), socket.Close())
	}
	d.refreshSkills()
	if err := d.firstPane(ctx); err != nil {
		o.Log.Warn("the first pane could not be opened", "error", err)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return ended(d.lead.FollowLocal(ctx)) })
	group.Go(func() error { return d.serveFrontDoor(ctx, door, d.listener) })
	group.Go(func() error { return ended(d.keepStandbyDoor(ctx)) })
	group.Go(func() error { return d.node.Agenda.Run(ctx) })
	if hooks != nil {
		group.Go(func() error { return d.node.Hooks.Serve(ctx, hooks) })
	}
	group.Go(socket.Serve)
	group.Go(func() error { <-ctx.Done(); return socket.Close() })
	group.Go(func() error { return ended(d.roles.run(ctx)) })
	group.Go(func() error { d.keepLaunchers(ctx); return nil })
	group.Go(func() error {
		return ended(d.lead.FollowLoad(ctx, lead.LoadFiles{Rules: filepath.Join(o.Config.Dir, meter.TableName), Day: d.node.Folder.Path("load.day")}))
	})
	if d.store != nil {
		group.Go(func() error { d.store.Keep(ctx); return nil })
	}
	group.Go(func() error { return d.announce(ctx) })
	return group.Wait()
}

// ended takes the end that was asked for out of an error.
func ended(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// openCrew reads the trust store. One that cannot be believed leaves the node
// without its crew part; the file stays as it is.
func (d *daemon) openCrew() {
	path := d.node.Folder.Path(trust.FileName)
	d.store, d.refused = trust.Open(path, time.Now)
	if d.refused != nil {
		d.options.Log.Error("the crew part is off", "error", d.refused)
	}
}

// flushCrew stores at the end what the disk refused until now.
func (d *daemon) flushCrew() error {
	if d.store == nil {
		return nil
	}
	return d.store.Flush()
}

// crewUnsaved says why the file of the crew is behind, if it is.
func (d *daemon) crewUnsaved() error {
	if d.store == nil {
		return nil
	}
	return d.store.Unsaved()
}

// crew returns the crew that the node is in, or nil.
func (d *daemon) crew() *trust.Crew {
	if d.store == nil {
		return nil
	}
	return d.store.Crew()
}

func (d *daemon) openDoor(ctx context.Context) (*frontdoor.Door, error) {
	c := d.options.Config
	d.local = secret.NewToken(rand.Reader)
	if err := atomicfile.Write(d.node.Folder.Path(localSecretName), []byte(d.local+"\n")); err != nil {
		// Nobody can know it then; phones and the control socket need none.
		d.options.Log.Warn("this machine's own programs cannot read over HTTP", "error", err)
	}
	settings := frontdoor.Config{
		Host: c.Get("COLLIE_HOST"), Port: c.Port(), PublicURL: c.Get("COLLIE_PUBLIC_URL"),
		AllowNonLoopback: c.On("COLLIE_ALLOW_NON_LOOPBACK_BIND"), AllowAnyHost: c.On("COLLIE_ALLOW_ANY_HOST"),
		TrustedUser: c.Get("COLLIE_TRUSTED_USER"), DeviceHeader: c.Get("COLLIE_DEVICE_HEADER"),
		DeviceAllowlist: list(c.Get("COLLIE_DEVICE_ALLOWLIST")),
		TLSCert:         c.Get("COLLIE_TLS_CERT"), TLSKey: c.Get("COLLIE_TLS_KEY"),
		AccessTeam: c.Get("COLLIE_ACCESS_TEAM"), AccessAUD: c.Get("COLLIE_ACCESS_AUD"),
	}
	door, err := frontdoor.New(settings, frontdoor.Parts{
		Devices: d.devices, Routes: d.phoneRoutes(), App: web.Handler(), Mode: d.mode,
		Health: d.health, Settings: d.settings, LocalSecret: d.local, Now: time.Now, Log: d.options.Log,
	})
	if err != nil {
		return nil, err
	}
	if d.listener, err = frontdoor.Listen(ctx, settings); err != nil {
		return nil, err
	}
	d.publicURL = strings.TrimSuffix(settings.PublicURL, "/")
	if d.publicURL == "" {
		scheme := "http"
		if settings.TLSCert != "" {
			scheme = "https"
		}
		d.publicURL = scheme + "://" + d.listener.Addr().String()
	}
	return door, nil
}

func list(text string) []string {
	var all []string
	for _, item := range strings.Split(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

// firstPane opens a shell when there is no pane, so that a first look shows
// something.
func (d *daemon) firstPane(ctx context.Context) error {
	if len(d.node.Panes.List()) > 0 {
		return nil
	}
	return d.node.OpenShell(ctx)
}

// announce says that the node serves, and shows how to pair a first phone.
func (d *daemon) announce(ctx context.Context) error {
	select {
	case <-d.roles.settled:
	case <-ctx.Done():
		return nil
	}
	if d.options.Ready != nil {
		d.options.Ready(d.status())
	}
	devices, err := d.devices.Devices()
	if err != nil || len(devices) > 0 || d.options.Welcome == nil || d.mode().Name == "member" {
		return nil
	}
	code, err := d.devices.NewCode(0, "collie up")
	if err != nil {
		return fmt.Errorf("make the first pairing code: %w", err)
	}
	d.options.Welcome(d.codeDocument(code))
	return nil
}

func (d *daemon) auditPairing(e pairing.Entry) error {
	return d.node.Audit.Write(audit.Entry{Action: e.Action, Device: e.Device, Via: e.Via, What: audit.Text(e.What), Outcome: e.Outcome})
}

// WriteReady writes the status as one JSON line; see --ready-fd.
func WriteReady(w io.Writer, status control.Status) error {
	line, err := json.Marshal(status)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
