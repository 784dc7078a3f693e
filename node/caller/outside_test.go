package caller

import (
	"errors"
	"strings"
	"testing"

	"collie/node/trust"
)

func TestATerminalThatAnyProgramMayHaveMadeIsNoSignOfAPerson(t *testing.T) {
	t.Parallel()
	const desk = `
1 init
  40 systemd --user
    50 collie up
    60 gnome-terminal-server
      61 bash [tty]
        103 collie pair [tty]
`
	for _, c := range []struct {
		name   string
		tree   string
		killed uint64
		level  trust.Level
		why    string
	}{
		{"a terminal window", desk, 0, trust.Operator, "has a terminal"},
		{"of systemd-run --pty", `
1 init
  40 systemd --user
    50 collie up
    103 collie pair [tty]
`, 0, trust.Participant, "the user manager made for whoever asked"},
		{"a shell of systemd-run --pty", `
1 init
  40 systemd --user
    50 collie up
    61 bash [tty]
      103 collie pair [tty]
`, 0, trust.Participant, "the user manager made for whoever asked"},
		{"of script that nobody started", `
1 init
  50 collie up
  60 script -c
    61 sh [tty]
      103 collie pair [tty]
`, 0, trust.Participant, "a terminal of script"},
		{"of script in a shell of systemd-run", `
1 init
  40 systemd --user
    50 collie up
    60 sh -c
      61 script -c
        103 collie pair [tty]
`, 0, trust.Participant, "the user manager made for whoever asked"},
		{"of script in a job of at", `
1 init
  50 collie up
  60 atd [root]
    61 sh
      62 script -c
        103 collie pair [tty]
`, 0, trust.Participant, "a terminal of atd"},
		{"of root's login at the console, after a holder was killed", `
1 init
  50 collie up
  60 login [root tty]
    61 bash [tty]
      103 collie pair [tty]
`, 55, trust.Operator, "has a terminal"},
		{"of script in a terminal window", strings.Replace(desk, "103 collie", "62 script\n          103 collie", 1), 0, trust.Operator, "has a terminal"},
		{"a holder was killed before the window was opened", desk, 55, trust.Participant, "may be of a pane which nothing holds"},
		{"the window was there before that holder", desk, 61, trust.Operator, "has a terminal"},
		{"a holder was killed, and it came in through sshd", `
1 init
  50 collie up
  80 sshd [root]
    81 bash [tty]
      103 collie pair [tty]
`, 55, trust.Operator, "has a terminal"},
		{"a holder was killed, and it shares a script with the node", `
1 init
  70 bash
    50 collie up
    103 collie pair [tty]
`, 55, trust.Operator, "what also started this node"},
		{"below the first process of a container", `
1 bash [tty]
  50 collie up
  103 collie pair [tty]
`, 0, trust.Operator, "has a terminal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := resolver(parseTree(t, c.tree))
			r.Killed = func() (uint64, bool) { return c.killed, c.killed != 0 }
			got, err := r.Resolve(t.Context(), Credentials{PID: 103, StartTime: 103})
			if err != nil || got.Level != c.level || got.Pane != "" || !strings.Contains(got.Why, c.why) {
				t.Errorf("placed as %+v, %v", got, err)
			}
		})
	}
}

// Ticks: the server starts at 60, its pane's shell at 61, the command at 1000.
func TestAPersonInAMultiplexerOfTheirOwnIsToldByTheirKeys(t *testing.T) {
	t.Parallel()
	const window = `
1 init
  50 collie up
  60 tmux
    61 bash [tty]
      103 collie pair [tty @1000]
  80 sshd [root]
    81 bash [tty]
      82 client [tty]
  90 collie _hold
    91 claude [tty]
      92 client [tty]
`
	person := Seat{PID: 82, Typed: 990}
	for _, c := range []struct {
		name  string
		tree  string
		seats []Seat
		level trust.Level
		why   string
	}{
		{"typed by a person", window, []Seat{{PID: 92, Typed: 990}, person}, trust.Operator, "was typed at a terminal"},
		{"tmux tells whole seconds", window, []Seat{{PID: 82, Typed: 1000 - 3*clockTicks}}, trust.Operator, "was typed at a terminal"},
		{"by a script that a person started", strings.Replace(window, "103 collie pair [tty @1000]", "102 sh [tty @995]\n        103 collie pair [tty @9000]", 1), []Seat{person}, trust.Operator, "was typed at a terminal"},
		{"at no terminal", window, nil, trust.Participant, "shows it at no terminal"},
		{"long after the last key", window, []Seat{{PID: 82, Typed: 999 - 3*clockTicks}}, trust.Participant, "by a key that you pressed"},
		{"at a terminal of an agent", window, []Seat{{PID: 92, Typed: 990}}, trust.Participant, "by a key that you pressed"},
		{"at a terminal that is gone", window, []Seat{{PID: 83, Typed: 990}}, trust.Participant, "by a key that you pressed"},
		{"before the pane was there", strings.Replace(window, "61 bash [tty]", "61 bash [tty @990]", 1), []Seat{person}, trust.Participant, "by a key that you pressed"},
		{"as the pane's own program", strings.Replace(window, "61 bash [tty]\n      103", "62 cat\n    103", 1), []Seat{person}, trust.Participant, "any program may ask"},
		{"at a client inside another multiplexer", strings.Replace(window, "81 bash [tty]", "81 screen [tty]", 1), []Seat{person}, trust.Participant, "by a key that you pressed"},
		{"without a terminal", strings.Replace(window, "[tty @1000]", "[@1000]", 1), []Seat{person}, trust.Participant, "has no terminal"},
		{"in another one", strings.Replace(window, "60 tmux", "60 screen", 1), nil, trust.Participant, "is in a screen"},
		{"the node was started there, too", strings.Replace(strings.Replace(window, "  50 collie up\n", "", 1), "    61 bash", "    62 bash\n      50 collie up\n    61 bash", 1), nil, trust.Participant, "shows it at no terminal"},
		{"the node was started by the same shell", strings.Replace(strings.Replace(window, "  50 collie up\n", "", 1), "      103", "      50 collie up\n      103", 1), nil, trust.Operator, "what also started this node"},
	} {
		t.Run(c.name, func(t *testing.T) {
			processes := parseTree(t, c.tree)
			r := resolver(processes, Holder{Pane: "p1", PID: 90, StartTime: 90, ProgramPID: 91, OpenedByOperator: true})
			r.Seats = func(server, program int) []Seat {
				if server != 60 || program != 61 || processes[server].Name != "tmux" {
					return nil
				}
				return c.seats
			}
			got, err := r.Resolve(t.Context(), Credentials{PID: 103, StartTime: processes[103].StartTime})
			if err != nil || got.Level != c.level || got.Pane != "" || !strings.Contains(got.Why, c.why) {
				t.Errorf("placed as %+v, %v", got, err)
			}
		})
	}
}

func TestTheVariablesOfAPaneTellWhoHasLeftIt(t *testing.T) {
	t.Parallel()
	r := resolver(parseTree(t, `
1 init
  50 collie up
  60 bash
    61 script
      103 collie pair [tty]
`))
	r.Socket = "/state/control.sock"
	for environ, why := range map[string]string{
		"COLLIE_PANE=p1 COLLIE_SOCKET=/state/control.sock": "was started in a pane and has left it",
		"COLLIE_PANE=p1 COLLIE_SOCKET=/other/control.sock": "has a terminal", // another node's
		"COLLIE_SOCKET=/state/control.sock":                "has a terminal",
	} {
		r.Environ = func(pid int) (func(string) string, error) {
			if pid != 60 {
				return nil, errors.New("not to be read")
			}
			return environment(environ), nil
		}
		got, err := r.Resolve(t.Context(), Credentials{PID: 103, StartTime: 103})
		if err != nil || got.Pane != "" || got.Why != why || got.Level.MayInstruct() != (why == "has a terminal") {
			t.Errorf("%s: placed as %+v, %v", environ, got, err)
		}
	}
}
