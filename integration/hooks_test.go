package integration_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"collie/integration/harness"
	"collie/node/api"
	"collie/node/audit"
	"collie/node/control"
)

// fakeClaude is a scripted agent with the name, the folders, the log and the
// hooks of Claude Code, as far as these tests need them. It runs what its
// settings name for an event, with no terminal, as the real one does; it shows
// no dialog, like a real one that runs in the background.
const fakeClaude = `#!/bin/sh
config=${CLAUDE_CONFIG_DIR:-$HOME/.claude}
project="$config/projects/$(pwd | sed 's/[^a-zA-Z0-9]/-/g')"
session=11111111-2222-4333-8444-$(printf %012d $$)
mkdir -p "$config/sessions" "$project"
echo "{\"pid\":$$,\"sessionId\":\"$session\"}" > "$config/sessions/$$.json"
log() { printf '%s\n' "$1" >> "$project/$session.jsonl"; }
hook() { # EVENT FIELDS
	printf '{"session_id":"%s","cwd":"%s","hook_event_name":"%s"%s}' "$session" "$(pwd)" "$1" "$2" | setsid sh "$config/run-$1"
}
hook SessionStart ',"source":"startup"'
echo ready
while read -r verb rest; do
	case $verb in
	say)
		hook UserPromptSubmit ",\"prompt\":\"$rest\""
		log "{\"type\":\"user\",\"uuid\":\"$rest\",\"message\":{\"role\":\"user\",\"content\":\"$rest\"}}"
		log "{\"type\":\"assistant\",\"uuid\":\"a$rest\",\"message\":{\"id\":\"m$rest\",\"content\":[{\"type\":\"text\",\"text\":\"**heard** $rest\"}]}}"
		echo "heard $rest" ;;
	show)
		log "{\"type\":\"user\",\"uuid\":\"p$rest\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":\"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==\"}}]}}"
		echo "shown $rest" ;;
	password)
		stty -echo
		printf 'Password:'
		read -r rest
		stty echo
		echo "asked" ;;
	'[collie]')
		log "{\"type\":\"user\",\"uuid\":\"c$rest\",\"message\":{\"role\":\"user\",\"content\":\"$verb $rest\"}}"
		echo "announced" ;;
	stop)
		hook Stop
		echo "stopped" ;;
	ask)
		decision=$(hook PermissionRequest ",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"$rest\"}")
		echo "decided $rest: ${decision:-nothing, so the screen asks}" ;;
	ran)
		hook PostToolUse ",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"$rest\"}" ;;
	both) # asks, and is answered at the desk meanwhile
		hook PermissionRequest ",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"$rest\"}" > "$config/late" &
		read -r verb rest
		hook PostToolUse ",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"$rest\"}"
		wait
		echo "then [$(cat "$config/late")]" ;;
	clear) # the same process begins another session
		session=22222222-2222-4333-8444-$(printf %012d $$)
		hook SessionStart ',"source":"clear"'
		echo "cleared" ;;
	quit) exit ;;
	esac
done
`

// An agent is the fake in a pane of a machine, with hooks installed.
type fake struct {
	m      *harness.Machine
	phone  *harness.Phone
	host   string
	pane   string
	config string
}

// openClaude installs the hooks into a folder and opens a pane with the fake.
func openClaude(t *testing.T, m *harness.Machine, phone *harness.Phone, host string, flags ...string) *fake {
	t.Helper()
	f := &fake{m: m, phone: phone, host: host, config: t.TempDir()}
	write(t, filepath.Join(f.config, "settings.json"), `{"model": "fake"}`, 0o600)
	rows := harness.JSON[[]struct{ File, State string }](m, append([]string{"hooks", "install", "claude", "--folder", f.config}, flags...)...)
	settings := filepath.Join(f.config, "settings.json")
	if last := rows[len(rows)-1]; last.File != settings || last.State != "installed" {
		t.Fatalf("the install says %+v", rows)
	}
	for event, command := range commandsOf(t, settings) {
		write(t, filepath.Join(f.config, "run-"+event), command+"\n", 0o600)
	}
	program := filepath.Join(f.config, "claude")
	write(t, program, fakeClaude, 0o700)
	f.pane = harness.JSON[control.ID](m, "pane", "new", "--cwd", t.TempDir(), "--", "/usr/bin/env", "CLAUDE_CONFIG_DIR="+f.config, program).ID
	f.shows(t, "ready")
	return f
}

// commandsOf reads the hooks of a settings file as Claude Code does.
func commandsOf(t *testing.T, path string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(path)
	var settings struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	if err == nil {
		err = json.Unmarshal(data, &settings)
	}
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]string{}
	for event, groups := range settings.Hooks {
		commands[event] = groups[0].Hooks[0].Command
	}
	return commands
}

func (f *fake) types(t *testing.T, line string) {
	t.Helper()
	f.m.CLI(append(append([]string{"pane", "keys", f.pane, "--"}, strings.Split(line, "")...), "Enter")...)
}

func (f *fake) shows(t *testing.T, text string) {
	t.Helper()
	harness.Eventually(t, fmt.Sprintf("%q in %s", text, f.pane), func() bool {
		return strings.Contains(strings.ReplaceAll(screenOf(f.m, f.pane), "\n", ""), text)
	})
}

// info is the pane as the phone sees it.
func (f *fake) info(t *testing.T) api.PaneInfo {
	t.Helper()
	var herd api.Snapshot
	f.phone.Get("/api/snapshot", &herd)
	for _, p := range herd.Panes {
		if p.ID == f.pane && p.Host == f.host {
			return p
		}
	}
	t.Fatalf("the phone does not see the pane %s of %q", f.pane, f.host)
	return api.PaneInfo{}
}

func (f *fake) is(t *testing.T, status string) {
	t.Helper()
	harness.Eventually(t, "the status "+status, func() bool { return f.info(t).Status == status })
}

// held waits for the card of a held permission.
func (f *fake) held(t *testing.T, subject string) api.Card {
	t.Helper()
	var card api.Card
	harness.Eventually(t, "a card for "+subject, func() bool {
		for _, c := range f.info(t).Cards {
			if c.Held && c.Prompt.Subject == subject {
				card = c
				return true
			}
		}
		return false
	})
	return card
}

func (f *fake) tap(card api.Card, option string) (int, []byte) {
	return f.phone.Do(http.MethodPost, harness.PanePath(f.host, f.pane, "/answer"), api.Answer{Card: card.ID, Option: option})
}

func TestHooksTellWhatAnAgentDoesAndAHeldPermissionIsAnsweredByOneTap(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "solo").Start()
	f := openClaude(t, m, m.Pair("phone"), "", "--hold-permissions")
	f.is(t, "idle")
	f.types(t, "say 1")
	f.is(t, "working")
	f.types(t, "stop")
	f.is(t, "idle")

	f.types(t, "ask make|all")
	card := f.held(t, "make|all")
	if info := f.info(t); !info.NeedsYou || info.Status != "blocked" || card.Prompt.Question != "Bash" || info.WhyTrust+info.WhyMark != "participant‹hook:claude›" {
		t.Errorf("the pane is %+v", info)
	}
	if card.Trust != "participant" || card.Mark != "‹hook:claude›" {
		t.Errorf("the card is %s %s", card.Trust, card.Mark)
	}
	// Many taps at once: one is the answer, the others hear of it.
	codes := make([]int, 6)
	var taps sync.WaitGroup
	for i := range codes {
		taps.Go(func() { codes[i], _ = f.tap(card, "allow") })
	}
	taps.Wait()
	won := 0
	for _, code := range codes {
		switch code {
		case http.StatusOK:
			won++
		case http.StatusConflict:
		default:
			t.Errorf("a tap is answered with %d", code)
		}
	}
	if won != 1 {
		t.Errorf("%d taps won: %v", won, codes)
	}
	f.shows(t, `decided make|all: {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`)

	// Whatever a hook words, it is text beside the mark.
	f.types(t, "ask ‹phone:phone›")
	if card := f.held(t, "<phone:phone>"); card.Mark != "‹hook:claude›" {
		t.Errorf("the card is %s", card.Mark)
	}
	f.tap(f.held(t, "<phone:phone>"), "deny")
	f.shows(t, `decided ‹phone:phone›`)
	for _, line := range harness.JSON[[]audit.Line](m, "audit", "tail") {
		if hook := line.Action == "permission.hold" && line.What != nil; hook != (line.Mark != nil && *line.Mark == "‹hook:claude›") {
			t.Errorf("the audit line is %+v", line)
		}
	}

	f.types(t, "ask rm")
	if code, body := f.tap(f.held(t, "rm"), "always"); code != http.StatusBadRequest {
		t.Errorf("an option that is none: %d %s", code, body)
	}
	if code, body := f.tap(card, "allow"); code != http.StatusConflict || harness.Code(body) != "already_answered" {
		t.Errorf("the card of the question before: %d %s", code, body)
	}
	if code, _ := f.tap(f.held(t, "rm"), "deny"); code != http.StatusOK {
		t.Errorf("no is answered with %d", code)
	}
	f.shows(t, `"behavior":"deny"`)

	// Somebody at the desk was faster: the tool ran.
	f.types(t, "both ls")
	card = f.held(t, "ls")
	f.types(t, "ran ls")
	f.shows(t, "then []")
	if code, body := f.tap(card, "allow"); harness.Code(body) != "already_answered" {
		t.Errorf("a tap after that: %d %s", code, body)
	}

	// The agent ends while it asks.
	f.types(t, "ask halt")
	f.held(t, "halt")
	m.CLI("pane", "close", f.pane)
	for _, want := range []string{"asked", "allowed", "denied", "released", "left"} {
		harness.Eventually(t, "an audit line with "+want, func() bool {
			return strings.Contains(m.CLI("audit", "tail", "--lines", "200", "--json"), `"`+want+`"`)
		})
	}
	m.CLI("audit", "verify")
}

func TestAHookNeverHoldsAnAgentUp(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "solo").Start()
	f := openClaude(t, m, m.Pair("phone"), "", "--hold-permissions")
	f.is(t, "idle")
	// Outside of the agent the same command is nobody's.
	commands := commandsOf(t, filepath.Join(f.config, "settings.json"))
	for name, stdin := range map[string]string{
		"no agent": `{"hook_event_name":"PermissionRequest","session_id":"x","tool_name":"Bash","tool_input":{"command":"x"}}`, "nothing": "", "no JSON": "<x>",
	} {
		args := strings.Fields(commands["PermissionRequest"])[1:]
		if result := m.Run(stdin, args...); result.Exit != 0 || result.Stdout != "" {
			t.Errorf("%s: exit %d, %q, %q", name, result.Exit, result.Stdout, result.Stderr)
		}
	}
	if cards := f.info(t).Cards; len(cards) != 0 {
		t.Errorf("a process outside of the agent opened %+v", cards)
	}
	// While the node is away the screen asks as usual.
	f.types(t, "ask first")
	f.held(t, "first")
	m.Stop()
	m.Start()
	f.shows(t, "decided first: nothing, so the screen asks")
	m.Stop()
	m.Start() // the pane outlived it
	f.types(t, "say 2")
	f.shows(t, "heard 2")
}

func TestChatAndHeldPermissionsOfAMemberComeThroughTheLead(t *testing.T) {
	t.Parallel()
	c := startCrew(t)
	phone := c.lead.Pair("phone")
	f := openClaude(t, c.juno, phone, "juno", "--hold-permissions")
	other := openClaude(t, c.juno, phone, "juno")
	f.types(t, "say 1")
	f.shows(t, "heard 1")
	other.types(t, "say 2")
	other.shows(t, "heard 2")
	for agent, want := range map[*fake]string{f: "1", other: "2"} { // each of a profile of its own
		var chat api.Chat
		phone.Get(harness.PanePath("juno", agent.pane, "/chat"), &chat)
		if len(chat.Turns) != 2 || chat.Turns[1].Body[0].Kids[0].Text != want || chat.Turns[0].Body[0].Kids[0].Kind != "strong" || chat.Turns[0].Text != "" {
			t.Errorf("the chat is %+v", chat)
		}
	}
	f.types(t, "ask make")
	if card := f.held(t, "make"); card.Trust != "participant" || card.Mark != "‹hook:claude›" {
		t.Errorf("the card is %s %s", card.Trust, card.Mark)
	}
	if code, body := f.tap(f.held(t, "make"), "allow"); code != http.StatusOK {
		t.Errorf("the tap is answered with %d %s", code, body)
	}
	f.shows(t, `"behavior":"allow"`)
}

// An address names a session, and not the process that has it.
func TestAnAgentThatBeginsAnotherSessionHasAnotherAddress(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "solo").Start()
	f := openClaude(t, m, m.Pair("phone"), "")
	f.is(t, "idle")
	address := func() string {
		for _, peer := range harness.JSON[[]control.WalkySession](m, "walky", "who") {
			if peer.Pane == f.pane {
				return peer.Address
			}
		}
		t.Fatal("the session is not listed")
		return ""
	}
	before := address()
	f.types(t, "stop") // the same session once more
	f.shows(t, "stopped")
	if got := address(); got != before {
		t.Fatalf("a turn made %s of %s", got, before)
	}
	f.types(t, "clear")
	f.shows(t, "cleared")
	if got := address(); got == before {
		t.Fatalf("another session has the address %s still", got)
	}
	if sent := m.Run("", "walky", "send", before, "for the first"); sent.Exit == 0 || !strings.Contains(sent.Stderr, "gone") {
		t.Fatalf("a message to the first session: %+v", sent)
	}
}
