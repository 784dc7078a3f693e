package holder

import (
	"bufio"
	"bytes"
	"errors"
	"testing"

	"collie/node/grid"
	"collie/node/pane/view"
)

// idle returns a hold whose terminal has no program.
func idle(t testing.TB) *hold {
	t.Helper()
	terminal, err := openTTY()
	must(t, err)
	t.Cleanup(terminal.hangup)
	return &hold{
		tty: terminal, view: view.New(80, 24, 1000, terminal.discipline), input: newInput(), closes: make(chan struct{}, 1),
	}
}

// FuzzRequests gives a holder whatever a node could send after its greeting:
// nothing may panic, no message may exceed its bound, and the screen stays one
// that can be shown.
func FuzzRequests(f *testing.F) {
	var session []byte
	for k, body := range map[kind]string{
		kindInput: "ls\r", kindResize: `{"cols":100,"rows":30}`, kindRename: `{"label":"x"}`,
		kindScreen: "", kindHistory: `{"from":0,"count":10}`, kindModes: "", kindClose: "", 99: "?",
	} {
		message := appendMessage(nil, k, []byte(body))
		session = append(session, message...)
		f.Add(message)
	}
	f.Add(session)
	f.Add(appendMessage(nil, kindResize, []byte(`{"cols":1e9,"rows":-1}`)))
	f.Add(appendMessage(nil, kindHistory, []byte(`{"from":-5,"count":2147483648}`)))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, byte(kindInput)})
	h := idle(f)
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := bufio.NewReader(bytes.NewReader(stream))
		for {
			k, body, err := readMessage(r, maxRequestBytes, func() error { return nil })
			if err != nil {
				break
			}
			if len(body) > maxRequestBytes {
				t.Fatalf("message of %d bytes", len(body))
			}
			_, _ = h.answer(k, body)
		}
		h.input.take()
		h.input.done(h.input.queued)
		select {
		case <-h.closes:
		default:
		}
		frame := h.view.Whole()
		if err := frame.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzAnswers gives a node whatever could come out of a holder's socket.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"seq":1,"cols":2,"rows":1,"cursor":{"row":0,"col":0},"lines":[{"i":0,"wrap":false,"runs":[["a",""]]}]}`))
	f.Add([]byte(`{"code":"full","message":"no"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if frame, err := decodeFrame(body); err == nil {
			if _, err := new(grid.Screen).Apply(frame); err != nil && !errors.Is(err, grid.ErrFrame) {
				t.Fatal(err)
			}
		}
		if refused(body) == nil {
			t.Fatal("a refusal that is no error")
		}
	})
}
