package node_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"collie/node"
	"collie/node/api"
	"collie/node/pane"
)

// reply sends a line to a pane and presses Enter.
func reply(t testing.TB, n *node.Node, id, text string) {
	t.Helper()
	if _, err := submit(t, n, id, text); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
}

// sentLines are the lines that are kept, newest first.
func sentLines(t testing.TB, n *node.Node) []string {
	t.Helper()
	sent, err := n.Local().Sent(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, line := range sent.Lines {
		lines = append(lines, line.Line)
	}
	return lines
}

func TestALineOfAShellIsKeptAndNothingIsLeftOfOneThatMayHoldASecret(t *testing.T) {
	t.Parallel()
	n := open(t)
	shell, record := recording(t, n, pane.Spec{}, lines, "ready>")
	agent, _ := recording(t, n, pane.Spec{Harness: "agent"}, lines, "ready>")
	planted := []string{" cd zebra", "ZEBRA=1 make", "curl https://zebra:zebra@host", "cat zebra.token", "echo gh" + "p_zebraB2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}
	for _, line := range planted {
		reply(t, n, shell, line)
	}
	reply(t, n, shell, "make test")
	reply(t, n, agent, "look at the token bucket")
	eventually(t, "every line in the shell", func() bool { return record() == strings.Join(planted, "\n")+"\nmake test\n" })
	if got := sentLines(t, n); !slices.Equal(got, []string{"make test"}) {
		t.Errorf("kept are %q", got)
	}
	for _, name := range []string{"audit.log", "sent.jsonl"} {
		data, err := os.ReadFile(n.Folder.Path(name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ToLower(string(data)), "zebra") {
			t.Errorf("%s holds a line that is not kept:\n%s", name, data)
		}
		if !strings.Contains(string(data), "make test") || name == "audit.log" && !strings.Contains(string(data), "token bucket") {
			t.Errorf("%s is\n%s", name, data)
		}
	}
}

// leave types a text into a pane and does not press Enter.
func leave(t testing.TB, n *node.Node, id, text string) {
	t.Helper()
	if replied, err := n.Local().Reply(cli(t), id, api.Reply{Text: text}); err != nil || !replied.TextDelivered || replied.Submitted {
		t.Fatalf("%q: %+v, %v", text, replied, err)
	}
	waitFor(t, n, id, strings.TrimSpace(text))
}

func TestWhatIsEnteredBehindAStandingTextIsKeptWithItOrNotAtAll(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do      func(n *node.Node, shell string)
		entered string
		kept    []string
	}{
		"one text behind another": {func(n *node.Node, shell string) {
			leave(t, n, shell, "make ")
			reply(t, n, shell, "test")
		}, "make test\n", []string{"make test"}},
		"two texts, and an Enter": {func(n *node.Node, shell string) {
			leave(t, n, shell, "make")
			leave(t, n, shell, " test")
			reply(t, n, shell, "")
		}, "make test\n", []string{"make test"}},
		"a text whose start makes it a secret": {func(n *node.Node, shell string) {
			leave(t, n, shell, "cat my.to")
			reply(t, n, shell, "ken zebra")
		}, "cat my.token zebra\n", nil},
		"a secret in two texts, and an Enter": {func(n *node.Node, shell string) {
			leave(t, n, shell, "cat my.to")
			leave(t, n, shell, "ken zebra")
			reply(t, n, shell, "")
		}, "cat my.token zebra\n", nil},
		"a text behind what somebody typed": {func(n *node.Node, shell string) {
			if err := n.Local().Keys(cli(t), shell, api.Keys{Keys: []string{"A", "="}}); err != nil {
				t.Fatal(err)
			}
			waitFor(t, n, shell, "A=")
			reply(t, n, shell, "zebra")
		}, "A=zebra\n", nil},
		"the next line is free again": {func(n *node.Node, shell string) {
			leave(t, n, shell, "cat my.to")
			reply(t, n, shell, "ken zebra")
			reply(t, n, shell, "make test")
		}, "cat my.token zebra\nmake test\n", []string{"make test"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := open(t)
			shell, record := recording(t, n, pane.Spec{}, lines, "ready>")
			c.do(n, shell)
			keptOf(t, n, record, c.entered, c.kept)
		})
	}
}

// keptOf checks what of the lines that were entered is kept, and that the audit log
// has nothing of the others.
func keptOf(t *testing.T, n *node.Node, record func() string, entered string, kept []string) {
	t.Helper()
	eventually(t, "the line in the shell", func() bool { return record() == entered })
	if got := sentLines(t, n); !slices.Equal(got, kept) {
		t.Errorf("kept are %q, want %q", got, kept)
	}
	data, err := os.ReadFile(n.Folder.Path("audit.log"))
	if err != nil || strings.Contains(string(data), "zebra") {
		t.Errorf("the audit log holds what is not kept: %v\n%s", err, data)
	}
}

// At the desk in tmux somebody types past the node.
func TestWhatIsEnteredBehindAStandingTextIsKeptWithItOrNotAtAllInTmux(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		left    string   // by a reply
		desk    []string // keys of tmux
		shows   string
		text    string
		entered string
		kept    []string
	}{
		"behind half a line of the desk": {desk: []string{"export TOKEN="}, shows: "TOKEN=", text: "zebra", entered: "export TOKEN=zebra\n"},
		"behind a standing text with which the desk went on": {
			left: "cat my.to", desk: []string{"ken "}, shows: "my.token", text: "zebra", entered: "cat my.token zebra\n",
		},
		"behind a standing text that the desk entered": {
			left: "cat my.to", desk: []string{"Enter"}, shows: "my.to\nready>", text: "make test", entered: "cat my.to\nmake test\n",
		},
		"behind a standing text": {left: "make ", text: "test", entered: "make test\n", kept: []string{"make test"}},
		"at the prompt":          {text: "make test", entered: "make test\n", kept: []string{"make test"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := openTmux(t)
			path, record := recorder(t)
			server.command("new-session", "-d", "-x", "80", "-y", "20", "sh", "-c", lines(path))
			n, shell := server.node(), "%0"
			waitFor(t, n, shell, "ready>")
			if c.left != "" {
				leave(t, n, shell, c.left)
			}
			for _, keys := range c.desk {
				server.command("send-keys", "-t", shell, keys)
			}
			waitFor(t, n, shell, c.shows)
			reply(t, n, shell, c.text)
			keptOf(t, n, record, c.entered, c.kept)
		})
	}
}
