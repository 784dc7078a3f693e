package lead

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/julienschmidt/httprouter"

	"collie/node"
	"collie/node/api"
	"collie/node/audit"
	"collie/node/launch"
	"collie/node/mask"
)

// Devices finds a paired device by its label: since when it is paired.
type Devices func(label string) (since time.Time, paired bool, err error)

// KeepLaunchers keeps the rows that phones added for every machine of the crew,
// and returns the routes with which a phone changes them. A row belongs to one
// pairing of a device; see PruneLaunchers. It is called once, before the lead is
// used.
func (l *Lead) KeepLaunchers(path string, devices Devices) []api.Route {
	l.added, l.devices = launch.OpenAdded(path, l.log), devices
	return []api.Route{{Method: http.MethodPost, Path: "/launchers", Handle: l.changeLaunchers}}
}

// PruneLaunchers drops the rows of devices that are not paired any more. A list
// that cannot be read drops none, and shows none.
func (l *Lead) PruneLaunchers() {
	var unread error
	gone, err := l.added.Prune(func(owner launch.Owner) bool {
		now, err := l.owner(owner.Label)
		unread = errors.Join(unread, err)
		return unread != nil || now.Is(owner)
	})
	switch {
	case errors.Join(unread, err) != nil:
		l.log.Warn("the launchers of revoked devices are not dropped yet", "error", errors.Join(unread, err))
	case gone > 0:
		l.log.Info("launchers of revoked devices are dropped", "count", gone)
	}
}

// owner is the pairing that a label stands for now; the zero one for none.
func (l *Lead) owner(label string) (launch.Owner, error) {
	since, paired, err := l.devices(label)
	if err != nil || !paired {
		return launch.Owner{}, err
	}
	return launch.Owner{Label: label, Since: since}, nil
}

// launching is a machine with the rows that phones added for it.
type launching struct {
	api.Machine
	lead *Lead
	host string // empty is this machine
}

// Here is a machine's one word where things are counted or kept by machine: this one
// has none, whatever it is called in its crew.
func (l *Lead) Here(host string) string {
	if host == l.herd.selfID() {
		return ""
	}
	return host
}

// rows are the added rows whose device is still paired. Those of others count no
// more at once, also when the disk does not let them go. Nothing is written here:
// who looks changes nothing.
func (m launching) rows() ([]launch.AddedRow, error) {
	if m.lead.added == nil {
		return nil, nil
	}
	var rows []launch.AddedRow
	for _, row := range m.lead.added.Of(m.host) {
		now, err := m.lead.owner(row.Owner.Label)
		if err != nil {
			return nil, err
		}
		if now.Is(row.Owner) {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func (m launching) Launchers(ctx context.Context) (api.Launchers, error) {
	all, err := m.Machine.Launchers(ctx)
	if err != nil {
		return api.Launchers{}, err
	}
	rows, err := m.rows()
	if err != nil {
		return api.Launchers{}, err
	}
	all.Rows = slices.Clone(all.Rows)
	for _, row := range rows {
		if !all.Phone.Adds || row.Row.Command != "" && !all.Phone.FreeText {
			continue // the machine would refuse it
		}
		shown := node.LauncherRow(row.Row)
		shown.ID, shown.Device, shown.Mine = row.ID(), row.Owner.Label, row.Owner.Label == api.Device(ctx)
		all.Rows = append(all.Rows, shown)
	}
	return all, nil
}

// Launch starts a row of the machine's own, or one that a phone added.
func (m launching) Launch(ctx context.Context, request api.Launch) (api.Launched, error) {
	rows, err := m.rows()
	if err != nil {
		return api.Launched{}, err
	}
	for _, row := range rows {
		if row.ID() == request.ID {
			request.ID, request.Row = "", addedRow(row.Row)
			break
		}
	}
	return m.Machine.Launch(ctx, request)
}

func addedRow(row launch.Row) *api.AddedRow {
	added := api.AddedRow{Name: row.Name, Harness: row.Harness, Options: row.Options, Command: row.Command}
	if len(row.Folder) > len("~/") {
		added.Folder = row.Folder[len("~/"):]
	}
	return &added
}

// launcherChange adds a row of the calling device, or removes one.
type launcherChange struct {
	Add    *api.AddedRow `json:"add,omitempty"`
	Remove string        `json:"remove,omitempty"`
}

func (l *Lead) changeLaunchers(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	all, err := l.changeLaunchersOf(r)
	if err != nil {
		if errors.Is(api.AsError(err), api.ErrInternal) && r.Context().Err() == nil {
			l.log.Error("a request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		}
		api.WriteError(w, api.Refused(l.node.Mask, err))
		return
	}
	all, _ = mask.Answer(l.node.Mask, all)
	api.WriteJSON(w, all)
}

func (l *Lead) changeLaunchersOf(r *http.Request) (all api.Launchers, err error) {
	var change launcherChange
	if err := api.ReadBody(r, &change); err != nil {
		return all, err
	}
	if (change.Add == nil) == (change.Remove == "") {
		return all, api.ErrBadRequest.With("either a row to add or the id of one to remove")
	}
	ctx, host := r.Context(), r.URL.Query().Get("host")
	machine, err := l.Machine(host)
	if err != nil {
		return all, err
	}
	owner, err := l.owner(api.Device(ctx))
	if err == nil && owner.Label == "" {
		err = api.ErrNotAllowed.With("only a paired device may do that")
	}
	if err != nil {
		return all, err
	}
	if change.Add != nil {
		err = l.addLauncher(ctx, machine, host, owner, *change.Add)
	} else {
		err = l.removeLauncher(ctx, host, owner, change.Remove)
	}
	if err != nil {
		return all, err
	}
	return machine.Launchers(ctx)
}

// addLauncher asks the machine what it lets a phone add, and adds the row here.
func (l *Lead) addLauncher(ctx context.Context, machine api.Machine, host string, owner launch.Owner, added api.AddedRow) error {
	now, err := machine.Launchers(ctx)
	if err != nil {
		return err
	}
	if !now.Phone.Adds || added.Command != "" && !now.Phone.FreeText {
		return api.ErrLauncherRefused
	}
	row := node.RowOf(added)
	if err := row.Check(); err != nil {
		return api.ErrLauncherInvalid.With(err.Error())
	}
	return l.changes(ctx, "launcher.add", host, audit.Text(row.Name), func() error {
		l.PruneLaunchers() // a row of a revoked device takes no room from this one
		return l.added.Add(launch.AddedRow{Host: l.Here(host), Owner: owner, Row: row})
	})
}

func (l *Lead) removeLauncher(ctx context.Context, host string, owner launch.Owner, id string) error {
	return l.changes(ctx, "launcher.remove", host, audit.ID(id), func() error { return l.added.Remove(l.Here(host), owner, id) })
}

// changes makes an audited change of the rows of a machine.
func (l *Lead) changes(ctx context.Context, action, host string, what audit.What, do func() error) error {
	entry := audit.Entry{Action: action, Device: api.Device(ctx), Host: l.Here(host), Via: node.Via(ctx), What: what}
	return l.node.Admitted(entry, func() error { return launcherError(do()) })
}

func launcherError(err error) error {
	switch {
	case errors.Is(err, launch.ErrTooMany):
		return api.ErrTooManyLaunchers
	case errors.Is(err, launch.ErrExists):
		return api.ErrLauncherInvalid.With(err.Error())
	case errors.Is(err, launch.ErrNoRow):
		return api.ErrLauncherNotFound
	case errors.Is(err, launch.ErrUnavailable):
		return api.ErrLaunchersUnavailable.With(err.Error())
	}
	return err
}
