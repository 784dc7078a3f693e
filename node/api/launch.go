package api

import (
	"context"
	"net/http"

	"github.com/julienschmidt/httprouter"
)

// A Launcher starts panes on a machine, in the ways that its operator allows.
type Launcher interface {
	Launchers(ctx context.Context) (Launchers, error)
	Launch(ctx context.Context, launch Launch) (Launched, error)
	Run(ctx context.Context, run Run) (Launched, error)
}

// The refusals of launchers.
var (
	ErrLaunchersUnavailable = Refusal(http.StatusServiceUnavailable, "launchers_unavailable", "the launchers of that machine cannot be used")
	ErrLauncherNotFound     = Refusal(http.StatusNotFound, "launcher_not_found", "no such launcher")
	ErrLauncherRefused      = Refusal(http.StatusForbidden, "launcher_refused", "that machine lets no phone do that (launchers.toml, [phone])")
	ErrLauncherInvalid      = Refusal(http.StatusBadRequest, "launcher_invalid", "that is no launcher")
	ErrLauncherUnconfirmed  = Refusal(http.StatusConflict, "launcher_unconfirmed", "that launcher asks less before it acts, and has to be confirmed on this device")
	ErrTooManyLaunchers     = Refusal(http.StatusConflict, "too_many_launchers", "phones have added as many launchers as that machine takes")
)

// Launchers is what GET launchers answers.
type Launchers struct {
	Rows    []LauncherRow `json:"rows"`
	Recipes []Recipe      `json:"recipes"` // of which rows may be added
	Phone   PhoneMay      `json:"phone"`
	Recent  []RecentLine  `json:"recent"` // one-off lines, newest first
}

// A LauncherRow is one way to start a pane.
type LauncherRow struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Harness string   `json:"harness"` // empty for a typed command and a shell
	Options []string `json:"options"`
	Line    string   `json:"line" mask:"sent"` // what is started, to be read
	Folder  string   `json:"folder"`
	// NoConfirmation says that it starts an agent that asks less before it acts.
	NoConfirmation bool   `json:"noConfirmation"`
	Device         string `json:"device,omitempty"` // that added it
	Mine           bool   `json:"mine,omitempty"`   // this device did
	Masked         bool   `json:"masked"`
}

// A Recipe is a harness and the options that it may be started with.
type Recipe struct {
	Harness   string         `json:"harness"`
	Installed bool           `json:"installed"` // where the node looks for programs
	Options   []RecipeOption `json:"options"`
}

// A RecipeOption is one option, with its flags to be read.
type RecipeOption struct {
	Name           string `json:"name"`
	Flags          string `json:"flags"`
	NoConfirmation bool   `json:"noConfirmation"`
}

// PhoneMay is what the operator lets a phone do.
type PhoneMay struct {
	Adds     bool `json:"adds"`
	FreeText bool `json:"freeText"`
	Run      bool `json:"run"`
}

// A RecentLine is a one-off line that was run.
type RecentLine struct {
	Line   string `json:"line" mask:"sent"`
	Masked bool   `json:"masked"`
}

// Launch starts a row. Folder is one below the home folder, in which it is
// started instead of in its own.
type Launch struct {
	ID        string  `json:"id,omitempty"`
	Folder    *string `json:"folder,omitempty"`
	Confirmed bool    `json:"confirmed,omitempty"` // this device has confirmed the row
	// Row is a row that a phone added, from the lead that keeps it. No phone sends
	// one.
	Row *AddedRow `json:"row,omitempty"`
}

// An AddedRow is a row that a phone adds.
type AddedRow struct {
	Name    string   `json:"name"`
	Harness string   `json:"harness,omitempty"`
	Options []string `json:"options,omitempty"`
	Command string   `json:"command,omitempty"`
	Folder  string   `json:"folder,omitempty"` // below the home folder
}

// Run is a one-off line for a new shell.
type Run struct {
	Line   string  `json:"line"`
	Folder *string `json:"folder,omitempty"`
}

// Launched names the pane that was opened.
type Launched struct {
	ID string `json:"id"`
	// Submitted says of a one-off line that it was sent. The pane is there also
	// when it was not.
	Submitted bool `json:"submitted"`
	// Reason is the code of why it was not, or of that nobody knows whether it was.
	Reason string `json:"reason,omitempty"`
}

func (h *Handlers) launchRoutes() []Route {
	return []Route{
		{http.MethodGet, "/launchers", h.launchers},
		{http.MethodPost, "/launch", h.launch},
		{http.MethodPost, "/run", h.run},
	}
}

func (h *Handlers) launchers(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	read(h, w, r, func(ctx context.Context, m Machine) (Launchers, error) { return m.Launchers(ctx) })
}

func (h *Handlers) launch(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	write(h, w, r, func(ctx context.Context, m Machine, body Launch) (Launched, error) {
		if body.Row != nil && !h.Link {
			return Launched{}, ErrBadRequest.With("a phone names a launcher by its id")
		}
		return m.Launch(ctx, body)
	})
}

func (h *Handlers) run(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	write(h, w, r, func(ctx context.Context, m Machine, body Run) (Launched, error) { return m.Run(ctx, body) })
}

// Launchers asks for what that machine can start.
func (c *Client) Launchers(ctx context.Context) (Launchers, error) {
	all, err := get[Launchers](ctx, c, "/launchers", nil, 50*MaxLaunchers)
	if err == nil && (len(all.Rows) > MaxLaunchers || len(all.Recipes) > maxRecipes || len(all.Recent) > MaxRecent) {
		return Launchers{}, ErrHostAnswer
	}
	return all, err
}

// Launch has that machine start a row.
func (c *Client) Launch(ctx context.Context, launch Launch) (Launched, error) {
	return post[Launched](ctx, c, "/launch", launch)
}

// Run has that machine run a one-off line.
func (c *Client) Run(ctx context.Context, run Run) (Launched, error) {
	return post[Launched](ctx, c, "/run", run)
}
