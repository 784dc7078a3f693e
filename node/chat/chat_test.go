package chat_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"collie/node/chat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write makes a log of its own for a test.
func write(t testing.TB, harness, text string) chat.Source {
	t.Helper()
	source := chat.Source{Harness: harness, Root: t.TempDir(), Path: "log.jsonl"}
	must(t, os.WriteFile(path(source), []byte(text), 0o600))
	return source
}

func path(s chat.Source) string { return filepath.Join(s.Root, s.Path) }

// extend appends to a log.
func extend(t testing.TB, s chat.Source, text string) {
	t.Helper()
	file, err := os.OpenFile(path(s), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = file.WriteString(text)
	must(t, err)
	must(t, file.Close())
}

func page(t testing.TB, l *chat.Library, s chat.Source, before string, count int) chat.Page {
	t.Helper()
	page, err := l.Page(t.Context(), s, before, count)
	must(t, err)
	return page
}

// said is a page as a person reads it: the oldest turn first.
func said(p chat.Page) []string {
	var lines []string
	for i := len(p.Turns) - 1; i >= 0; i-- {
		turn := p.Turns[i]
		if turn.Text != "" {
			lines = append(lines, string(turn.Who)+": "+turn.Text)
		}
		for _, tool := range turn.Tools {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s: %s(%s) %s %s", turn.Who, tool.Name, tool.Subject, tool.State, strings.TrimSpace(tool.Result))))
		}
		for _, image := range turn.Images {
			lines = append(lines, string(turn.Who)+": "+image.Type)
		}
	}
	return lines
}

const answer = "## Olá 世界 😀\n\nHere is **bold**, `code` and a list:\n\n- one\n- two 日本語\n\n```go\nfmt.Println(\"hi\")\n```"

// TestARealLogReadsAsItWasSaid reads logs that the programs wrote themselves, in
// a session with one question, one tool and one answer.
func TestARealLogReadsAsItWasSaid(t *testing.T) {
	t.Parallel()
	for harness, want := range map[string][]string{
		"claude": {"person: make it so", "agent: I will run it.", "agent: Bash(touch /home/ada/touched && echo 世界) done 世界", "agent: " + answer},
		"codex":  {"person: make it so", "agent: exec_command(echo 世界) done 世界", "agent: " + answer},
		"gemini": {"person: make it so", "agent: Shell(echo 世界) done 世界", "agent: " + answer},
	} {
		source := chat.Source{Harness: harness, Root: "testdata", Path: harness + ".jsonl"}
		got := page(t, &chat.Library{}, source, "", 100)
		if diff := cmp.Diff(want, said(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", harness, diff)
		}
		if got.Skipped != 0 || got.More || got.Cut {
			t.Errorf("%s: %d lines skipped, more is %v, cut is %v", harness, got.Skipped, got.More, got.Cut)
		}
		for _, turn := range got.Turns {
			if turn.At.Year() != 2026 || turn.ID == "" {
				t.Errorf("%s: a turn of %v has the id %q", harness, turn.At, turn.ID)
			}
		}
	}
}

// TestALogThatComesTornIsReadOnce is the kind of fault in which byte and
// character offsets were mixed: rows came twice or by halves after wide text.
func TestALogThatComesTornIsReadOnce(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for harness, line := range map[string]string{
		"claude": `{"type":"user","uuid":"u%d","message":{"role":"user","content":"%s"}}`,
		"codex":  `{"type":"event_msg","payload":{"type":"user_message","message":"%[2]s"}}`,
		"gemini": `{"id":"u%d","type":"user","content":[{"text":"%s"}]}`,
	} {
		source := write(t, harness, "")
		var library chat.Library
		var want []string
		var log strings.Builder
		for i := range 200 {
			text := fmt.Sprintf("%d 世界 😀 日本語 𠜎 é", i)
			fmt.Fprintf(&log, line, i, text)
			log.WriteByte('\n')
			want = append(want, "person: "+text)
		}
		for rest := log.String(); rest != ""; {
			n := min(len(rest), 1+random.IntN(700))
			extend(t, source, rest[:n])
			rest = rest[n:]
			got := said(page(t, &library, source, "", 500))
			if whole := strings.Count(log.String()[:log.Len()-len(rest)], "\n"); len(got) != whole {
				t.Fatalf("%s: %d turns of %d whole lines", harness, len(got), whole)
			}
		}
		got := page(t, &library, source, "", 500)
		if diff := cmp.Diff(want, said(got)); diff != "" || got.Skipped != 0 {
			t.Errorf("%s, %d skipped (-want +got):\n%s", harness, got.Skipped, diff)
		}
	}
}

func TestALineThatCannotBeReadIsSkippedAndCounted(t *testing.T) {
	t.Parallel()
	source := write(t, "claude", "not json\n"+user("u1", "one")+"{\"type\":\"user\",\"message\":{\"content\":7}}\n\n"+
		`{"type":"of a later version"}`+"\n"+`{"type":"user","uuid":"big","message":{"content":"`+strings.Repeat("x", 17<<20)+`"}}`+"\n"+user("u2", "two"))
	got := page(t, &chat.Library{}, source, "", 10)
	if diff := cmp.Diff([]string{"person: one", "person: two"}, said(got)); diff != "" || got.Skipped != 3 {
		t.Errorf("%d lines skipped, want 3 (-want +got):\n%s", got.Skipped, diff)
	}
}

func user(id, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"message":{"role":"user","content":%q}}`+"\n", id, text)
}

func TestPagesLeadFromTheNewestTurnToTheOldest(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	for i := range 25 {
		log.WriteString(user(fmt.Sprintf("u%d", i), fmt.Sprint(i)))
	}
	source := write(t, "claude", log.String())
	var library chat.Library
	var texts []string
	for before, more := "", true; more; {
		p := page(t, &library, source, before, 10)
		for _, turn := range p.Turns {
			texts = append(texts, turn.Text)
			before = turn.ID
		}
		more = p.More
		extend(t, source, user("later"+before, "later")) // what comes meanwhile moves no page
	}
	if len(texts) != 25 || texts[0] != "24" || texts[24] != "0" {
		t.Errorf("the pages were %v", texts)
	}
}

// TestTwoSessionsKeepTheirOwn is the fault in which looking at one session
// forgot what was known of the other.
func TestTwoSessionsKeepTheirOwn(t *testing.T) {
	t.Parallel()
	var library chat.Library
	one, two := write(t, "claude", user("a", "one")), write(t, "codex", "")
	for i := range 10 {
		extend(t, two, fmt.Sprintf(`{"type":"event_msg","payload":{"type":"user_message","message":"%d"}}`+"\n", i))
		if got := said(page(t, &library, one, "", 50)); len(got) != 1 {
			t.Fatalf("the first session is %v", got)
		}
		if got := said(page(t, &library, two, "", 50)); len(got) != i+1 {
			t.Fatalf("the second session is %v", got)
		}
	}
}

func TestALogThatWasReplacedIsReadAnew(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(chat.Source){
		"cut": func(s chat.Source) { must(t, os.WriteFile(path(s), []byte(user("b", "two")), 0o600)) },
		"as long": func(s chat.Source) {
			must(t, os.WriteFile(path(s), []byte(user("b", "six")+user("c", "7 more")), 0o600))
		},
		"another": func(s chat.Source) {
			must(t, os.Remove(path(s)))
			must(t, os.WriteFile(path(s), []byte(user("a", "one")+user("b", "two")), 0o600))
		},
		"appended": func(s chat.Source) { extend(t, s, user("c", "three")) },
	} {
		source := write(t, "claude", user("a", "one")+user("z", "last"))
		var library chat.Library
		page(t, &library, source, "", 10)
		change(source)
		want := map[string][]string{
			"cut": {"person: two"}, "as long": {"person: six", "person: 7 more"}, "another": {"person: one", "person: two"},
			"appended": {"person: one", "person: last", "person: three"},
		}[name]
		if diff := cmp.Diff(want, said(page(t, &library, source, "", 10))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestALogLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret.jsonl")
	must(t, os.WriteFile(outside, []byte(user("a", "secret")), 0o600))
	source := write(t, "claude", "")
	must(t, os.Remove(path(source)))
	must(t, os.Symlink(outside, path(source)))
	for _, s := range []chat.Source{source, {Harness: "claude", Root: source.Root, Path: "../" + filepath.Base(filepath.Dir(outside)) + "/secret.jsonl"}, {Harness: "claude", Root: source.Root, Path: "."}} {
		if p, err := (&chat.Library{}).Page(t.Context(), s, "", 10); err == nil {
			t.Errorf("%v was read: %v", s, said(p))
		}
	}
}

func TestAFormatsOwnWords(t *testing.T) {
	t.Parallel()
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	for _, c := range []struct {
		name, harness, log string
		want               []string
	}{
		{"a command and its output", "claude", user("a", "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args>all</command-args>") +
			user("b", "<local-command-stdout>done</local-command-stdout>"), []string{"person: /clear all"}},
		{
			"what the program adds", "claude", user("a", "hello<system-reminder>be good</system-reminder>") +
				`{"type":"user","isMeta":true,"uuid":"b","message":{"content":"Caveat"}}` + "\n" + `{"type":"user","isSidechain":true,"uuid":"c","message":{"content":"sub"}}` + "\n",
			[]string{"person: hello"},
		},
		{"a failed tool", "claude", `{"type":"assistant","uuid":"a","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Read","input":{"file_path":"/x"}}]}}` + "\n" +
			`{"type":"user","uuid":"b","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":[{"type":"text","text":"no"}]}]}}` + "\n", []string{"agent: Read(/x) failed no"}},
		{
			"a picture", "claude", `{"type":"user","uuid":"a","message":{"content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/svg+xml","data":"` + png + `"}}]}}` + "\n",
			[]string{"person: see", "person: image/png"},
		},
		{
			"what is no picture", "claude", `{"type":"user","uuid":"a","message":{"content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"PHN2Zz4="}}]}}` + "\n",
			[]string{"person: see"},
		},
		{"told twice", "codex", `{"type":"event_msg","payload":{"type":"user_message","message":"hi"}}` + "\n" +
			`{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":"hi"}]}}}` + "\n", []string{"person: hi"}},
		{"an older output", "codex", `{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"ls\"]}","call_id":"c"}}` + "\n" +
			`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"{\"output\":\"no\",\"metadata\":{\"exit_code\":2}}"}}` + "\n", []string{"agent: shell(ls) failed no"}},
		{"taken back", "codex", `{"type":"event_msg","payload":{"type":"user_message","message":"one"}}` + "\n" +
			`{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"1"}]}}` + "\n" +
			`{"type":"event_msg","payload":{"type":"user_message","message":"two"}}` + "\n" + `{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}` + "\n", []string{"person: one", "agent: 1"}},
		{"taken back", "gemini", `{"id":"a","type":"user","content":"one"}` + "\n" + `{"id":"b","type":"user","content":"two"}` + "\n" + `{"$rewindTo":"b"}` + "\n", []string{"person: one"}},
		{"a picture of a terminal", "gemini", `{"id":"a","type":"gemini","content":"","toolCalls":[{"name":"shell","args":{"command":"ls"},"status":"success","resultDisplay":[[{"text":"a b"}]],` +
			`"result":[{"functionResponse":{"response":{"output":"<untrusted_context>\nOutput: ab\nProcess Group PGID: 7\n</untrusted_context>"}}}]}]}` + "\n", []string{"agent: shell(ls) done ab"}},
		{"written again", "gemini", `{"id":"a","type":"gemini","content":"draft"}` + "\n" + `{"id":"b","type":"user","content":"two"}` + "\n" + `{"id":"a","type":"gemini","content":"final"}` + "\n", []string{"agent: final", "person: two"}},
	} {
		got := page(t, &chat.Library{}, write(t, c.harness, c.log), "", 10)
		if diff := cmp.Diff(c.want, said(got)); diff != "" || got.Skipped != 0 {
			t.Errorf("%s: %s, %d skipped (-want +got):\n%s", c.harness, c.name, got.Skipped, diff)
		}
	}
}

func TestAPictureIsReadFromItsLogAgain(t *testing.T) {
	t.Parallel()
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	var library chat.Library
	for harness, line := range map[string]string{
		"claude": `{"type":"user","uuid":"a","message":{"content":[{"type":"image","source":{"type":"base64","data":"` + png + `"}}]}}`,
		"codex":  `{"type":"event_msg","payload":{"type":"user_message","message":"see","images":["data:image/png;base64,` + png + `"]}}`,
	} {
		source := write(t, harness, "{}\n"+line+"\n")
		images := page(t, &library, source, "", 10).Turns[0].Images
		data, err := library.Image(t.Context(), images[0].Hash)
		if err != nil || !strings.HasPrefix(string(data), "\x89PNG") {
			t.Errorf("%s: %q, %v", harness, data, err)
		}
		must(t, os.WriteFile(path(source), []byte("{}\n{}\n"), 0o600))
		page(t, &library, source, "", 10)
	}
	for _, hash := range []string{"", "7d1a9a9b5c0b2f0e2a4c8f7a1b2c3d4e"} {
		if _, err := library.Image(t.Context(), hash); !errors.Is(err, chat.ErrNoImage) {
			t.Errorf("%q: %v", hash, err)
		}
	}
}

func TestWhatIsKeptOfALongLogIsBounded(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	for i := range 130 {
		log.WriteString(user(fmt.Sprintf("u%d", i), strings.Repeat("x", 60<<10)))
	}
	log.WriteString(user("last", strings.Repeat("世", 40<<10)))
	got := page(t, &chat.Library{}, write(t, "claude", log.String()), "", 10_000)
	bytes := 0
	for _, turn := range got.Turns {
		bytes += len(turn.Text)
	}
	if bytes > 7<<20 || len(got.Turns) > chat.MaxTurns || !got.Cut {
		t.Errorf("%d turns with %d bytes, cut is %v", len(got.Turns), bytes, got.Cut)
	}
	if last := got.Turns[0]; len(last.Text) > chat.MaxTextBytes || !last.Cut || strings.Trim(last.Text, "世") != "" {
		t.Errorf("a long turn has %d bytes, cut is %v", len(last.Text), last.Cut)
	}
}

func FuzzLog(f *testing.F) {
	for _, harness := range []string{"claude", "codex", "gemini"} {
		data, err := os.ReadFile("testdata/" + harness + ".jsonl")
		must(f, err)
		f.Add(harness, data, 100)
		f.Add(harness, []byte(`{"$set":{"messages":[{"id":"a","type":"user","content":{"text":"x"}}]}}`+"\n"+`{"$rewindTo":"q"}`+"\n"), 3)
	}
	f.Fuzz(func(t *testing.T, harness string, data []byte, first int) {
		if harness != "claude" && harness != "codex" && harness != "gemini" {
			return
		}
		// Torn anywhere, a log reads as when it is whole.
		first = min(max(first, 0), len(data))
		torn, whole := write(t, harness, string(data[:first])), write(t, harness, string(data))
		var library chat.Library
		page(t, &library, torn, "", 1)
		extend(t, torn, string(data[first:]))
		got, want := page(t, &library, torn, "", 1000), page(t, &library, whole, "", 1000)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(chat.Tool{}, chat.Image{})); diff != "" {
			t.Fatal(diff)
		}
		seen := map[string]bool{}
		for _, turn := range got.Turns {
			if seen[turn.ID] {
				t.Fatalf("turn %q comes twice", turn.ID)
			}
			seen[turn.ID] = true
		}
	})
}
