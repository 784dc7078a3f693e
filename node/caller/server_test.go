package caller

import (
	"errors"
	"strings"
	"testing"

	"collie/node/trust"
)

func TestWhoIsInsideAPaneOfTmux(t *testing.T) {
	t.Parallel()
	kept := func(change func(*Holder)) Holder {
		h := Holder{Pane: "%0", ServerPID: 70, ProgramPID: 71, InFront: true}
		change(&h)
		return h
	}
	seen := kept(func(*Holder) {})
	const plain = `
1 init
  50 collie up
  70 tmux
    71 bash [tty]
      72 make [tty]
        73 collie pair [tty]
`
	const left = `
1 init
  50 collie up
  70 tmux
    71 bash [tty]
  73 collie pair [tty]
`
	for _, c := range []struct {
		name    string
		tree    string
		holder  Holder
		environ string // of process 73
		level   trust.Level
		pane    string
		why     string
	}{
		{"a person has it in front", plain, seen, "", trust.Operator, "%0", "a person has in front of them"},
		{"the operator opened it", plain, kept(func(h *Holder) { h.InFront, h.OpenedByOperator = false, true }), "", trust.Operator, "%0", "the operator opened"},
		{"nobody looks", plain, kept(func(h *Holder) { h.InFront = false }), "", trust.Participant, "%0", "neither opened nor has in front"},
		{"it is an agent's", plain, kept(func(h *Holder) { h.Harness = "agent" }), "", trust.Participant, "%0", "shares its pane with an agent"},
		{"an agent is on the chain", strings.Replace(plain, "make", "claude", 1), seen, "", trust.Participant, "%0", "agent on its chain"},
		{"an agent runs beside it", plain + "      74 claude [tty]\n", seen, "", trust.Participant, "%0", "shares its pane with an agent"},
		{"it left, and its environment tells", left, seen, "TMUX=/tmp/a,b/s,70,0 TMUX_PANE=%0", trust.Participant, "%0", "has left it"},
		{"it left a pane that is gone", left, seen, "TMUX=/tmp/s,70,0 TMUX_PANE=%9", trust.Participant, "", "has left it"},
		{"another server's environment", left, seen, "TMUX=/tmp/s,71,0 TMUX_PANE=%0", trust.Operator, "", "has a terminal"},
		{"no server's environment", left, seen, "TMUX=x", trust.Operator, "", "has a terminal"},
		{"a number given out again", strings.Replace(plain, "  70 tmux\n    71", "  69 other\n    71", 1), seen, "", trust.Operator, "", "has a terminal"},
		{"the program has ended", plain, kept(func(h *Holder) { h.ProgramPID = 0 }), "TMUX=/tmp/s,70,0 TMUX_PANE=%0", trust.Participant, "%0", "has left it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := resolver(parseTree(t, c.tree), c.holder)
			r.Environ = func(pid int) (func(string) string, error) {
				if pid != 73 {
					return nil, errors.New("not to be read")
				}
				return func(name string) string {
					for _, entry := range strings.Fields(c.environ) {
						if value, ok := strings.CutPrefix(entry, name+"="); ok {
							return value
						}
					}
					return ""
				}, nil
			}
			got, err := r.Resolve(Credentials{PID: 73, StartTime: 73})
			if err != nil || got.Level != c.level || got.Pane != c.pane || !strings.Contains(got.Why, c.why) {
				t.Errorf("placed as %+v, %v", got, err)
			}
		})
	}
}
