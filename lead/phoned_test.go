package lead

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"collie/node"
	"collie/node/api"
	"collie/node/mask"
	"collie/node/phoned"
)

// noted is a member of which this machine notes what phones had it type. In p1 is an
// agent, in p2 none.
func noted(t *testing.T, m *machine) *remote {
	t.Helper()
	r := atlas(t, m)
	hides := mask.New()
	r.texts = &phonedTexts{
		book: phoned.Open(filepath.Join(t.TempDir(), "phoned.json"), phoned.Options{
			Hide: func(text string) string {
				masked, _ := hides.Text(text, mask.Options{Surface: "chat"})
				return masked
			},
			Now: func() time.Time { return noon }, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
		}),
		host: "atlas", agent: func(pane string) bool { return pane == "p1" }, drafts: map[string]string{},
	}
	return r
}

func onPixel(t *testing.T) context.Context {
	t.Helper()
	return api.WithDevice(t.Context(), "Pixel")
}

func TestATurnOfAMemberHasTheMarkOfThePhoneThatThisMachineHandedItOnFor(t *testing.T) {
	t.Parallel()
	m := &machine{}
	r := noted(t, m)
	hidden, _ := r.mask.Text("use "+secretText, mask.Options{Surface: "chat"})
	send := func(ctx context.Context, pane, text string) {
		if _, err := r.Reply(ctx, pane, api.Reply{Text: text, Submit: true}); err != nil {
			t.Fatal(err)
		}
	}
	send(onPixel(t), "p1", "go on")
	send(onPixel(t), "p1", "use "+secretText)
	send(onPixel(t), "p2", "sudo reboot")
	send(t.Context(), "p1", "from the command line")
	at := noon.Add(time.Second).UnixMilli()
	m.chat = api.Chat{Session: "claude 1", Turns: []api.ChatTurn{ // the newest first
		{ID: "7", At: at, Who: "person", Text: "deploy", Trust: "operator", Mark: "‹phone:Pixel›"},
		{ID: "6", At: at, Who: "person", Text: "from the command line"},
		{ID: "5", At: at, Who: "agent", Text: "go on"},
		{ID: "4", At: at, Who: "person", Text: "go on"}, // typed by hand after it
		{ID: "3", At: at, Who: "person", Text: hidden},
		{ID: "2", At: at, Who: "person", Text: "go on", Trust: "operator", Mark: "‹phone:Eve›"},
		{ID: "1", At: at, Who: "person", Text: "sudo reboot"},
	}}
	chat, err := r.Chat(t.Context(), "p1", "", 10)
	must(t, err)
	for i, want := range []string{"participant ‹walky:atlas:-›", " ", " ", " ", "operator ‹phone:Pixel›", "operator ‹phone:Pixel›", " "} {
		if got := chat.Turns[i].Trust + " " + chat.Turns[i].Mark; got != want {
			t.Errorf("%q is %s, want %s", chat.Turns[i].Text, got, want)
		}
	}
	m.chat.Session = "claude 2"
	if chat, err = r.Chat(t.Context(), "p2", "", 10); err != nil || chat.Turns[5].Mark != "‹walky:atlas:-›" || chat.Turns[6].Mark != "" {
		t.Errorf("in a pane without an agent, the chat is %+v, %v", chat.Turns, err)
	}
}

func TestWhatAPhoneTypedInPiecesIsOneTurnOfAMember(t *testing.T) {
	t.Parallel()
	m := &machine{}
	r := noted(t, m)
	m.uploaded = api.Uploaded{Path: "/tmp/a b.txt", Pasted: true}
	_, err := r.Upload(onPixel(t), "p1", api.Upload{Name: "a b.txt"})
	must(t, err)
	_, err = r.Reply(onPixel(t), "p1", api.Reply{Text: "read"})
	must(t, err)
	_, err = r.Reply(onPixel(t), "p1", api.Reply{Text: " it", Submit: true})
	must(t, err)
	turn := api.ChatTurn{ID: "1", At: noon.UnixMilli(), Who: "person", Text: node.PastedPath("/tmp/a b.txt") + "read it"}
	m.chat = api.Chat{Turns: []api.ChatTurn{turn}}
	chat, err := r.Chat(t.Context(), "p1", "", 10)
	must(t, err)
	if got := chat.Turns[0]; got.Mark != "‹phone:Pixel›" {
		t.Errorf("the turn is %+v", got)
	}
	// Keys of somebody's make it another text.
	_, err = r.Reply(onPixel(t), "p1", api.Reply{Text: "drop"})
	must(t, err)
	must(t, r.Keys(onPixel(t), "p1", api.Keys{Keys: []string{"x"}}))
	_, err = r.Reply(onPixel(t), "p1", api.Reply{Text: "table", Submit: true})
	must(t, err)
	m.chat.Turns[0].ID, m.chat.Turns[0].Text = "2", "droptable"
	if chat, err = r.Chat(t.Context(), "p1", "", 10); err != nil || chat.Turns[0].Mark != "" {
		t.Errorf("the chat is %+v, %v", chat, err)
	}
}

// The same words may come from the desk a moment later.
func TestWhatAMemberRefusedIsNoPhonesTurn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		mark string
	}{
		"nothing was typed":           {api.ErrDialogOpen, ""},
		"nothing was sent":            {api.ErrHostUnreachable, ""},
		"it was typed, and stands":    {api.ErrNotSubmitted, "‹phone:Pixel›"},
		"nobody knows":                {api.ErrOutcomeUnknown, "‹phone:Pixel›"},
		"something failed there":      {api.ErrHostFailed, "‹phone:Pixel›"},
		"the program ended meanwhile": {api.ErrPaneGone, "‹phone:Pixel›"},
	} {
		m := &machine{}
		r := noted(t, m)
		_, err := r.Reply(onPixel(t), "p1", api.Reply{Text: "please "})
		must(t, err)
		m.err = c.err
		if _, err := r.Reply(onPixel(t), "p1", api.Reply{Text: "go on", Submit: true}); !errors.Is(err, c.err) {
			t.Fatal(err)
		}
		m.err = nil
		for _, text := range []string{"go on", "please go on"} {
			m.chat = api.Chat{Session: text, Turns: []api.ChatTurn{{ID: "1", At: noon.Add(time.Second).UnixMilli(), Who: "person", Text: text}}}
			chat, err := r.Chat(t.Context(), "p1", "", 10)
			must(t, err)
			if got := chat.Turns[0].Mark; got != c.mark {
				t.Errorf("%s: %q has the mark %q, want %q", name, text, got, c.mark)
			}
		}
	}
}

func TestARefusedReplyLeavesWhatStandsInTheInputOfAMember(t *testing.T) {
	t.Parallel()
	m := &machine{}
	r := noted(t, m)
	_, err := r.Reply(onPixel(t), "p1", api.Reply{Text: "please "})
	must(t, err)
	m.err = api.ErrScreenChanged
	_, _ = r.Reply(onPixel(t), "p1", api.Reply{Text: "stop", Submit: true})
	m.err = nil
	_, err = r.Reply(onPixel(t), "p1", api.Reply{Text: "go on", Submit: true})
	must(t, err)
	m.chat = api.Chat{Turns: []api.ChatTurn{{ID: "1", At: noon.UnixMilli(), Who: "person", Text: "please go on"}}}
	chat, err := r.Chat(t.Context(), "p1", "", 10)
	must(t, err)
	if got := chat.Turns[0].Mark; got != "‹phone:Pixel›" {
		t.Errorf("the mark is %q", got)
	}
}
