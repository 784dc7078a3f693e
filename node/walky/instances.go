package walky

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/statement"
)

// ErrInstances says that instances.json does not hold what it should.
var ErrInstances = errors.New("file of pane tokens is not valid")

const instancesVersion = 1

// An instance is one session of one program in one pane, with the token that
// names the three.
type instance struct {
	Pane    string `json:"pane"`
	Program string `json:"program"`
	Told    string `json:"told,omitempty"` // what the program calls its session
	Token   string `json:"token"`
}

// instances draws a token when a program is first seen in a pane, and again when
// it says that it has another session, keeps it in a file, and forgets it when the
// pane is gone. A token is no secret and proves nothing.
type instances struct {
	path   string
	most   int
	random io.Reader
	log    *slog.Logger

	// mu is held over the look at the panes, so that an older look never
	// overtakes a newer one.
	mu    sync.Mutex
	known map[string]instance // by pane
	owed  bool                // the disk refused what is known; it is tried with each look
}

type instancesFile struct {
	Instances []instance `json:"instances"`
}

// openInstances reads the file. One that cannot be believed is set aside under
// another name, with its bytes, and every pane gets a new token: that is no
// reason for a machine to be without its panes and messages.
func openInstances(path string, most int, random io.Reader, now func() time.Time, log *slog.Logger) (*instances, error) {
	known, err := readInstances(path)
	if err != nil {
		aside, removed, failed := atomicfile.SetAside(path, now())
		if aside == "" {
			return nil, errors.Join(err, failed)
		}
		log.Error("the file of pane tokens is refused and set aside; every pane gets a new address",
			"file", path, "aside", aside, "older files removed", removed, "error", errors.Join(err, failed))
	}
	return &instances{path: path, most: most, random: random, log: log, known: known}, nil
}

func readInstances(path string) (map[string]instance, error) {
	known := map[string]instance{}
	var file instancesFile
	err := atomicfile.ReadJSON(path, instancesVersion, &file)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return known, err
	}
	for _, one := range file.Instances {
		_, twice := known[one.Pane]
		if twice || !statement.ValidPane(one.Pane) || !isToken(one.Token) || len(one.Program) > maxProgram || len(one.Told) > maxProgram {
			return map[string]instance{}, fmt.Errorf("%s: %w: entry of pane %q", path, ErrInstances, clip(one.Pane))
		}
		known[one.Pane] = one
	}
	return known, nil
}

// observe returns the panes as they are now, each with its token. What is new
// is stored; a disk that refuses is logged and stops no look, because a token
// that a restart forgets costs no more than a message to it. Panes above the bound,
// or with an id of another alphabet, have no address and are left out.
func (i *instances) observe(ctx context.Context, terminal Terminal) ([]Session, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	all, err := terminal.Sessions(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot list the panes: %w", err)
	}
	next := make(map[string]instance, len(all))
	sessions := make([]Session, 0, len(all))
	for _, s := range all {
		if _, twice := next[s.Pane]; twice || !statement.ValidPane(s.Pane) || len(next) == i.most {
			continue
		}
		s.Program, s.Told = s.Program[:min(len(s.Program), maxProgram)], s.Told[:min(len(s.Told), maxProgram)]
		one, err := i.instance(s)
		if err != nil {
			return nil, err
		}
		next[s.Pane] = one
		s.Token = one.Token
		sessions = append(sessions, s)
	}
	if i.owed || !maps.Equal(next, i.known) {
		err := i.store(next)
		if err != nil && !i.owed {
			i.log.Error("new addresses of panes will not outlive this run", "error", err)
		}
		i.owed, i.known = err != nil, next
	}
	return sessions, nil
}

// instance returns the known one, or draws a token that the pane did not have.
func (i *instances) instance(s Session) (instance, error) {
	old, ok := i.known[s.Pane]
	if ok && old.Program == s.Program && (old.Told == s.Told || old.Told == "" || s.Told == "") {
		old.Told = cmp.Or(s.Told, old.Told) // a first word is no change
		return old, nil
	}
	for {
		token, err := drawToken(i.random)
		if err != nil || token != old.Token {
			return instance{s.Pane, s.Program, s.Told, token}, err
		}
	}
}

func (i *instances) store(known map[string]instance) error {
	file := instancesFile{slices.SortedFunc(maps.Values(known), func(a, b instance) int {
		return strings.Compare(a.Pane, b.Pane)
	})}
	if err := atomicfile.WriteJSON(i.path, instancesVersion, file); err != nil {
		return fmt.Errorf("cannot keep the tokens of the panes: %w", err)
	}
	return nil
}

// find returns the session in a pane.
func find(sessions []Session, pane string) (Session, bool) {
	for _, s := range sessions {
		if s.Pane == pane {
			return s, true
		}
	}
	return Session{}, false
}

// receives returns why the address cannot receive now, or "".
func receives(sessions []Session, to Address) (reason string) {
	s, ok := find(sessions, to.Pane)
	switch {
	case !ok || s.Token != to.Token:
		return ReasonGone
	case !s.isAgent():
		return ReasonNoSession
	}
	return ""
}
