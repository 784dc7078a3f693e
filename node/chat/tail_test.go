package chat_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"collie/node/chat"
)

func word(t testing.TB, tail *chat.Tail) chat.Word {
	t.Helper()
	said, err := tail.Read(t.Context())
	must(t, err)
	return said
}

// TestTheEndOfARealLogSaysHowFarItsTurnCame appends the lines that the programs
// wrote one after another, and looks after each.
func TestTheEndOfARealLogSaysHowFarItsTurnCame(t *testing.T) {
	t.Parallel()
	for harness, want := range map[string]string{
		"claude": "- - begun begun begun - - begun ended ended",
		"codex":  "- begun begun begun begun begun begun begun begun - - - begun begun begun - - - ended",
		"gemini": "- - begun begun - - - begun begun - -",
	} {
		recording, err := os.ReadFile("testdata/" + harness + ".jsonl")
		must(t, err)
		source := write(t, harness, "")
		tail := chat.NewTail(source)
		var stages []string
		for line := range strings.Lines(string(recording)) {
			extend(t, source, line[:len(line)/2])
			before := word(t, tail)
			if len(stages) > 0 && stages[len(stages)-1] != shown(before.Stage) {
				t.Errorf("%s: half of line %d changes what is said", harness, len(stages)+1)
			}
			extend(t, source, line[len(line)/2:])
			stages = append(stages, shown(word(t, tail).Stage))
		}
		if got := strings.Join(stages, " "); got != want {
			t.Errorf("%s: after each line\n got %s\nwant %s", harness, got, want)
		}
		if whole := word(t, chat.NewTail(write(t, harness, string(recording)))); whole != word(t, tail) {
			t.Errorf("%s: read at once it says %+v", harness, whole)
		}
	}
}

func shown(s chat.Stage) string {
	if s == chat.Unclear {
		return "-"
	}
	return string(s)
}

func claudeSays(at int, kind, message, more string) string {
	return fmt.Sprintf(`{"type":%q,"timestamp":"2026-11-30T12:00:%02dZ","message":%s%s}`+"\n", kind, at, message, more)
}

func TestWhatALogCanMeanInTwoWaysSaysNothing(t *testing.T) {
	t.Parallel()
	const (
		told  = `{"content":"go on"}`
		calls = `{"content":[{"type":"tool_use","id":"%s"}],"stop_reason":"tool_use"}`
		gives = `{"content":[{"type":"tool_result","tool_use_id":"%s"}]}`
		ends  = `{"content":[{"type":"text","text":"done"}],"stop_reason":"end_turn"}`
	)
	begin := claudeSays(1, "user", told, "")
	for name, test := range map[string]struct {
		log  string
		want chat.Stage
		at   int
	}{
		"a turn that ended":             {begin + claudeSays(2, "assistant", ends, ""), chat.Ended, 2},
		"a tool that was called":        {begin + claudeSays(2, "assistant", fmt.Sprintf(calls, "a"), ""), chat.Unclear, 2},
		"one of two tools is done":      {begin + claudeSays(2, "assistant", fmt.Sprintf(calls, "a"), "") + claudeSays(3, "assistant", fmt.Sprintf(calls, "b"), "") + claudeSays(4, "user", fmt.Sprintf(gives, "b"), ""), chat.Unclear, 3},
		"both are":                      {begin + claudeSays(2, "assistant", fmt.Sprintf(calls, "a"), "") + claudeSays(3, "user", fmt.Sprintf(gives, "a"), ""), chat.Begun, 3},
		"a message that says no reason": {begin + claudeSays(2, "assistant", `{"content":[{"type":"text","text":"so"}],"stop_reason":null}`, ""), chat.Unclear, 2},
		"the person ended it":           {begin + claudeSays(2, "user", `{"content":[{"type":"text","text":"[Request interrupted by user]"}]}`, ""), chat.Ended, 2},
		"a command of the program":      {claudeSays(1, "assistant", ends, "") + claudeSays(2, "user", `{"content":"<command-name>/cost</command-name>"}`, ""), chat.Unclear, 2},
		"an agent that it started":      {claudeSays(1, "assistant", ends, "") + claudeSays(2, "user", told, `,"isSidechain":true`), chat.Ended, 1},
		"a line that cannot be read":    {begin + "{\"type\":\"assist\n", chat.Begun, 1},
		"a line that is not whole":      {begin + strings.TrimSuffix(claudeSays(2, "assistant", ends, ""), "\n"), chat.Begun, 1},
		"nothing":                       {"", chat.Unclear, 0},
	} {
		got := word(t, chat.NewTail(write(t, "claude", test.log)))
		if got.Stage != test.want || got.At.Second() != test.at && !got.At.IsZero() {
			t.Errorf("%s: %s of second %d", name, shown(got.Stage), got.At.Second())
		}
	}
}

func TestTheEndOfALongLogIsReadAndNoMore(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(claudeSays(1, "user", `{"content":"`+strings.Repeat("word ", 400)+`"}`, ""), 2000)
	source := write(t, "claude", claudeSays(1, "assistant", `{"content":[],"stop_reason":"end_turn"}`, "")+long)
	tail := chat.NewTail(source)
	if got := word(t, tail); got.Stage != chat.Begun {
		t.Errorf("a long log says %+v", got)
	}
	extend(t, source, strings.Repeat("x", 1<<20))
	if got := word(t, tail); got.Stage != chat.Unclear {
		t.Errorf("in the midst of a long line: %+v", got)
	}
	extend(t, source, "\n"+claudeSays(2, "assistant", `{"content":[],"stop_reason":"end_turn"}`, ""))
	if got := word(t, tail); got.Stage != chat.Ended || got.At.Second() != 2 {
		t.Errorf("after a long line: %+v", got)
	}
	must(t, os.WriteFile(path(source), []byte(claudeSays(3, "user", `{"content":"anew"}`, "")), 0o600))
	if got := word(t, tail); got.Stage != chat.Begun || got.At.Second() != 3 {
		t.Errorf("a log that was cut says %+v", got)
	}
}

func TestTheNewestMessageOfOpencodeSaysHowFarItsTurnCame(t *testing.T) {
	t.Parallel()
	source, db := opencode(t)
	tail := chat.NewTail(source)
	if got := word(t, tail); got.Stage != chat.Unclear { // a tool that the person refused
		t.Errorf("the recording says %+v", got)
	}
	for n, test := range []struct {
		message string
		want    chat.Word
	}{
		{`{"role":"user","time":{"created":1796076000000}}`, chat.Word{Stage: chat.Begun, At: time.UnixMilli(1796076000000)}},
		{`{"role":"assistant","time":{"created":1796076000000}}`, chat.Word{At: time.UnixMilli(0)}},
		{`{"role":"assistant","finish":"stop","time":{"completed":1796076001000}}`, chat.Word{Stage: chat.Ended, At: time.UnixMilli(1796076001000)}},
		{`{"role":"assistant","error":{"name":"MessageAbortedError"},"time":{"completed":1796076002000}}`, chat.Word{Stage: chat.Ended, At: time.UnixMilli(1796076002000)}},
	} {
		utter(t, db, n, test.message, `{"type":"text"}`)
		if got := word(t, tail); !got.At.Equal(test.want.At) || got.Stage != test.want.Stage {
			t.Errorf("message %d: %+v", n, got)
		}
	}
}

// FuzzTail gives the end of a log any bytes: it says something or nothing, and
// the same whether they come at once or in two pieces.
func FuzzTail(f *testing.F) {
	for _, harness := range []string{"claude", "codex", "gemini"} {
		recording, err := os.ReadFile("testdata/" + harness + ".jsonl")
		must(f, err)
		f.Add(harness, recording, 1000)
	}
	f.Fuzz(func(t *testing.T, harness string, data []byte, at int) {
		if harness != "claude" && harness != "codex" && harness != "gemini" || at < 0 || at > len(data) {
			return
		}
		source := write(t, harness, string(data[:at]))
		tail := chat.NewTail(source)
		word(t, tail)
		extend(t, source, string(data[at:]))
		if pieces, once := word(t, tail), word(t, chat.NewTail(source)); len(data) < 200<<10 && pieces.Stage != once.Stage {
			t.Errorf("in two pieces %+v, at once %+v", pieces, once)
		}
	})
}
