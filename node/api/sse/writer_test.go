package sse_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"collie/node/api/sse"
)

func TestTheAnswerStartsWithTheFirstEvent(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	w := sse.NewWriter(recorder)
	if w.Started() || len(recorder.Header()) != 0 || recorder.Flushed {
		t.Fatal("the answer has begun without an event")
	}
	if err := w.Send("frame", 18446744073709551615, []byte(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	if err := w.Send("beat", 0, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	const want = "id: 18446744073709551615\nevent: frame\ndata: {\"a\":1}\n\nevent: beat\ndata: {}\n\n"
	if got := recorder.Body.String(); got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
	if !w.Started() || !recorder.Flushed || recorder.Code != http.StatusOK {
		t.Error("the answer has not begun, or was held back")
	}
	if h := recorder.Header(); h.Get("Content-Type") != "text/event-stream" || h.Get("Cache-Control") != "private, no-store" {
		t.Errorf("header is %v", h)
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	w := sse.NewWriter(recorder)
	var want []string
	for i, data := range []string{`{}`, ` leading`, `é:端`, strings.Repeat("x", 200_000), "\x00\xff"} {
		if err := w.Send("frame", uint64(i), []byte(data)); err != nil {
			t.Fatal(err)
		}
		want = append(want, "frame="+data)
	}
	if got, _ := readAll(recorder.Body, 1<<20); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("read %.200q, want %.200q", got, want)
	}
}

func TestAnEventThatWouldBeReadAsAnotherIsRefused(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	w := sse.NewWriter(recorder)
	for _, event := range [][2]string{{"a\nb", "1"}, {"a\rb", "1"}, {"a", "1\n\nevent: b"}, {"a", "1\r"}} {
		if err := w.Send(event[0], 0, []byte(event[1])); !errors.Is(err, sse.ErrNotOneLine) {
			t.Errorf("%q: error is %v, want ErrNotOneLine", event, err)
		}
	}
	if w.Started() || recorder.Body.Len() != 0 {
		t.Errorf("wrote %q", recorder.Body)
	}
	if err := w.Send("a", 0, []byte("1")); err != nil {
		t.Errorf("an event after a refused one: %v", err)
	}
}

// failing is a receiver that is gone after some bytes.
type failing struct {
	http.ResponseWriter
	left int
	err  error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, f.err
	}
	return f.ResponseWriter.Write(p)
}

func (f *failing) Flush() {}

func TestAfterAFailedWriteEveryWriteFails(t *testing.T) {
	t.Parallel()
	gone := errors.New("receiver is gone")
	recorder := httptest.NewRecorder()
	out := &failing{ResponseWriter: recorder, left: 40, err: gone}
	w := sse.NewWriter(out)
	if err := w.Send("a", 0, []byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := w.Send("a", 0, []byte(strings.Repeat("x", 100))); !errors.Is(err, gone) {
		t.Fatalf("error is %v", err)
	}
	written := recorder.Body.Len()
	out.left = 1000
	if err := w.Send("a", 0, []byte("2")); !errors.Is(err, gone) || recorder.Body.Len() != written {
		t.Errorf("half an event was followed by another: %q, %v", recorder.Body, err)
	}
	if err := w.Beat(t.Context(), time.Millisecond, func() []byte { return nil }); !errors.Is(err, gone) {
		t.Errorf("the beat ended with %v", err)
	}
}

func TestAReceiverThatCannotBeFlushedIsRefused(t *testing.T) {
	t.Parallel()
	w := sse.NewWriter(struct{ http.ResponseWriter }{httptest.NewRecorder()})
	if err := w.Send("a", 0, []byte("1")); !errors.Is(err, http.ErrNotSupported) {
		t.Errorf("error is %v", err)
	}
}

func TestTheBeatKeepsItsPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		recorder := httptest.NewRecorder()
		w := sse.NewWriter(recorder)
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		ended := make(chan error)
		go func() {
			ended <- w.Beat(ctx, 2*time.Second, func() []byte { return fmt.Append(nil, time.Since(began)) })
		}()
		time.Sleep(2*time.Second - time.Nanosecond)
		synctest.Wait()
		if w.Started() {
			t.Error("a beat came early")
		}
		time.Sleep(4 * time.Second)
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the beat ended with %v", err)
		}
		const want = "event: beat\ndata: 2s\n\nevent: beat\ndata: 4s\n\n"
		if got := recorder.Body.String(); got != want {
			t.Errorf("wrote %q, want %q", got, want)
		}
	})
}

func TestEventsOfSeveralSendersStayWhole(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	w := sse.NewWriter(recorder)
	done := make(chan error)
	for range 4 {
		go func() {
			var err error
			for range 50 {
				err = errors.Join(err, w.Send("frame", 1, []byte("xxxxxxxx")))
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := strings.ReplaceAll(recorder.Body.String(), "id: 1\nevent: frame\ndata: xxxxxxxx\n\n", ""); got != "" {
		t.Errorf("events were torn: %q", got)
	}
}
