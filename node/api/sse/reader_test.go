package sse_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"collie/node/api/sse"
)

// readAll reads every event as "name=data" and the error at the end.
func readAll(r io.Reader, max int) (all []string, err error) {
	for reader := sse.NewReader(r, max); ; {
		event, err := reader.Next()
		if err != nil {
			return all, err
		}
		all = append(all, event.Name+"="+string(event.Data))
	}
}

func TestReaderReadsTheFormsOfAnEvent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"an event":                          {"event: a\ndata: 1\n\n", "a=1"},
		"an id is not kept":                 {"id: 7\nevent: a\ndata: 1\n\n", "a=1"},
		"two events":                        {"event: a\ndata: 1\n\nevent: b\ndata: 2\n\n", "a=1 b=2"},
		"a name counts for one event":       {"event: a\ndata: 1\n\ndata: 2\n\n", "a=1 =2"},
		"the last name counts":              {"event: a\nevent: b\ndata: 1\n\n", "b=1"},
		"CRLF":                              {"event: a\r\ndata: 1\r\n\r\n", "a=1"},
		"several lines of data":             {"data: 1\ndata: 2\ndata:\ndata: 3\n\n", "=1\n2\n\n3"},
		"one blank after the colon goes":    {"data:1\n\ndata:  2\n\n", "=1 = 2"},
		"colons in the data":                {"data: {\"a\":1}\n\n", `={"a":1}`},
		"comments":                          {": hi\n\n:\ndata: 1\n: there\n\n", "=1"},
		"unknown fields":                    {"retry: 5\nfoo\nfoo: bar\ndata: 1\n\n", "=1"},
		"no data is no event":               {"event: a\n\nid: 3\n\nevent: b\ndata:\n\ndata: 1\n\n", "=1"},
		"an event without its end":          {"data: 1\n\ndata: 2\n", "=1"},
		"a line without its end":            {"data: 1\n\ndata: 2", "=1"},
		"blank lines":                       {"\n\n\ndata: 1\n\n\n\n", "=1"},
		"a field name is not a mere prefix": {"datax: 1\ndat: 2\ndata: 3\n\n", "=3"},
		"nothing":                           {"", ""},
	} {
		got, err := readAll(strings.NewReader(test.text), 100)
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: error is %v, want io.EOF", name, err)
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: read %q, want %q", name, got, test.want)
		}
	}
}

func TestReaderReadsATornStream(t *testing.T) {
	t.Parallel()
	const text = ": hello\n\nid: 1\r\nevent: frame\r\ndata: {\"a\":\"é\"}\r\ndata: 2\r\n\r\nevent: beat\ndata: x\n\n"
	const want = "[frame={\"a\":\"é\"}\n2 beat=x]"
	for cut := range len(text) {
		got, err := readAll(io.MultiReader(strings.NewReader(text[:cut]), strings.NewReader(text[cut:])), 100)
		if fmt.Sprint(got) != want || !errors.Is(err, io.EOF) {
			t.Errorf("torn at %d: read %q, %v", cut, got, err)
		}
		got, _ = readAll(strings.NewReader(text[:cut]), 100)
		if !strings.HasPrefix(want, strings.TrimSuffix(fmt.Sprint(got), "]")) {
			t.Errorf("ended at %d: read %q", cut, got)
		}
	}
	got, err := readAll(iotest.OneByteReader(strings.NewReader(text)), 100)
	if fmt.Sprint(got) != want || !errors.Is(err, io.EOF) {
		t.Errorf("byte by byte: read %q, %v", got, err)
	}
}

func TestReaderBoundsAnEvent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		max  int
		text string
		want error
	}{
		"data of the very bound":      {100, "data: " + strings.Repeat("x", 100) + "\n\n", io.EOF},
		"data beyond it":              {100, "data: " + strings.Repeat("x", 101) + "\n\n", sse.ErrTooLong},
		"lines of data beyond it":     {100, strings.Repeat("data: 1234\n", 21) + "\n", sse.ErrTooLong},
		"a line without an end":       {100, strings.Repeat("x", 1<<20), sse.ErrTooLong},
		"data larger than the buffer": {200_000, "data: " + strings.Repeat("x", 200_000) + "\n\n", io.EOF},
		"comments without an end":     {100, strings.Repeat(": still here\n", 1000), sse.ErrTooLong},
		"comments between events":     {100, strings.Repeat(": still here\n\n", 1000), io.EOF},
		"a long name":                 {100, "event: " + strings.Repeat("x", 5000) + "\ndata: 1\n\n", sse.ErrTooLong},
	} {
		if _, err := readAll(strings.NewReader(test.text), test.max); !errors.Is(err, test.want) {
			t.Errorf("%s: error is %v, want %v", name, err, test.want)
		}
	}
}

func TestReaderPassesOnWhyTheStreamEnded(t *testing.T) {
	t.Parallel()
	broken := errors.New("link is gone")
	got, err := readAll(io.MultiReader(strings.NewReader("data: 1\n\ndata: 2\n"), iotest.ErrReader(broken)), 100)
	if !errors.Is(err, broken) || fmt.Sprint(got) != "[=1]" {
		t.Errorf("read %q, %v", got, err)
	}
}

// FuzzReader reads whatever another node may send: it never panics, keeps to
// its bound, and what it read is the same however the bytes came in.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"id: 1\nevent: frame\ndata: {}\n\n", "data: 1\r\ndata: 2\r\n\r\n", ": c\n\n\n", "data\n\n", "event:\ndata:\n\n",
		"data: \x00\xff\n\n", "\xef\xbb\xbfdata: 1\n\n", strings.Repeat("data: aaaaaaaaaaaaaaaaaaaa\n", 9) + "\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const max = 64
		whole, err := readAll(strings.NewReader(text), max)
		for _, event := range whole {
			if _, data, _ := strings.Cut(event, "="); len(data) > max+maxName {
				t.Fatalf("an event of %d bytes", len(data))
			}
		}
		torn, tornErr := readAll(iotest.OneByteReader(strings.NewReader(text)), max)
		if fmt.Sprint(whole) != fmt.Sprint(torn) || (err == io.EOF) != (tornErr == io.EOF) {
			t.Fatalf("in one piece %q, %v; byte by byte %q, %v", whole, err, torn, tornErr)
		}
	})
}

// maxName is as much as a name may take.
const maxName = 4096
