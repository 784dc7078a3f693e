package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/launch"
	"collie/node/pane"
	"collie/node/typing"
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
	info, err := l.opens(ctx, "pane.launch", what, func() (pane.Info, error) { return l.node.Panes.New(ctx, spec) })
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

// opening does a write that opens a pane. Two lines in the audit log say so: that
// it is about to be done, and how it ended, with the name of the pane.
func (n *Node) opening(entry audit.Entry, do func() (pane.Info, error)) (pane.Info, error) {
	if err := n.admit(entry); err != nil {
		return pane.Info{}, err
	}
	info, err := do()
	entry.Pane = string(info.ID)
	return info, n.ended(entry, paneError(err))
}

func (l *Local) opens(ctx context.Context, action string, what audit.What, do func() (pane.Info, error)) (pane.Info, error) {
	return l.node.opening(audit.Entry{Action: action, Device: api.Device(ctx), Via: Via(ctx), What: what}, do)
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
	typed := false
	info, err := l.opens(ctx, "pane.run", what, func() (pane.Info, error) {
		info, err := l.node.Panes.New(ctx, spec)
		if err != nil {
			return info, err
		}
		typed = true
		line := l.node.sending(info.ID, run.Line)
		line.once = true
		return info, l.typeLine(ctx, line)
	})
	switch {
	case err == nil:
		return api.Launched{ID: string(info.ID), Submitted: true}, nil
	case typed: // the pane is there, whatever became of the line
		return api.Launched{ID: string(info.ID), Reason: api.AsError(err).Code}, nil
	}
	return api.Launched{}, err
}

// typeLine sends a line to a shell that has just begun, once it shows something.
// One that shows nothing for a while takes it as typed ahead.
func (l *Local) typeLine(ctx context.Context, line *sending) error {
	ctx, cancel := context.WithTimeout(ctx, typing.Budget)
	defer cancel()
	w, done, err := l.node.turns.take(ctx, line.id)
	if err != nil {
		return err
	}
	defer done()
	l.node.typist.AwaitPrompt(ctx, line.id)
	t := l.node.text(w, line.id)
	t.Starting = true
	replied, err := l.node.send(ctx, t, line.text, true)
	w.keep(line, t, replied, err)
	return err
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
