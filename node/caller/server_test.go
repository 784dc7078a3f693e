package caller

import (
	"errors"
	"strings"
	"testing"

	"collie/node/trust"
)

func TestNobodyIsTheOperatorInAPaneOfTmux(t *testing.T) {
	t.Parallel()
	kept := Holder{Pane: "%0", ServerPID: 70, ProgramPID: 71, Harness: "shell", OpenedByOperator: true}
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
	const older = `
1 init
  50 collie up
  65 sh
    73 collie pair [tty]
  70 tmux
    71 bash [tty]
`
	ended := kept
	ended.ProgramPID = 0
	atNull := kept // a terminal of which the number is known: 1:3, which is 259
	atNull.Terminal = "/dev/null"
	endedAtNull := atNull
	endedAtNull.ProgramPID = 0
	for _, c := range []struct {
		name    string
		tree    string
		holder  Holder
		environ string // of process 73
		level   trust.Level
		pane    string
		why     string
	}{
		{"through its first program", plain, kept, "", trust.Participant, "%0", "in a pane of tmux, where any program may type"},
		{"also where the node was started there", strings.Replace(plain, "        73 collie pair", "        50 collie up\n        73 collie pair", 1), kept, "", trust.Participant, "%0", "in a pane of tmux"},
		{"in a pane that is not listed yet", strings.Replace(plain, "71 bash", "76 bash", 1), kept, "", trust.Participant, "", "started by tmux"},
		{"it left, and its environment tells", left, kept, "TMUX=/tmp/a,b/s,70,0 TMUX_PANE=%0", trust.Participant, "", "has left it"},
		{"it left a pane that is gone", left, kept, "TMUX=/tmp/s,70,0 TMUX_PANE=%9", trust.Participant, "", "has left it"},
		{"another server's environment", older, kept, "TMUX=/tmp/s,71,0 TMUX_PANE=%0", trust.Operator, "", "has a terminal"},
		{"no server's environment", older, kept, "TMUX=x", trust.Operator, "", "has a terminal"},
		{"a terminal that is newer than the server", left, kept, "", trust.Participant, "", "may be of a pane which nothing holds"},
		{"a number given out again", strings.Replace(plain, "  70 tmux\n    71", "  69 other\n    71", 1), kept, "", trust.Operator, "", "has a terminal"},
		{"it left with the terminal", strings.Replace(left, "pair [tty]", "pair [tty p259]", 1), atNull, "", trust.Participant, "%0", "has the terminal"},
		{"the terminal of an ended program is another one's", strings.Replace(left, "pair [tty]", "pair [tty p259]", 1), endedAtNull, "", trust.Participant, "", "may be of a pane which nothing holds"},
		{"the terminal that its pane has not any more", strings.Replace(strings.Replace(plain, "71 bash", "76 bash", 1), "pair [tty]", "pair [tty p259]", 1), atNull, "", trust.Participant, "", "started by tmux"},
		{"the program has ended", plain, ended, "", trust.Participant, "", "started by tmux"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := resolver(parseTree(t, c.tree), c.holder)
			r.Environ = func(pid int) (func(string) string, error) {
				if pid != 73 {
					return nil, errors.New("not to be read")
				}
				return environment(c.environ), nil
			}
			got, err := r.Resolve(t.Context(), Credentials{PID: 73, StartTime: 73})
			if err != nil || got.Level != c.level || got.Pane != c.pane || !strings.Contains(got.Why, c.why) {
				t.Errorf("placed as %+v, %v", got, err)
			}
		})
	}
}

// environment looks variables up in a line such as "A=b C=d".
func environment(line string) func(name string) string {
	return func(name string) string {
		for _, entry := range strings.Fields(line) {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}
}
