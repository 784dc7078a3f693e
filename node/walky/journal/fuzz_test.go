package journal

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"testing"
)

// seal puts the sum to a line that lacks it.
func seal(text []byte) []byte {
	return fmt.Appendf(bytes.Clone(text), `,"sum":"%08x"}`, crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
}

// Whatever decodeLine takes, encodeLine writes as the same bytes.
func FuzzDecodeLine(f *testing.F) {
	whole, err := encodeLine(line("", "01JZZZZZZZZZZZZZZZZZZZZZZZ", 0, `{"body":"hello"}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole[:len(whole)-1], false)
	f.Add([]byte(`{"v":1,"at":1790000000000,"id":"A","data":{}`), true)
	f.Add([]byte(`{"v":2,"at":1790000000000,"id":"A","data":{}`), true)
	f.Add([]byte(`{"v":1,"at":-1,"id":"A","opens":true,"data":null`), true)
	f.Add([]byte(``), true)
	f.Fuzz(func(t *testing.T, text []byte, sealIt bool) {
		if sealIt {
			text = seal(text)
		}
		got, err := decodeLine(text)
		if err != nil {
			return
		}
		again, err := encodeLine(got)
		if err != nil {
			t.Fatalf("a line that was read cannot be written: %v", err)
		}
		back, err := decodeLine(again[:len(again)-1])
		if err != nil || back.ID != got.ID || !back.At.Equal(got.At) || back.Opens != got.Opens {
			t.Fatalf("wrote %+v, read %+v, %v", got, back, err)
		}
	})
}
