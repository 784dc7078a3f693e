package chat_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"collie/node/chat"
)

// sessionLog is a log of a long session: turns, tools and their results.
func sessionLog(turns int) string {
	var log strings.Builder
	for i := range turns {
		log.WriteString(user(fmt.Sprintf("u%d", i), "what of 世界? "+strings.Repeat("word ", 40)))
		fmt.Fprintf(&log, `{"type":"assistant","uuid":"a%d","message":{"id":"m%d","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"ls"}}]}}`+"\n", i, i, i)
		fmt.Fprintf(&log, `{"type":"user","uuid":"r%d","message":{"content":[{"type":"tool_result","tool_use_id":"t%d","content":"%s"}]}}`+"\n", i, i, strings.Repeat("output ", 300))
	}
	return log.String()
}

// BenchmarkFirstRead reads a whole log, beside what only checks that each line is
// JSON.
func BenchmarkFirstRead(b *testing.B) {
	text := sessionLog(2000)
	source := write(b, "claude", text)
	b.Run("turns", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			page(b, &chat.Library{}, source, "", 30)
		}
	})
	b.Run("valid JSON", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			data, err := os.ReadFile(path(source))
			must(b, err)
			for line := range bytes.Lines(data) {
				if !json.Valid(line) {
					b.Fatal("a line is no JSON")
				}
			}
		}
	})
}

// BenchmarkNextRead asks again after one line was added to a log, and after none.
func BenchmarkNextRead(b *testing.B) {
	source := write(b, "claude", sessionLog(2000))
	var library chat.Library
	page(b, &library, source, "", 30)
	b.Run("nothing new", func(b *testing.B) {
		for b.Loop() {
			page(b, &library, source, "", 30)
		}
	})
	b.Run("one line more", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			extend(b, source, user(fmt.Sprintf("new%d", n), "more"))
			page(b, &library, source, "", 30)
		}
	})
}
