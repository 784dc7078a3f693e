package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"collie/node/control"
	"collie/node/shell"
)

// A machine is the other end of a session.
type machine struct {
	*session
	kind    kind
	home    string
	program string // path of its collie, if it has one
}

// A kind is what uname says of a machine.
type kind struct{ system, processor string }

func (k kind) String() string { return k.system + "/" + k.processor }

var (
	systems    = map[string]string{"linux": "Linux", "darwin": "Darwin"}
	processors = map[string][]string{
		"amd64": {"x86_64", "amd64"},
		"arm64": {"aarch64", "arm64"},
		"386":   {"i386", "i486", "i586", "i686"},
		"arm":   {"armv6l", "armv7l"},
	}
)

// runs reports whether a program for a system and an architecture, in Go's
// words, runs on that kind of machine.
func (k kind) runs(goos, goarch string) bool {
	return systems[goos] == k.system && slices.Contains(processors[goarch], k.processor)
}

// installed is where a program goes that is not there yet, below home.
const installed = ".local/bin/collie"

// look finds out what kind of machine it is and whether it has collie: the one
// that a shell finds, or one in the usual places.
func (m *machine) look() error {
	got, err := m.do(order{script: `uname -s && uname -m && printf "%s\n" "$HOME" &&
for c in "$(command -v collie)" "$HOME/` + installed + `" "$HOME/go/bin/collie" /usr/local/bin/collie; do
	if [ -x "$c" ]; then printf "%s\n" "$c"; break; fi
done`, within: connectTimeout})
	if err != nil {
		return err
	}
	seen := got.exit == 0 && m.seen(got.output)
	if !seen {
		return &Failure{Reason: ErrAnswer, What: "it is not known what kind of machine it is", Next: "look at what this prints: ssh TARGET uname -a"}
	}
	return nil
}

// seen takes over what look printed: system, processor, home and perhaps the
// program, a line each. It reports false for anything else.
func (m *machine) seen(output string) bool {
	lines := strings.Split(output, "\n")
	if len(lines) < 3 || len(lines) > 4 || !path.IsAbs(lines[2]) {
		return false
	}
	m.kind, m.home = kind{clean(lines[0]), clean(lines[1])}, lines[2]
	if len(lines) == 4 && path.IsAbs(lines[3]) {
		m.program = lines[3]
	}
	return true
}

// collie runs a command of the program there and reads its document.
func (m *machine) collie(document any, within time.Duration, args ...string) error {
	return m.shell(document, within, m.command(args...))
}

// command is a command of the program there, for the shell.
func (m *machine) command(args ...string) string {
	words := []string{shell.Word(m.program), "--json"}
	for _, arg := range args {
		words = append(words, shell.Word(arg))
	}
	return strings.Join(words, " ")
}

func (m *machine) shell(document any, within time.Duration, script string) error {
	got, err := m.do(order{script: script, within: within})
	if err != nil {
		return err
	}
	if got.exit != 0 {
		what, next := said(got.output)
		return &Failure{Reason: ErrRefused, What: what, Next: next, Exit: got.exit}
	}
	if json.Unmarshal([]byte(got.output), document) != nil {
		return &Failure{Reason: ErrAnswer, What: lastLine(got.output)}
	}
	return nil
}

// doesNotRun stands for the version of a program that cannot say it.
const doesNotRun = "(does not run)"

// version returns the version of the program there.
func (m *machine) version() (string, error) {
	var document struct{ Version string }
	err := m.collie(&document, answerTimeout, "version")
	if failed := (*Failure)(nil); errors.As(err, &failed) && failed.Exit != 0 {
		return doesNotRun, nil
	}
	return clean(document.Version), err
}

// exitUnreachable is the exit code of a command that finds no node, or whose
// node does not find the lead.
const exitUnreachable = 5

// status returns what runs there, nil if nothing does.
func (m *machine) status() (*control.Status, error) {
	var status control.Status
	err := m.collie(&status, answerTimeout, "status")
	if failed := (*Failure)(nil); errors.As(err, &failed) && failed.Exit == exitUnreachable {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &status, nil
}

// A Program is the file that is copied.
type Program struct {
	io.ReadCloser
	Size    int64
	Version string
}

// install puts a program where the machine's own is, or where it would be. It
// replaces nothing before the copy has run there.
func (m *machine) install(program Program, progress func(bytes int64)) error {
	if !m.kind.runs(runtime.GOOS, runtime.GOARCH) {
		return &Failure{
			Reason: ErrForeign, What: fmt.Sprintf("it is %s, and this is a program for %s/%s", m.kind, runtime.GOOS, runtime.GOARCH),
			Next: "install collie " + program.Version + " for that machine there, then run this again",
		}
	}
	if m.program == "" {
		m.program = path.Join(m.home, installed)
	}
	folder := path.Dir(m.program)
	beside := path.Join(folder, ".collie-"+m.nonce)
	step := func(o order) error {
		o.within = answerTimeout
		got, err := m.do(o)
		if err == nil && got.exit != 0 {
			what, _ := said(got.output)
			err = &Failure{Reason: ErrCopy, What: what, Next: "look at the folder " + clean(folder) + " there, then run this again"}
		}
		return err
	}
	if err := step(order{script: fmt.Sprintf("mkdir -p %s && mkdir -m 700 %s", shell.Word(folder), shell.Word(beside))}); err != nil {
		return err
	}
	copied, remove := shell.Word(path.Join(beside, "collie")), "rm -rf "+shell.Word(beside)
	arrive := fmt.Sprintf(`head -c %[1]d >%[2]s && { [ "$(wc -c <%[2]s)" -eq %[1]d ] || { echo "it did not arrive whole"; false; }; } || { %[3]s; false; }`,
		program.Size, copied, remove)
	if err := step(order{script: arrive, input: io.LimitReader(program, program.Size), sent: progress}); err != nil {
		return err
	}
	return step(order{script: fmt.Sprintf("chmod 755 %[1]s && %[1]s version >/dev/null && mv -f %[1]s %[2]s; r=$?; %[3]s; [ $r -eq 0 ]",
		copied, shell.Word(m.program), remove)})
}

// start runs the node there so that it outlives the session, and waits until it
// answers. What it says goes to a file in its state folder.
func (m *machine) start() (*control.Status, error) {
	var settings []struct{ Name, Value string }
	if err := m.collie(&settings, answerTimeout, "config"); err != nil {
		return nil, err
	}
	var state string
	for _, setting := range settings {
		if setting.Name == "COLLIE_STATE_DIR" {
			state = setting.Value
		}
	}
	if !path.IsAbs(state) {
		return nil, &Failure{Reason: ErrAnswer, What: "it names no state folder"}
	}
	log := path.Join(state, LogName)
	// Of this connection the node and its panes are to know nothing: what it
	// lends, an agent for one, ends with it.
	got, err := m.do(order{script: fmt.Sprintf(`umask 077; mkdir -p %s && {
	(unset SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_AUTH_SOCK SSH_ORIGINAL_COMMAND; exec setsid %s up) </dev/null >%s 2>&1 &
	echo $!
}`, shell.Word(state), shell.Word(m.program), shell.Word(log)), within: answerTimeout})
	if err != nil {
		return nil, err
	}
	process, err := strconv.ParseUint(got.output, 10, 32)
	if err != nil {
		return nil, &Failure{Reason: ErrStart, What: lastLine(got.output)}
	}
	for deadline := time.Now().Add(startTimeout); ; {
		status, err := m.status()
		if status != nil || err != nil {
			return status, err
		}
		got, err := m.do(order{script: fmt.Sprintf("kill -0 %d 2>/dev/null || { tail -c %d %s; false; }", process, maxErrorOutput, shell.Word(log)), within: answerTimeout})
		if err != nil {
			return nil, err
		}
		if got.exit != 0 || time.Now().After(deadline) {
			what, next := said(got.output)
			if next == "" {
				next = "its log is " + clean(log) + " there; mend it and run this again"
			}
			return nil, &Failure{Reason: ErrStart, What: what, Next: next}
		}
		if err := pause(m.caller); err != nil {
			return nil, err
		}
	}
}

// LogName is the file, in the state folder, of what a node says that was started
// over ssh.
const LogName = "up.log"
