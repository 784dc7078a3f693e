package pane_test

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"collie/node/grid"
	"collie/node/pane"
	"collie/node/pane/holder"
	"collie/node/state"
)

func TestKilledNodeFindsEveryPaneAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	killed, run := node(t, dir)
	commands := []string{
		`trap 'echo hangup' HUP; echo first; cat`,
		`printf '\033]2;second title\007second\n'; read x; exit 3`,
		`i=0; while :; do i=$((i+1)); echo count $i; sleep 0.01; done`,
	}
	var ids []pane.ID
	for _, command := range commands {
		ids = append(ids, run(command))
	}
	must(t, killed.Process.Signal(syscall.SIGKILL))
	_ = killed.Wait()

	folder, err := state.Open(dir, slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(func() { must(t, folder.Close()) })
	b := openIn(t, folder)
	list := b.List()
	if len(list) != len(ids) {
		t.Fatalf("%d panes after the kill, want %d", len(list), len(ids))
	}
	for i, info := range list {
		if info.ID != ids[i] || info.Label != "label "+commands[i] || info.Harness != "agent" ||
			info.Status != pane.Unknown || !info.OpenedByOperator || info.Command[2] != commands[i] || info.Exited != nil {
			t.Errorf("pane %d is %+v", i, info)
		}
	}
	screen := await(t, b, ids[0], shows("first"))
	if strings.Contains(text(screen), "hangup") {
		t.Error("the program noticed that the node was killed")
	}
	must(t, b.Input(t.Context(), ids[0], []byte("again\r")))
	await(t, b, ids[0], shows("again\nagain"))
	awaitInfo(t, b, ids[1], func(i pane.Info) bool { return i.Title == "second title" })
	await(t, b, ids[2], shows("count "))
}

func TestPaneThatEndedWhileNoNodeWasThereIsDone(t *testing.T) {
	t.Parallel()
	folder := newFolder(t)
	first := openIn(t, folder)
	info := start(t, first, "sh", "-c", "echo words; read x; exit 5")
	await(t, first, info.ID, shows("words"))
	must(t, first.Input(t.Context(), info.ID, []byte("\r")))
	must(t, first.Detach())
	eventually(t, "the program ends", func() bool { return !alive(info.PID) })

	second := openIn(t, folder)
	again := awaitInfo(t, second, info.ID, func(i pane.Info) bool { return i.Exited != nil })
	if *again.Exited != 5 || again.Status != pane.Done {
		t.Errorf("exit code %d, status %s, want 5 and done", *again.Exited, again.Status)
	}
	await(t, second, info.ID, shows("words"))
}

func TestHolderIsNobodysChildAndLeavesNoZombie(t *testing.T) {
	t.Parallel()
	b := open(t)
	info := start(t, b, "cat")
	stat, err := os.ReadFile(filepath.Join("/proc", itoa(info.HolderPID), "stat"))
	must(t, err)
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if fields[1] == itoa(os.Getpid()) {
		t.Error("the holder is the node's child")
	}
	if fields[3] != itoa(info.HolderPID) {
		t.Errorf("the holder's session is %s, want its own", fields[3])
	}
	if info.HolderStart == 0 {
		t.Error("the holder's start is not known")
	}
	command, err := os.ReadFile(filepath.Join("/proc", itoa(info.HolderPID), "cmdline"))
	must(t, err)
	if want := "/proc/self/exe\x00_hold\x00"; string(command) != want {
		t.Errorf("the holder's arguments are %q, want %q", command, want)
	}
}

func TestSocketOfADeadHolderIsCleaned(t *testing.T) {
	t.Parallel()
	folder := newFolder(t)
	b := openIn(t, folder)
	info := start(t, b, "cat")
	kept := start(t, b, "cat")
	changed, stop := b.Changes()
	defer stop()
	must(t, syscall.Kill(info.HolderPID, syscall.SIGKILL))
	for len(b.List()) == 2 {
		select {
		case <-changed:
		case <-time.After(patience):
			t.Fatal("the pane of a dead holder stays")
		}
	}
	eventually(t, "the program ends with its terminal", func() bool { return !alive(info.PID) })
	must(t, b.Detach())

	// Once more while no node looks.
	must(t, syscall.Kill(kept.HolderPID, syscall.SIGKILL))
	eventually(t, "the holder ends", func() bool { return !alive(kept.HolderPID) })
	if list := openIn(t, folder).List(); len(list) != 0 {
		t.Errorf("%d panes of dead holders", len(list))
	}
	// The kernel closes a killed process's socket a little after its end shows.
	eventually(t, "the stale socket is removed", func() bool { return len(filesOf(t, folder)) == 0 })
}

func TestForeignFilesAreReportedAndLeftAlone(t *testing.T) {
	t.Parallel()
	folder := newFolder(t)
	for _, name := range []string{"half.sock", ".hidden.sock", "notes.txt"} {
		must(t, os.WriteFile(folder.Path("panes", name), []byte(`{"id":`), 0o600))
	}
	var log bytes.Buffer
	b, err := pane.OpenBuiltin(t.Context(), configOf(folder, slog.New(slog.NewTextHandler(&log, nil))))
	must(t, err)
	must(t, b.Detach())
	for _, name := range []string{"half.sock", ".hidden.sock", "notes.txt"} {
		if !strings.Contains(log.String(), "file="+name) {
			t.Errorf("the log does not name %s:\n%s", name, &log)
		}
		if text, err := os.ReadFile(folder.Path("panes", name)); err != nil || string(text) != `{"id":` {
			t.Errorf("%s now holds %q, %v", name, text, err)
		}
	}
}

func TestOrphanStaysBelowTheHolderUntilItEnds(t *testing.T) {
	t.Parallel()
	b := open(t)
	pidFile := filepath.Join(t.TempDir(), "pid")
	info := start(t, b, "sh", "-c", "setsid sh -c 'echo $$ > "+pidFile+".new; mv "+pidFile+".new "+pidFile+"; exec sleep 1000' & echo started; read x")
	await(t, b, info.ID, shows("started"))
	var orphan string
	eventually(t, "the orphan writes its pid", func() bool {
		text, _ := os.ReadFile(pidFile)
		orphan = strings.TrimSpace(string(text))
		return orphan != ""
	})
	must(t, b.Close(t.Context(), info.ID))
	got := awaitInfo(t, b, info.ID, func(i pane.Info) bool { return i.Status == pane.Done })
	stat, err := os.ReadFile(filepath.Join("/proc", orphan, "stat"))
	must(t, err)
	if parent := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))[1]; parent != itoa(got.HolderPID) {
		t.Errorf("the orphan's parent is %s, want the holder %d", parent, got.HolderPID)
	}
	must(t, b.Close(t.Context(), info.ID))
	if _, err := os.Stat(filepath.Join("/proc", orphan)); err == nil {
		t.Error("the second Close left the orphan")
	}
	if len(b.List()) != 0 {
		t.Error("the pane is still listed")
	}
}

func TestProgramThatIgnoresTheHangupIsKilled(t *testing.T) {
	t.Parallel()
	b := open(t)
	info := start(t, b, "sh", "-c", "trap '' HUP TERM; echo ready; while :; do sleep 1; done")
	await(t, b, info.ID, shows("ready"))
	must(t, b.Close(t.Context(), info.ID))
	if alive(info.PID) {
		t.Error("the program still runs")
	}
}

func TestManyPanesLeaveNothing(t *testing.T) {
	t.Parallel()
	folder := newFolder(t)
	b := openIn(t, folder)
	infos := make([]pane.Info, 12)
	var opening errgroup.Group
	for i := range infos {
		opening.Go(func() (err error) {
			infos[i], err = b.New(t.Context(), pane.Spec{Command: []string{"sh", "-c", "sleep 1000 & cat"}, Cwd: "/"})
			return err
		})
	}
	must(t, opening.Wait())
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(infos), func(i, j int) { infos[i], infos[j] = infos[j], infos[i] })
	var closing sync.WaitGroup
	for i, info := range infos {
		closing.Go(func() {
			var err error
			switch i % 3 {
			case 0:
				err = b.Close(t.Context(), info.ID)
			case 1:
				err = syscall.Kill(info.HolderPID, syscall.SIGKILL)
			case 2:
				err = syscall.Kill(info.HolderPID, syscall.SIGTERM)
			}
			if err != nil {
				t.Errorf("pane %d: %v", i, err)
			}
		})
	}
	closing.Wait()
	eventually(t, "every pane, process and socket is gone", func() bool {
		for _, info := range infos {
			if alive(info.HolderPID) || alive(info.PID) {
				return false
			}
		}
		return len(b.List()) == 0 && len(filesOf(t, folder)) == 0
	})
}

func TestDetachLetsGoOfWatchers(t *testing.T) {
	t.Parallel()
	folder := newFolder(t)
	b := openIn(t, folder)
	info := start(t, b, "cat")
	watching, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		var once sync.Once
		ended <- b.Watch(t.Context(), info.ID, func(grid.Frame) error {
			once.Do(func() { close(watching) })
			return nil
		})
	}()
	<-watching
	must(t, b.Detach())
	if err := <-ended; err == nil {
		t.Error("Watch ended without an error")
	}
	if len(openIn(t, folder).List()) != 1 {
		t.Error("the pane did not live on")
	}
}

// filesOf returns what the panes keep in their folder: sockets, and where a crash
// would leave its trace.
func filesOf(t *testing.T, folder *state.Folder) []string {
	t.Helper()
	entries, err := os.ReadDir(folder.Path("panes"))
	must(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// sockets returns those of filesOf on which a holder can be reached.
func sockets(t *testing.T, folder *state.Folder) []string {
	t.Helper()
	return slices.DeleteFunc(filesOf(t, folder), func(name string) bool { return strings.HasSuffix(name, holder.CrashSuffix) })
}
