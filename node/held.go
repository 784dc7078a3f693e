package node

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"collie/node/api"
	"collie/node/control"
	"collie/node/harness"
	"collie/node/hold"
	"collie/node/pane"
	"collie/node/status"
	"collie/node/trust"
)

// The options of a held permission; a phone has its own words for them.
var heldOptions = []api.PromptOption{{ID: string(hold.Allow), Label: "Allow"}, {ID: string(hold.Deny), Label: "Deny", Deny: true}}

// paneCards are the questions of a pane: those that its agent's hook holds, and
// the one on its screen, unless it is one of them.
func (n *Node) paneCards(id pane.ID, b status.Belief) []api.Card {
	cards := []api.Card{}
	onScreen := false
	for _, r := range n.holds.Waiting(string(id)) {
		cards = append(cards, n.heldCard(r))
		onScreen = onScreen || shows(b.Prompt, r.Question)
	}
	if onScreen {
		return cards
	}
	return append(cards, n.promptCards(id, b)...)
}

func (n *Node) heldCard(r hold.Request) api.Card {
	return api.Card{
		Kind: "prompt", ID: n.heldID(r), At: r.At.UnixMilli(), Held: true,
		Trust: trust.Participant.String(), Mark: trust.HookMark(r.Hook).String(),
		Prompt: &api.Prompt{
			Question: n.shown(r.Tool, trust.Clean), Subject: n.shown(r.Subject, trust.CleanText),
			Cut: r.Cut || len(r.Subject) > api.MaxSubjectBytes, Options: heldOptions,
		},
	}
}

// heldID names a held question: its request, and what the card shows of it.
func (n *Node) heldID(r hold.Request) string {
	return heldPrefix + n.keyed("held", r.Pane, r.ID+"\x00"+r.Tool+"\x00"+r.Subject)
}

// heldPrefix begins the id of a held question's card. What begins so presses no
// key, and what does not answers no held question.
const heldPrefix = "held."

// answerHeld gives a held question its answer. One whose dialog was on the screen
// and has gone was answered there.
func (l *Local) answerHeld(ctx context.Context, id pane.ID, card, option string) error {
	waiting := l.node.holds.Waiting(string(id))
	i := slices.IndexFunc(waiting, func(r hold.Request) bool { return l.node.heldID(r) == card })
	if i < 0 {
		return api.ErrAnswered
	}
	r := waiting[i]
	if option != string(hold.Allow) && option != string(hold.Deny) {
		return api.ErrBadRequest.With("the card has no such option")
	}
	n := l.node
	if n.dialogs.seen(r.ID) {
		sight, err := n.Status.Look(ctx, pane.ID(r.Pane))
		if err == nil && !shows(sight.Reading.Prompt, r.Question) {
			n.holds.Release(func(other hold.Request) bool { return other.ID == r.ID })
			return api.ErrAnswered
		}
	}
	err := n.holds.Answer(ctx, r.ID, hold.Answer(option))
	if errors.Is(err, hold.ErrAnswered) || errors.Is(err, hold.ErrUnknown) {
		return api.ErrAnswered
	}
	return err
}

// followDialog releases a held question when its dialog was on the screen and
// has gone: somebody answered at the desk. It ends with the context.
func (n *Node) followDialog(ctx context.Context, r hold.Request) {
	changed, stop := n.Status.Changes()
	defer stop()
	defer n.dialogs.forget(r.ID)
	for {
		info, err := n.Panes.Get(pane.ID(r.Pane))
		if err != nil {
			return
		}
		switch onScreen := shows(n.Status.Of(info).Prompt, r.Question); {
		case onScreen && !n.dialogs.seen(r.ID):
			n.dialogs.see(r.ID)
		case !onScreen && n.dialogs.seen(r.ID):
			n.holds.Release(func(other hold.Request) bool { return other.ID == r.ID })
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// shows reports whether a dialog asks for what is held. A command that the
// dialog cuts counts as long as what it shows of it is the same.
func shows(p *harness.Prompt, q hold.Question) bool {
	if p == nil {
		return false
	}
	subject, _, _ := strings.Cut(q.Subject, "\n\n")
	shown, asked := packed(p.Subject), packed(subject)
	return asked != "" && (strings.Contains(shown, asked) || p.Cut && shown != "" && strings.Contains(asked, shown))
}

// packed is a text without blanks: a screen wraps where it likes.
func packed(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) {
			return -1
		}
		return c
	}, text)
}

// reports are what the events of the harnesses say of a status.
var reports = map[string]struct {
	status harness.Status
	why    string
}{
	"SessionStart":     {harness.Idle, "its session began"},
	"UserPromptSubmit": {harness.Working, "it was told something"},
	"BeforeAgent":      {harness.Working, "it was told something"},
	"PostToolUse":      {harness.Working, "it used a tool"},
	"AfterTool":        {harness.Working, "it used a tool"},
	"Stop":             {harness.Idle, "its turn has ended"},
	"StopFailure":      {harness.Idle, "its turn broke off"},
	"AfterAgent":       {harness.Idle, "its turn has ended"},
	"PermissionRequest": {
		harness.Blocked, "it asks for a permission",
	},
}

// notices are the same for notifications, by their kind.
var notices = map[string]harness.Status{
	"permission_prompt": harness.Blocked, "elicitation_dialog": harness.Blocked, "ToolPermission": harness.Blocked, "idle_prompt": harness.Idle,
}

// reportOf is what an event says of the status of a pane.
func reportOf(e control.HookEvent) (status.Report, bool) {
	if e.Event == "Notification" {
		s, ok := notices[e.Kind]
		return status.Report{Source: status.Hook, Status: s, Why: "it says so"}, ok
	}
	r, ok := reports[e.Event]
	return status.Report{Source: status.Hook, Status: r.status, Why: r.why}, ok
}
