package node_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"collie/node/api"
	"collie/node/harness/screens"
	"collie/node/pane"
)

// wrapCommand is the first argument with which this test binary becomes wrap.
const wrapCommand = "_wrap"

// wrap runs a program below itself and starts it from a thread that is not its
// first, as programs with several threads do.
func wrap(args []string) int {
	var err error
	elsewhere(func() {
		command := exec.Command(args[0], args[1:]...)
		command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
		err = command.Run()
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func elsewhere(do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if unix.Gettid() == os.Getpid() {
			elsewhere(do)
			return
		}
		do()
	}()
	<-done
}

func TestAnAgentBelowAProgramWithSeveralThreadsIsFound(t *testing.T) {
	t.Parallel()
	n := open(t)
	path, read := recorder(t)
	info, err := n.Panes.New(t.Context(), pane.Spec{
		Command:          []string{linkTo(t, "other"), wrapCommand, linkTo(t, "claude"), screens.PlayCommand, "-record", path, "-screen", screenOf("claude-bash"), "-on", "3="},
		OpenedByOperator: true, Cols: 80, Rows: 30,
	})
	if err != nil {
		t.Fatal(err)
	}
	f := fake{t, n, string(info.ID), read}
	f.until("the agent", func(p api.PaneInfo) bool { return p.Harness == "claude" })
	if err := f.answer(f.card().ID, "3", false); err != nil {
		t.Fatal(err)
	}
	f.got("3")
}
