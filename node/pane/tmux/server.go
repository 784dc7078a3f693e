package tmux

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"collie/node/pane/origin"
	"collie/node/trust"
)

// Refusals of the tmux of this machine.
var (
	// ErrMissing: there is none.
	ErrMissing = errors.New("COLLIE_MUX is tmux, and there is no program of that name")
	// ErrVersion: it is too old.
	ErrVersion = errors.New("this tmux is too old")
	// ErrNoServer: it has no server at present.
	ErrNoServer = errors.New("no tmux server runs")
)

// A server is how one tmux server is spoken to.
type server struct {
	program string
	socket  string // its path
	environ []string
	origin  origin.Origin
	version version
}

// A version is that of tmux: 3.3a is {3, 3}. One built from the latest source is
// newer than all.
type version struct{ major, minor int }

func (v version) atLeast(major, minor int) bool {
	return v.major > major || v.major == major && v.minor >= minor
}

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

var versionForm = regexp.MustCompile(`(\d+)\.(\d+)`)

func parseVersion(text string) (version, bool) {
	if strings.Contains(text, "master") {
		return version{major: 1000}, true
	}
	found := versionForm.FindStringSubmatch(text)
	if found == nil {
		return version{}, false
	}
	major, errMajor := strconv.Atoi(found[1])
	minor, errMinor := strconv.Atoi(found[2])
	return version{major, minor}, errMajor == nil && errMinor == nil
}

// newServer looks for tmux. socket is a path, a name as of tmux -L, or empty.
func newServer(ctx context.Context, socket string, environ []string, from origin.Origin) (server, error) {
	program, err := exec.LookPath("tmux")
	if err != nil {
		return server{}, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	said, err := exec.CommandContext(ctx, program, "-V").Output()
	if err != nil {
		return server{}, fmt.Errorf("ask tmux for its version: %w", err)
	}
	text := strings.TrimSpace(string(said[:min(len(said), maxLinger)]))
	v, ok := parseVersion(text)
	switch {
	case !ok:
		return server{}, fmt.Errorf("%w, or no tmux: it calls itself %q", ErrVersion, trust.Clean(text, maxReasonBytes))
	case !v.atLeast(3, 3):
		return server{}, fmt.Errorf("%w: it is %q, and 3.3 is the oldest that works", ErrVersion, trust.Clean(text, maxReasonBytes))
	}
	s := server{program: program, environ: environ, origin: from, version: v}
	s.socket, err = socketPath(socket, environ)
	return s, err
}

// socketPath is where tmux itself would look.
func socketPath(socket string, environ []string) (string, error) {
	if filepath.IsAbs(socket) {
		return socket, nil
	}
	if strings.ContainsRune(socket, '/') {
		return "", fmt.Errorf("the socket of tmux is a name or an absolute path, not %q", socket)
	}
	above := "/tmp"
	for _, entry := range environ {
		if value, found := strings.CutPrefix(entry, "TMUX_TMPDIR="); found && value != "" {
			above = value
		}
	}
	above, err := filepath.EvalSymlinks(above)
	if err != nil {
		return "", fmt.Errorf("look for tmux: %w", err)
	}
	folder := filepath.Join(above, "tmux-"+strconv.Itoa(os.Getuid()))
	// tmux makes it itself; here it is made so that a server's coming can be heard.
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("look for tmux: %w", err)
	}
	return filepath.Join(folder, cmp.Or(socket, "default")), nil
}

// command runs tmux on this server. -u: its text is UTF-8 whatever the locale of
// the node says; a service has none.
func (s server) command(arguments ...string) *exec.Cmd {
	cmd := exec.Command(s.program, append([]string{"-u", "-S", s.socket}, arguments...)...)
	cmd.Env, cmd.Dir = s.environ, "/"
	return cmd
}
