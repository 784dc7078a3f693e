package caller

import (
	"testing"

	"collie/node/trust"
)

// resolver places callers in a drawn tree. The node is process 50; claude is
// the harness that it recognises.
func resolver(processes Processes, holders ...Holder) *Resolver {
	r := NewResolver(panes(holders))
	r.Processes, r.Node = processes, 50
	r.IsHarness = func(p Process) bool { return p.Name == "claude" }
	return r
}

// shell is a pane that the operator opened, with its holder 100 and its
// program 101.
var shell = Holder{Pane: "p1", PID: 100, StartTime: 100, ProgramPID: 101, Harness: "shell", OpenedByOperator: true}

func with(change func(*Holder)) Holder {
	h := shell
	change(&h)
	return h
}

func TestWhoIsInsideAPane(t *testing.T) {
	t.Parallel()
	const plain = `
1 init
  40 systemd --user
    50 collie up
    100 collie _hold
      101 bash [tty]
        102 make
          103 collie pair [tty]
`
	for _, c := range []struct {
		name   string
		tree   string
		holder Holder
		level  trust.Level
		why    string
	}{
		{"through the pane's own program", plain, shell, trust.Operator, "descends from the shell of a pane that the operator opened"},
		{"no harness was ever declared", plain, with(func(h *Holder) { h.Harness = "" }), trust.Operator, "descends from the shell of a pane that the operator opened"},
		{"a harness runs in the pane", plain, with(func(h *Holder) { h.Harness = "agent" }), trust.Participant, "shares its pane with an agent"},
		{"an agent opened the pane", plain, with(func(h *Holder) { h.OpenedByOperator = false }), trust.Participant, "is in a pane that the operator did not open"},
		{"the program has ended", plain, with(func(h *Holder) { h.ProgramPID = 0 }), trust.Participant, "does not descend from its pane's own first program"},
		{"the program is the caller", `
1 init
  50 collie up
  100 collie _hold
    101 bash
      102 cat
    103 other
`, with(func(h *Holder) { h.ProgramPID = 103 }), trust.Operator, "descends from the shell of a pane that the operator opened"},
		{"double-forked to the holder, with a terminal", `
1 init
  50 collie up
  100 collie _hold
    101 bash
    103 collie pair [tty]
`, shell, trust.Participant, "does not descend from its pane's own first program"},
		{"double-forked to the holder, under sshd's name", `
1 init
  100 collie _hold
    102 sshd [root]
      103 collie pair
`, shell, trust.Participant, "does not descend from its pane's own first program"},
		{"started by an agent in the shell", `
1 init
  100 collie _hold
    101 bash
      102 claude
        103 collie pair
`, shell, trust.Participant, "has an agent on its chain of processes"},
		{"an agent runs beside it", `
1 init
  100 collie _hold
    101 bash
      102 make
        104 claude
      103 collie pair
`, shell, trust.Participant, "shares its pane with an agent"},
		{"an agent left its shell and stayed in the pane", `
1 init
  100 collie _hold
    101 bash
      103 collie pair
    105 claude
`, shell, trust.Participant, "shares its pane with an agent"},
		{"an agent runs in another pane", `
1 init
  90 collie _hold
    91 claude
  100 collie _hold
    101 bash
      103 collie pair
`, shell, trust.Operator, "descends from the shell of a pane that the operator opened"},
		{"the pane's node was started by an agent", `
1 init
  30 claude
    50 collie up
      100 collie _hold
        101 bash
          103 collie pair
`, shell, trust.Participant, "has an agent on its chain of processes"},
		{"in a pane of another node inside this pane", `
1 init
  100 collie _hold
    101 bash
      102 collie _hold
        103 collie pair
`, shell, trust.Participant, "is below a second holder inside its pane"},
		{"an agent started the holder in its own pane", `
1 init
  50 collie up
  90 collie _hold
    100 collie _hold
      101 bash
        103 collie pair
`, shell, trust.Participant, "is in a pane that was started from inside another one"},
		{"what the node starts a holder with has not ended yet", `
1 init
  50 collie up
    90 collie _hold
      100 collie _hold
        101 bash
          103 collie pair
`, shell, trust.Operator, "descends from the shell of a pane that the operator opened"},
		{"the node and its holder are in a pane of another node", `
1 init
  90 collie _hold
    91 bash
      50 collie up
    100 collie _hold
      101 bash
        103 collie pair
`, shell, trust.Operator, "descends from the shell of a pane that the operator opened"},
		{"a later process with the program's number", `
1 init
  100 collie _hold
    101 fork-loop [@1700]
      103 collie pair [@1701]
`, shell, trust.Participant, "does not descend from its pane's own first program"},
		{"a program older than its holder", `
1 init
  100 collie _hold
    101 odd [@99]
      103 collie pair
`, shell, trust.Participant, "does not descend from its pane's own first program"},
		{"the holder itself", `
1 init
  103 collie _hold
`, with(func(h *Holder) { h.PID, h.StartTime = 103, 103 }), trust.Participant, "does not descend from its pane's own first program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			processes := parseTree(t, c.tree)
			got, err := resolver(processes, Holder{Pane: "p0", PID: 7, StartTime: 7}, c.holder).Resolve(t.Context(), Credentials{PID: 103, StartTime: processes[103].StartTime})
			if err != nil || got != (Caller{c.level, "p1", c.why}) {
				t.Errorf("placed %+v, %v", got, err)
			}
		})
	}
}

func TestWhoIsOutsideOfPanes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		tree  string
		level trust.Level
		why   string
	}{
		{"a terminal", `
1 init
  50 collie up
  90 bash
    103 collie pair [tty]
`, trust.Operator, "has a terminal"},
		{"the terminal of another process", `
1 init
  50 collie up
  90 bash [tty]
    103 collie pair
`, trust.Participant, "has no terminal and cannot be told apart from an agent that left its pane"},
		{"sshd of root", `
1 init
  50 collie up
  80 sshd [root]
    81 sshd [root]
      82 sshd
        103 collie crew join
`, trust.Operator, "came in through sshd"},
		{"sshd-session of root", `
1 init
  80 sshd-session [root]
    103 collie crew join
`, trust.Operator, "came in through sshd"},
		{"sshd of the user", `
1 init
  80 sshd
    103 collie crew join
`, trust.Participant, "has no terminal and cannot be told apart from an agent that left its pane"},
		{"another program of root", `
1 init
  80 cron [root]
    103 collie crew join
`, trust.Participant, "has no terminal and cannot be told apart from an agent that left its pane"},
		{"from outside the PID namespace", `
1 entrypoint
  50 collie up
90 sh
  103 collie crew invite
`, trust.Operator, "was started from outside this container"},
		{"a helper that the kernel started", `
1 init
  50 collie up
2 kthreadd [kernel]
  90 kworker [kernel]
    103 handler
`, trust.Participant, "has no terminal and cannot be told apart from an agent that left its pane"},
		{"below init", `
1 init
  50 collie up
  103 collie pair
`, trust.Participant, "has no terminal and cannot be told apart from an agent that left its pane"},
		{"below the same user manager", `
1 init
  40 systemd --user
    50 collie up
    103 collie pair
`, trust.Participant, "has no terminal and cannot be told apart from an agent that left its pane"},
		{"in the same script", `
1 init
  40 systemd --user
    45 bash ci.sh
      50 collie up
      90 make
        103 collie crew invite
`, trust.Operator, "was started by what also started this node"},
		{"by what started the node", `
1 init
  103 supervise
    50 collie up
`, trust.Operator, "was started by what also started this node"},
		{"below the node", `
1 init
  45 bash ci.sh
    50 collie up
      103 git [tty]
`, trust.Participant, "was started by this node outside of its panes"},
		{"in a pane that is not listed", `
1 init
  45 bash ci.sh
    50 collie up
    99 collie _hold
      101 bash [tty]
        103 collie pair [tty]
`, trust.Participant, "is in a pane that this node does not know"},
		{"an agent in a terminal", `
1 init
  80 sshd [root]
    90 bash [tty]
      91 claude [tty]
        103 collie pair [tty]
`, trust.Participant, "has an agent on its chain of processes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			processes := parseTree(t, c.tree)
			r := resolver(processes, shell, Holder{Pane: "p2", PID: 99, StartTime: 98, OpenedByOperator: true, ProgramPID: 101})
			got, err := r.Resolve(t.Context(), Credentials{PID: 103, StartTime: 103})
			if err != nil || got != (Caller{c.level, "", c.why}) {
				t.Errorf("placed %+v, %v", got, err)
			}
		})
	}
}

func TestNodeMayCallItself(t *testing.T) {
	t.Parallel()
	r := resolver(parseTree(t, `
1 init
  45 bash ci.sh
    50 collie up
`))
	got, err := r.Resolve(t.Context(), Credentials{PID: 50, StartTime: 50})
	if err != nil || got.Level != trust.Operator {
		t.Errorf("placed %+v, %v", got, err)
	}
}

func TestAncestorThatCannotBeSeenMakesNoOperator(t *testing.T) {
	t.Parallel()
	processes := parseTree(t, `
1 init
  50 collie up
  80 sshd [root]
    103 collie pair
`)
	delete(processes, 80)
	got, err := resolver(processes).Resolve(t.Context(), Credentials{PID: 103, StartTime: 103})
	if err != nil || got.Level != trust.Participant {
		t.Errorf("placed %+v, %v", got, err)
	}
}

func TestNodeThatCannotBeReadSharesNoAncestor(t *testing.T) {
	t.Parallel()
	processes := parseTree(t, `
1 init
  45 bash ci.sh
    103 collie crew invite
`)
	got, err := resolver(processes).Resolve(t.Context(), Credentials{PID: 103, StartTime: 103})
	if err != nil || got.Level != trust.Participant {
		t.Errorf("placed %+v, %v", got, err)
	}
}

func TestAncestorIsSharedOnlyWithItsStartTime(t *testing.T) {
	t.Parallel()
	chain := []Process{{PID: 103, StartTime: 103}, {PID: 45, StartTime: 45}}
	node := []Process{{PID: 50, StartTime: 50}, {PID: 45, StartTime: 44}}
	if sharesAncestor(chain, node) {
		t.Error("shared a process that only had the same number")
	}
	node[1].StartTime = 45
	if !sharesAncestor(chain, node) {
		t.Error("did not share the same process")
	}
}
