package caller

import (
	"fmt"
	"strings"
	"testing"
)

func TestTheAgentOfAPaneIsTheOneInFront(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		tree string // the pane's program is 101
		want int    // 0: none
	}{
		{"it is the program", "101 claude [pts1 g101 f101]", 101},
		{"a shell alone", "101 bash [pts1 g101 f101]", 0},
		{"started by hand", `
101 bash [pts1 g101 f102]
  102 claude [pts1 g102 f102]
`, 102},
		{"stopped, with the shell in front", `
101 bash [pts1 g101 f101]
  102 claude [pts1 g102 f101]
    103 bash [g103]
      104 claude [g103]
`, 0},
		{"stopped, with another one in front", `
101 bash [pts1 g101 f105]
  102 claude [pts1 g102 f105]
  105 claude [pts1 g105 f105]
`, 105},
		{"behind another program of its pipe", `
101 bash [pts1 g101 f102]
  102 yes [pts1 g102 f102]
  103 claude [pts1 g102 f102]
`, 103},
		{"the first of its pipe has ended", `
101 bash [pts1 g101 f102]
  103 claude [pts1 g102 f102]
`, 103},
		{"in a shell below the shell", `
101 bash [pts1 g101 f104]
  102 su [pts1 g102 f104]
    103 bash [pts1 g103 f104]
      104 claude [pts1 g104 f104]
`, 104},
		{"on a terminal that script keeps", `
101 bash [pts1 g101 f102]
  102 script [pts1 g102 f102]
    103 sh [pts2 g103 f104]
      104 claude [pts2 g104 f104]
`, 104},
		{"on a terminal that a job in the background keeps", `
101 bash [pts1 g101 f101]
  102 script [pts1 g102 f101]
    103 claude [pts2 g103 f103]
`, 0},
		{"in a session of its own", `
101 bash [pts1 g101 f102]
  102 make [pts1 g102 f102]
    103 claude [g103]
`, 103},
		{"the nearest of two", `
101 bash [pts1 g101 f102]
  102 sh [pts1 g102 f102]
    104 sh [pts1 g102 f102]
      105 claude [pts1 g102 f102]
    106 claude [pts1 g102 f102]
`, 106},
		{"ended, and its parent did not look yet", `
101 bash [pts1 g101 f102]
  102 sh [pts1 g102 f102]
    103 claude [pts1 g102 f102 ended]
`, 0},
		{"in a pane of another node that runs in this one", `
101 bash [pts1 g101 f102]
  102 collie up [pts1 g102 f102]
    103 collie _hold [g103]
      104 claude [pts2 g104 f104]
`, 0},
		{"no terminal", "101 claude", 0},
		{"no process", "1 init", 0},
	} {
		processes := parseTree(t, c.tree)
		r := resolver(processes)
		found, ok := InFront(processes, 101, r.IsHarness)
		if found.PID != c.want || ok != (c.want != 0) {
			t.Errorf("%s: found %d, want %d", c.name, found.PID, c.want)
		}
		if ok && !r.IsHarness(processes[101]) && !r.agentBelow(processes[101]) {
			t.Errorf("%s: the gate for callers does not see it", c.name)
		}
	}
}

func TestALookForTheAgentInFrontHasAnEnd(t *testing.T) {
	t.Parallel()
	text := "101 bash [pts1 g101 f102]\n"
	for pid := 102; pid < 102+2*maxInFront; pid++ {
		text += strings.Repeat("  ", pid-101) + fmt.Sprintf("%d make [pts1 g102 f102]\n", pid)
	}
	processes := parseTree(t, text)
	looked := 0
	if found, ok := InFront(processes, 101, func(Process) bool { looked++; return false }); ok || looked != maxInFront-1 {
		t.Errorf("found %v after %d processes", found, looked)
	}
}

func TestAncestorsAreReadUpToTheFirst(t *testing.T) {
	t.Parallel()
	processes := parseTree(t, `
1 init
  20 sshd
    21 bash
`)
	if !Below(processes, 21, 20) || !Below(processes, 21, 1) || Below(processes, 21, 21) || Below(processes, 20, 21) || Below(processes, 30, 1) {
		t.Error("a process is placed wrongly")
	}
}
