package tmux

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"collie/node/grid"
	"collie/node/trust"
)

// A row is what tmux tells of one pane.
type row struct {
	id, window, session                string
	cols, rows                         int
	pid, serverPID, serverStart, panes int
	dead                               bool
	exited                             *int // once tmux has collected the program
	sized, named                       bool // by this node, and the window by tmux
	tty                                string
	begun                              string // the process that has a line begun, as the option says
	// Free text, in which anything may stand.
	sessionName, windowName, title, label, harness, cwd, sessionPath, start, current, host, command string
}

// tab is the window's name. What tmux itself calls the window of a program that has
// ended is not what ran there.
func (r row) tab() string {
	switch words := r.words(); {
	case !r.dead || !r.named || r.panes > 1:
		return r.windowName
	case r.command != "":
		return filepath.Base(words[0])
	}
	return strings.TrimSuffix(r.windowName, "[dead]")
}

// words is what runs in the pane, as far as that is known.
func (r row) words() []string {
	var words []string
	if json.Unmarshal([]byte(r.command), &words) == nil && len(words) > 0 {
		return words
	}
	return []string{cmp.Or(r.start, r.current)}
}

// A person is a client that is not a node's: a terminal, or a program such as
// iTerm2 that speaks for one (tmux -CC).
type person struct{ session, window string }

var errList = errors.New("tmux's list of panes cannot be read")

// plain and free are the fields of rowFormat, in the order of row's reading. Free
// text comes with its length before it, since anything may stand in it.
var (
	plain = []string{
		"pane_id", "window_id", "session_id", "pane_width", "pane_height", "pane_pid", "pid", "start_time", "window_panes",
		"pane_dead", "pane_dead_status", "@collie_sized", "pane_tty", "pane_dead_signal", "automatic-rename", "@collie_begun",
	}
	free = []string{
		"session_name", "window_name", "pane_title", "@collie_label", "@collie_harness", "pane_current_path", "session_path",
		"pane_start_command", "pane_current_command", "host", "@collie_command",
	}
	bounds    = []int{nameBytes, nameBytes, grid.MaxTitleBytes, 128, 32, 4096, 4096, 1024, 128, 256, 4096} // of them, in bytes
	rowFormat = func() string {
		var f strings.Builder
		for _, name := range plain {
			f.WriteString("#{" + name + "}|")
		}
		for _, name := range free {
			f.WriteString("#{n:" + name + "}:#{" + name + "}|")
		}
		return f.String()
	}()
	listPanes   = "list-panes -a -F " + quote(rowFormat)
	listClients = `list-clients -F "#{client_flags}|#{session_id}|#{window_id}"`
	// watchedFormat is what tmux looks at by itself, at most once a second, and
	// tells when it differs.
	watchedFormat = `#{pane_dead}|#{pane_dead_status}|#{pane_dead_signal}|#{pane_pid}|#{pane_width}|#{pane_height}|#{pane_title}|#{pane_current_command}|#{pane_current_path}|#{@collie_label}|#{window_active}|#{pane_active}`
	subscribe     = "refresh-client -B " + quote("collie:%*:"+watchedFormat)
)

// readRows parses the reply to listPanes.
func readRows(text string) ([]row, error) {
	var rows []row
	for text != "" {
		var r row
		values := make([]string, len(plain))
		for i := range plain {
			value, rest, found := strings.Cut(text, "|")
			if !found {
				return nil, fmt.Errorf("%w: it is cut short", errList)
			}
			values[i], text = value, rest
		}
		texts := make([]string, len(free))
		for i := range free {
			length, rest, found := strings.Cut(text, ":")
			n, err := strconv.Atoi(length)
			if !found || err != nil || n < 0 || n >= len(rest) || rest[n] != '|' {
				return nil, fmt.Errorf("%w: a text has no length", errList)
			}
			texts[i], text = rest[:n], rest[n+1:]
		}
		if text != "" {
			if text[0] != '\n' {
				return nil, fmt.Errorf("%w: a line does not end", errList)
			}
			text = text[1:]
		}
		if err := r.take(values, texts); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	// The oldest session first: another name does not move it.
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(len(a.session), len(b.session)), strings.Compare(a.session, b.session))
	})
	return rows, nil
}

func (r *row) take(plain, free []string) error {
	r.id, r.window, r.session = plain[0], plain[1], plain[2]
	if !isID(r.id, '%') || !isID(r.window, '@') || !isID(r.session, '$') {
		return fmt.Errorf("%w: an id is none", errList)
	}
	for i, into := range []*int{&r.cols, &r.rows, &r.pid, &r.serverPID, &r.serverStart, &r.panes} {
		n, err := strconv.Atoi(plain[3+i])
		if err != nil || n < 0 {
			return fmt.Errorf("%w: a number is none", errList)
		}
		*into = n
	}
	r.cols, r.rows = min(max(r.cols, 1), grid.MaxCols), min(max(r.rows, 1), grid.MaxRows)
	r.dead, r.exited = plain[9] == "1", exitCode(plain[10], plain[13])
	r.sized, r.tty, r.named, r.begun = plain[11] == "1", plain[12], plain[14] == "1", plain[15]
	for i, into := range []*string{
		&r.sessionName, &r.windowName, &r.title, &r.label, &r.harness, &r.cwd, &r.sessionPath, &r.start, &r.current, &r.host, &r.command,
	} {
		*into = trust.Clean(free[i], bounds[i])
	}
	return nil
}

// exitCode is what a shell would say of the end of a program.
func exitCode(status, signal string) *int {
	code, err := strconv.Atoi(status)
	if err != nil {
		if code, err = strconv.Atoi(signal); err != nil {
			return nil
		}
		code += 128
	}
	return &code
}

// readPersons parses the reply to listClients. The clients of this node, and of
// another one on the same server, are control clients that have no say in sizes.
func readPersons(text string) []person {
	var all []person
	for l := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSuffix(l, "\n"), "|")
		if len(fields) != 3 {
			continue
		}
		flags := strings.Split(fields[0], ",")
		if slices.Contains(flags, "control-mode") && slices.Contains(flags, "ignore-size") {
			continue
		}
		all = append(all, person{fields[1], fields[2]})
	}
	return all
}
