package chat

import (
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzOpencodeRows reads any message with any part: what comes out is within
// bounds and whole text.
func FuzzOpencodeRows(f *testing.F) {
	for _, part := range []string{
		`{"type":"text","text":"make it so"}`,
		`{"type":"tool","tool":"bash","callID":"call_0","state":{"status":"completed","input":{"command":"echo 世界"},"output":"世界\n"}}`,
		`{"type":"tool","tool":"edit","state":{"status":"error","input":[],"error":"no"}}`,
		`{"type":"file","mime":"image/png","url":"data:image/png;base64,iVBORw0KGgo="}`,
		`{"type":"text","synthetic":true,"text":"\ud800"}`, `{"type":7}`, `[]`, ``, "\xff",
	} {
		f.Add([]byte(`{"role":"user","summary":{"diffs":[]}}`), []byte(part))
		f.Add([]byte(`{"role":"assistant","summary":true}`), []byte(part))
	}
	f.Fuzz(func(t *testing.T, message, part []byte) {
		turn, ok := opencodeTurn("m", time.UnixMilli(1), message)
		if turn == nil {
			return
		}
		if !ok || turn.Who != Person && turn.Who != Agent {
			t.Fatalf("%q is a turn of %q, read is %v", message, turn.Who, ok)
		}
		var read turns
		read.reset()
		turn = read.at("m", *turn)
		for range 3 {
			opencodePartOf(part, &read, turn)
		}
		if len(turn.Text) > MaxTextBytes || !utf8.ValidString(turn.Text) || len(turn.Tools) > 3 || len(turn.Images) > 3 {
			t.Errorf("%q became %+v", part, turn)
		}
		for _, tool := range turn.Tools {
			if len(tool.Name) > MaxNameBytes || len(tool.Subject) > MaxSubjectBytes || len(tool.Result) > MaxResultBytes || !utf8.ValidString(tool.Subject+tool.Result) {
				t.Errorf("%q became %+v", part, tool)
			}
		}
		if read.bytes != size(turn) {
			t.Errorf("counted %d bytes of %d", read.bytes, size(turn))
		}
	})
}
