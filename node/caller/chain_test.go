package caller

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"collie/node/trust"
)

func TestCallerThatCannotBePlacedIsRefused(t *testing.T) {
	t.Parallel()
	processes := parseTree(t, `
1 init
  50 collie up
  103 collie pair [tty]
  104 collie pair [tty ended]
`)
	for _, c := range []struct {
		name string
		pid  int
		at   uint64
	}{
		{"it is gone", 105, 105},
		{"it is a zombie", 104, 104},
		{"its number is another's now", 103, 102},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got, err := resolver(processes).Resolve(t.Context(), Credentials{PID: c.pid, StartTime: c.at}); !errors.Is(err, ErrEnded) || got != (Caller{}) {
				t.Errorf("placed %+v, %v", got, err)
			}
		})
	}
}

func TestCallerThatEndsWhileItIsReadIsRefused(t *testing.T) {
	t.Parallel()
	before := parseTree(t, `
1 init
  103 collie pair [tty]
`)
	for name, after := range map[string]tree{
		"gone":     parseTree(t, "1 init\n"),
		"a zombie": parseTree(t, "1 init\n  103 collie pair [tty ended]\n"),
		"replaced": parseTree(t, "1 init\n  103 collie pair [tty @200]\n"),
	} {
		got, err := resolver(&changing{trees: []tree{before, after}, after: 2}).Resolve(t.Context(), Credentials{PID: 103, StartTime: 103})
		if !errors.Is(err, ErrEnded) || got != (Caller{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestDeepChainIsRefused(t *testing.T) {
	t.Parallel()
	deep := func(ancestors int) tree {
		var text strings.Builder
		for i := range ancestors + 1 {
			fmt.Fprintf(&text, "%s%d sh [tty]\n", strings.Repeat("  ", i), 1000+i)
		}
		return parseTree(t, text.String())
	}
	caller := Credentials{PID: 1000 + MaxChain, StartTime: 1000 + MaxChain}
	if got, err := resolver(deep(MaxChain)).Resolve(t.Context(), caller); err != nil || got.Level != trust.Operator {
		t.Errorf("%d ancestors: %+v, %v", MaxChain, got, err)
	}
	caller = Credentials{PID: 1001 + MaxChain, StartTime: 1001 + MaxChain}
	if got, err := resolver(deep(MaxChain+1)).Resolve(t.Context(), caller); !errors.Is(err, ErrTooDeep) || got != (Caller{}) {
		t.Errorf("%d ancestors: %+v, %v", MaxChain+1, got, err)
	}
}

func TestChainIsReadAgainWhenAParentEndedMeanwhile(t *testing.T) {
	t.Parallel()
	before := parseTree(t, `
1 init
  50 collie up
  100 collie _hold
    101 bash
      102 sh
        103 collie pair
`)
	after := parseTree(t, `
1 init
  50 collie up
  100 collie _hold
    101 bash
    103 collie pair
`)
	// Five readings walk up; then the chain is read again from the caller on,
	// and the seventh reading is the last that can see the parent alive.
	for readings := 1; readings <= 9; readings++ {
		want := trust.Participant
		if readings >= 7 {
			want = trust.Operator
		}
		got, err := resolver(&changing{trees: []tree{before, after}, after: readings}, shell).Resolve(t.Context(), Credentials{PID: 103, StartTime: 103})
		if err != nil || got.Pane != "p1" || got.Level != want {
			t.Errorf("after %d readings: %+v, %v", readings, got, err)
		}
	}
}

func TestParentsNumberGivenToAnotherIsNoticed(t *testing.T) {
	t.Parallel()
	// 102 ends, and its number goes to a process with sshd above it.
	before := parseTree(t, `
1 init
  102 sh
    103 collie pair
`)
	after := parseTree(t, `
1 init
  80 sshd [root]
    102 bash [@104]
  103 collie pair
`)
	for readings := 1; readings < 6; readings++ {
		got, err := resolver(&changing{trees: []tree{before, after}, after: readings}).Resolve(t.Context(), Credentials{PID: 103, StartTime: 103})
		if err != nil || got.Level != trust.Participant {
			t.Errorf("after %d readings: %+v, %v", readings, got, err)
		}
	}
}

func TestChainThatNeverStandsStillIsRefused(t *testing.T) {
	t.Parallel()
	processes := parseTree(t, `
1 init
  80 sh
  81 sh
  103 collie pair [tty]
`)
	r := resolver(&flapping{tree: processes, pid: 103, other: []int{80, 81}})
	if got, err := r.Resolve(t.Context(), Credentials{PID: 103, StartTime: 103}); !errors.Is(err, ErrUnsettled) || got != (Caller{}) {
		t.Errorf("placed %+v, %v", got, err)
	}
}

type unreadable struct{}

var errUnreadable = errors.New("/proc is not mounted")

func (unreadable) Children(int) []int { return nil }

func (unreadable) Process(int) (Process, error) { return Process{}, errUnreadable }

func TestTreeThatCannotBeReadPlacesNobody(t *testing.T) {
	t.Parallel()
	if got, err := resolver(unreadable{}).Resolve(t.Context(), Credentials{PID: 103, StartTime: 103}); !errors.Is(err, errUnreadable) || got != (Caller{}) {
		t.Errorf("placed %+v, %v", got, err)
	}
}
