package node_test

import (
	"strings"
	"testing"

	"collie/node/api"
	"collie/node/pane"
)

// TestAnAgentThatRanInTmuxBeforeTheNodeIsAnsweredFromThePhone starts an agent by
// hand, at the desk, in a tmux that Collie has nothing to do with.
func TestAnAgentThatRanInTmuxBeforeTheNodeIsAnsweredFromThePhone(t *testing.T) {
	t.Parallel()
	server := openTmux(t)
	path, read := recorder(t)
	server.command("new-session", "-d", "-s", "desk", "-x", "80", "-y", "30", "env PS1='desk> ' /bin/sh -i")
	id := server.command("list-panes", "-a", "-F", "#{pane_id}")
	server.shows(id, "desk>")
	command := linkTo(t, "claude") + " _play -record " + path + " -screen " + screenOf("claude-bash") + " -on 3= "
	server.command("send-keys", "-t", id, "-l", command)
	server.command("send-keys", "-t", id, "Enter")
	server.shows(id, "Esc to cancel")

	n := server.node()
	f := fake{t, n, id, read}
	card := f.card()
	if p := f.now(); p.Harness != "claude" || !strings.Contains(card.Prompt.Subject, "rm -rf build && npm run build") {
		t.Errorf("the pane is %+v", p)
	}
	_, err := submit(t, n, id, "stop")
	refused(t, "a reply", err, api.ErrDialogOpen)
	if err := f.answer(card.ID, "3", false); err != nil {
		t.Fatal(err)
	}
	f.got("3")
	f.until("the shell is back", func(p api.PaneInfo) bool { return p.Harness == "shell" && len(p.Cards) == 0 })
}

func TestALongMessageIsOnePasteForAnAgentThatRanInTmuxBeforeTheNode(t *testing.T) {
	t.Parallel()
	server := openTmux(t)
	path, read := recorder(t)
	server.command("new-session", "-d", "-x", "80", "-y", "30", linkTo(t, "claude")+" _play -record "+path)
	n := server.node()
	var id pane.ID
	eventually(t, "the pane", func() bool {
		for _, info := range n.Panes.List() {
			id = info.ID
		}
		return id != ""
	})
	f := fake{t, n, string(id), read}
	f.until("its input", func(p api.PaneInfo) bool { return p.Harness == "claude" && p.Status == "idle" })
	got, err := submit(t, n, f.id, "one\ntwo\nthree")
	if err != nil || !got.Submitted {
		t.Fatalf("%+v, %v", got, err)
	}
	f.got("\x1b[200~one\rtwo\rthree\x1b[201~\r") // tmux pastes an Enter for each newline
}
