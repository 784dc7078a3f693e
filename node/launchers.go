package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/grid"
	"collie/node/launch"
	"collie/node/pane"
)

// shellRow is what can be started when the operator says nothing.
var shellRow = launch.Row{Name: "Shell"}

// launcherTable reads what the operator allows, as it is now.
func (n *Node) launcherTable() (launch.Table, error) {
	table, err := launch.Load(filepath.Join(n.Config.Dir, launch.TableName))
	if err != nil {
		n.log.Warn("nothing can be started from a phone", "error", err)
		return launch.Table{}, api.ErrLaunchersUnavailable.With(err.Error())
	}
	if len(table.Rows) > 0 {
		return table, nil
	}
	table.Rows = []launch.Row{shellRow}
	for _, h := range launch.Harnesses() {
		if n.installed(h.Program) {
			table.Rows = append(table.Rows, launch.Row{Name: h.Name, Harness: h.Name})
		}
	}
	return table, nil
}

// installed reports whether a program is where the node looks for programs.
func (n *Node) installed(program string) bool {
	for _, dir := range filepath.SplitList(n.path) {
		if filepath.IsAbs(dir) && isProgram(filepath.Join(dir, program)) {
			return true
		}
	}
	return false
}

// Launchers lists what can be started here.
func (l *Local) Launchers(context.Context) (api.Launchers, error) {
	table, err := l.node.launcherTable()
	if err != nil {
		return api.Launchers{}, err
	}
	answer := api.Launchers{Rows: []api.LauncherRow{}, Recipes: []api.Recipe{}, Phone: api.PhoneMay(table.Phone), Recent: []api.RecentLine{}}
	for _, row := range table.Rows {
		answer.Rows = append(answer.Rows, LauncherRow(row))
	}
	for _, h := range launch.Harnesses() {
		recipe := api.Recipe{Harness: h.Name, Installed: l.node.installed(h.Program), Options: []api.RecipeOption{}}
		for _, o := range h.Options {
			recipe.Options = append(recipe.Options, api.RecipeOption{Name: o.Name, Flags: strings.Join(o.Flags, " "), NoConfirmation: o.NoConfirmation})
		}
		answer.Recipes = append(answer.Recipes, recipe)
	}
	for _, line := range l.node.recent.Lines() {
		answer.Recent = append(answer.Recent, api.RecentLine{Line: line})
	}
	return answer, nil
}

// LauncherRow shows a row.
func LauncherRow(row launch.Row) api.LauncherRow {
	shown := api.LauncherRow{
		ID: row.ID(), Name: row.Name, Harness: row.Harness, Options: slices.Clone(row.Options),
		Line: row.Line(), Folder: row.Folder, NoConfirmation: row.NoConfirmation(),
	}
	if shown.Options == nil {
		shown.Options = []string{}
	}
	return shown
}

// Launch opens a pane with what a row starts.
func (l *Local) Launch(ctx context.Context, request api.Launch) (api.Launched, error) {
	if api.Device(ctx) == "" {
		return api.Launched{}, api.ErrNotAllowed.With("only a paired device may do that")
	}
	table, err := l.node.launcherTable()
	if err != nil {
		return api.Launched{}, err
	}
	row, err := wanted(table, request)
	if err != nil {
		return api.Launched{}, err
	}
	if row.NoConfirmation() && !request.Confirmed {
		return api.Launched{}, api.ErrLauncherUnconfirmed
	}
	spec := pane.Spec{Label: row.Name, Harness: row.Harness, OpenedByOperator: true}
	if request.Folder != nil {
		spec.Cwd, err = l.node.below(*request.Folder)
	} else {
		spec.Cwd = l.node.expanded(row.Folder)
	}
	if err != nil {
		return api.Launched{}, err
	}
	if row.Harness != "" || row.Command != "" {
		spec.Command = row.Start(l.node.shell, l.node.installed)
	} else {
		spec.Label = ""
	}
	what := audit.Text(row.Line())
	if !l.node.rules.Keeps(row.Line()) {
		what = audit.What{}
	}
	info, err := l.open(ctx, "pane.launch", what, spec)
	return api.Launched{ID: string(info.ID), Submitted: err == nil}, err
}

// wanted finds the row that is to be started.
func wanted(table launch.Table, request api.Launch) (launch.Row, error) {
	if request.Row == nil {
		i := slices.IndexFunc(table.Rows, func(row launch.Row) bool { return row.ID() == request.ID })
		if i < 0 {
			return launch.Row{}, api.ErrLauncherNotFound
		}
		return table.Rows[i], nil
	}
	row := RowOf(*request.Row)
	if !table.Phone.Adds || row.Command != "" && !table.Phone.FreeText {
		return row, api.ErrLauncherRefused
	}
	if err := row.Check(); err != nil {
		return row, api.ErrLauncherInvalid.With(err.Error())
	}
	return row, nil
}

// RowOf is a row that a phone added. Its folder is below the home folder.
func RowOf(added api.AddedRow) launch.Row {
	row := launch.Row{Name: added.Name, Harness: added.Harness, Options: added.Options, Command: added.Command}
	if added.Folder != "" {
		row.Folder = "~/" + added.Folder
	}
	return row
}

// open opens a pane that was asked for by a phone.
func (l *Local) open(ctx context.Context, action string, what audit.What, spec pane.Spec) (pane.Info, error) {
	entry := audit.Entry{Action: action, Device: api.Device(ctx), Via: Via(ctx), What: what}
	if err := l.node.admit(entry); err != nil {
		return pane.Info{}, err
	}
	info, err := l.node.Panes.New(ctx, spec)
	entry.Pane, entry.What, entry.Outcome = string(info.ID), audit.What{}, "ok"
	if err != nil {
		err = paneError(err)
		entry.Outcome = api.AsError(err).Code
	}
	if auditErr := l.node.Audit.Write(entry); auditErr != nil {
		l.node.log.Error("the outcome of a write could not be audited", "action", action, "pane", info.ID, "error", auditErr)
	}
	return info, err
}

// below is a folder below the home folder that a phone chose, which has to be
// one of those that it is shown.
func (n *Node) below(folder string) (string, error) {
	if _, _, err := n.files.Folders(n.home, folder, "/"); err != nil {
		return "", fileError(err)
	}
	return filepath.Join(n.home, filepath.FromSlash(folder)), nil
}

// expanded is the folder of a row.
func (n *Node) expanded(folder string) string {
	switch rest, inHome := strings.CutPrefix(folder, "~"); {
	case folder == "":
		return n.home
	case inHome:
		return filepath.Join(n.home, rest)
	}
	return folder
}

// Run opens a shell and sends it one line.
func (l *Local) Run(ctx context.Context, run api.Run) (api.Launched, error) {
	if api.Device(ctx) == "" {
		return api.Launched{}, api.ErrNotAllowed.With("only a paired device may do that")
	}
	if err := launch.CheckLine(run.Line); err != nil {
		return api.Launched{}, api.ErrBadRequest.With(err.Error())
	}
	table, err := l.node.launcherTable()
	if err != nil {
		return api.Launched{}, err
	}
	if !table.Phone.Run {
		return api.Launched{}, api.ErrLauncherRefused
	}
	spec := pane.Spec{Cwd: l.node.home, OpenedByOperator: true}
	if run.Folder != nil {
		if spec.Cwd, err = l.node.below(*run.Folder); err != nil {
			return api.Launched{}, err
		}
	}
	keeps := l.node.rules.Keeps(run.Line)
	what := audit.What{}
	if keeps {
		word, _, _ := strings.Cut(run.Line, " ")
		what = audit.Text(fmt.Sprintf("%s (%d characters)", word, utf8.RuneCountInString(run.Line)))
	}
	info, err := l.open(ctx, "pane.run", what, spec)
	if err != nil {
		return api.Launched{}, err
	}
	submitted := l.typeLine(ctx, info.ID, run.Line)
	if submitted && keeps && l.node.Config.On("COLLIE_SENT") {
		if err := errors.Join(l.node.Sent.Add(string(info.ID), run.Line), l.node.recent.Add(run.Line)); err != nil {
			l.node.log.Warn("a one-off line was run, and is not remembered", "pane", info.ID, "error", err)
		}
	}
	return api.Launched{ID: string(info.ID), Submitted: submitted}, nil
}

// typeLine sends a line to a shell that has just begun, once it shows something.
// One that shows nothing for a while takes it as typed ahead.
func (l *Local) typeLine(ctx context.Context, id pane.ID, line string) bool {
	w, done, err := l.node.input.take(ctx, id)
	if err != nil {
		return false
	}
	defer done()
	l.awaitPrompt(ctx, id)
	t := &typing{input: l.node.input, writer: w, id: id, ahead: true}
	replied, err := t.line(ctx, line, true)
	if err != nil {
		l.node.log.Info("a one-off line was not sent", "pane", id, "reason", err)
	}
	return replied.Submitted
}

// awaitPrompt waits until a pane shows something, and not for long.
func (l *Local) awaitPrompt(ctx context.Context, id pane.ID) {
	ctx, cancel := context.WithTimeout(ctx, promptTimeout)
	defer cancel()
	var screen grid.Screen
	_ = l.node.Panes.Watch(ctx, id, func(frame grid.Frame) error { // whatever ends it, the line is typed and looked for
		if _, err := screen.Apply(frame); err != nil {
			return err
		}
		if screen.Head().Cursor.Col > 0 {
			return errors.New("it shows something")
		}
		return nil
	})
}

// valueOf is the value of a variable, empty without one.
func valueOf(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
