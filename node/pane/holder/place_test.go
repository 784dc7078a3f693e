package holder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"collie/node/grid"
	"collie/node/state"
)

// intrude is a program in a pane that goes straight to the socket of another one:
// to type into it, to look at it, or as the node that holds the folder.
func intrude(dir, id, how string) int {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if how == "node" {
		folder, err := state.Open(filepath.Dir(dir), slog.New(slog.DiscardHandler))
		if err != nil {
			fmt.Println("it does not hold the folder:", err)
		} else {
			defer folder.Close()
		}
	}
	conn, err := Dial(ctx, dir, id)
	if err == nil {
		go func() { _ = conn.Serve(func(State) {}) }()
		err = conn.Input(ctx, []byte("typed by an intruder\n"))
		conn.Close()
	}
	looked := errors.New("it looked")
	watch := Watch(ctx, dir, id, func(grid.Frame) error { return looked })
	fmt.Printf("typing: %v\nlooking: %v\nthat is all\n", err, watch)
	return 0
}

// screenWith returns the screen of a pane once it holds text.
func screenWith(t *testing.T, p testPane, text string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	screen, shown := new(grid.Screen), ""
	found := errors.New("found")
	err := Watch(ctx, p.dir, "p1", func(f grid.Frame) error {
		if _, err := screen.Apply(f); err != nil {
			return err
		}
		shown = ""
		for _, row := range screen.Rows() {
			shown += strings.TrimRight(row.Text(), " ") + "\n"
		}
		if strings.Contains(shown, text) {
			return found
		}
		return nil
	})
	if !errors.Is(err, found) {
		t.Fatalf("%v, and it shows\n%s", err, shown)
	}
	return shown
}

func TestNobodyInAPaneReachesTheHolderOfAnotherOne(t *testing.T) {
	t.Parallel()
	victim := startPane(t, Spec{Command: []string{"cat"}})
	for _, how := range []string{"", "setsid -w ", "env -i "} {
		p := startPane(t, Spec{Command: []string{"sh", "-c", how + os.Args[0] + " intrude " + victim.dir + " p1 plain; sleep 1000"}})
		if shown := screenWith(t, p, "that is all"); !strings.Contains(shown, "typing: greet the holder of pane p1: the holder of a pane answers") ||
			!strings.Contains(shown, "looking: greet the holder of pane p1: the holder of a pane answers") {
			t.Errorf("%s\n%s", how, shown)
		}
	}
	must(t, victim.Input(t.Context(), []byte("typed by the node\n")))
	if shown := screenWith(t, victim, "typed by the node\ntyped by the node"); strings.Contains(shown, "intruder") {
		t.Errorf("the other pane shows\n%s", shown)
	}
}

// A node may be started in a pane, also in one of its own.
func TestANodeInAPaneIsKnownByTheFolderThatItHolds(t *testing.T) {
	t.Parallel()
	victim := startPane(t, Spec{Command: []string{"cat"}})
	p := startPane(t, Spec{Command: []string{"sh", "-c", os.Args[0] + " intrude " + victim.dir + " p1 node; sleep 1000"}})
	if shown := screenWith(t, p, "that is all"); !strings.Contains(shown, "typing: <nil>\nlooking: it looked") {
		t.Errorf("it was refused\n%s", shown)
	}
}

// Whoever has left its pane is told from the node by the same folder.
func TestWhileANodeHoldsTheFolderNobodyElseReachesAHolder(t *testing.T) {
	t.Parallel()
	victim := startPane(t, Spec{Command: []string{"cat"}})
	folder, err := state.Open(filepath.Dir(victim.dir), slog.New(slog.DiscardHandler))
	must(t, err)
	said, err := exec.Command(os.Args[0], "intrude", victim.dir, "p1", "plain").Output()
	if err != nil || !strings.Contains(string(said), "typing: greet the holder of pane p1: the holder of a pane answers") {
		t.Errorf("%s, %v", said, err)
	}
	other, err := Dial(t.Context(), victim.dir, "p1")
	must(t, err) // this process is the node
	other.Close()
	must(t, folder.Close())
}
