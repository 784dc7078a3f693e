package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"collie/node/chat"
	"collie/node/config"
	"collie/node/control"
	"collie/node/hooks"
)

// maxHookBytes bounds what a harness tells a hook: a tool may be called with a
// whole file.
const maxHookBytes = 16 << 20

// hook is what a harness runs as its hook. Whatever happens, it never holds the
// agent up and never ends with an error: to a harness that would be an answer.
func (a *app) hook() *cobra.Command {
	var holds bool
	command := &cobra.Command{
		Use: hooks.Verb + " HARNESS", Hidden: true, Short: "Tell the node what an agent does; its harness runs it", Example: "  collie _hook claude < event.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			ctx, stop := untilStopped(command.Context())
			defer stop()
			if answer := a.runHook(ctx, args[0], holds); answer != nil {
				_, _ = a.stdout.Write(answer) // a harness that left asks nothing any more
			}
			return nil
		},
	}
	command.Flags().BoolVar(&holds, strings.TrimPrefix(hooks.HoldFlag, "--"), false, "wait for a tap where the hook may answer")
	command.FParseErrWhitelist.UnknownFlags = true
	return command
}

// A told event is what harnesses write to a hook's stdin; they agree on these names.
type toldEvent struct {
	Event            string          `json:"hook_event_name"`
	Session          string          `json:"session_id"`
	Tool             string          `json:"tool_name"`
	Input            json.RawMessage `json:"tool_input"`
	NotificationType string          `json:"notification_type"`
}

// runHook tells the node of an event, and returns what is to be answered to the
// harness: nothing, unless somebody tapped.
func (a *app) runHook(ctx context.Context, harness string, holds bool) []byte {
	data, err := io.ReadAll(io.LimitReader(a.stdin, maxHookBytes+1))
	if err != nil || len(data) > maxHookBytes {
		return nil
	}
	var told toldEvent
	if json.Unmarshal(data, &told) != nil || told.Event == "" {
		return nil
	}
	event := control.HookEvent{Harness: harness, Event: told.Event, Kind: told.NotificationType, Session: told.Session, Tool: told.Tool}
	if len(told.Input) > 0 {
		event.Subject, event.Cut = subjectOf(told.Input)
		event.Call = callOf(told.Tool, told.Input)
	}
	stateDir, err := hookNode()
	if err != nil {
		return nil
	}
	if told.Event != hooks.Permission || !holds {
		ctx, cancel := context.WithTimeout(ctx, control.HookWait)
		defer cancel()
		_ = control.DialFor(stateDir, control.HookWait).Call(ctx, http.MethodPost, "/hook", event, nil) // a node that is away hears the next one
		return nil
	}
	var answer control.HookAnswer
	ctx, cancel := context.WithTimeout(ctx, control.HoldWait)
	defer cancel()
	if control.DialFor(stateDir, control.HoldWait).Call(ctx, http.MethodPost, "/hook/hold", event, &answer) != nil {
		return nil
	}
	return hooks.Decision(answer.Answer)
}

// hookNode is the state folder of the node that a hook speaks to.
func hookNode() (string, error) {
	if socket := os.Getenv("COLLIE_SOCKET"); socket != "" && !namesNode() {
		if !filepath.IsAbs(socket) {
			return "", errors.New("COLLIE_SOCKET is no absolute path")
		}
		return filepath.Dir(socket), nil
	}
	settings, err := config.Load(os.Environ())
	if err != nil {
		return "", err
	}
	return settings.Get("COLLIE_STATE_DIR"), nil
}

// subjectOf is what a person has to see before they allow a call: what it is
// about, and everything else that it was called with.
func subjectOf(input json.RawMessage) (string, bool) {
	about := chat.Subject(input)
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) == nil {
		names := make([]string, 0, len(fields))
		for name := range fields {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			var text string
			if json.Unmarshal(fields[name], &text) != nil {
				text = string(fields[name])
			}
			if text != about && name != "description" {
				about += "\n\n" + name + ": " + text
			}
		}
	}
	if len(about) <= control.MaxHookText {
		return about, false
	}
	most := control.MaxHookText
	for most > 0 && !utf8.RuneStart(about[most]) {
		most--
	}
	return about[:most], true
}

// callOf names a call among those of its session: the harness tells of it again
// once the tool was run.
func callOf(tool string, input json.RawMessage) string {
	var compact bytes.Buffer
	if json.Compact(&compact, input) != nil {
		return ""
	}
	sum := sha256.Sum256(append([]byte(tool+"\x00"), compact.Bytes()...))
	return hex.EncodeToString(sum[:16])
}
