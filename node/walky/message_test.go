package walky

import (
	"errors"
	"strings"
	"testing"
	"time"

	"collie/node/trust"
	"collie/node/walky/journal"
)

const openingText = `{"direction":"in","from":{"machine":"atlas","pane":"p3","token":"k3f9","label":"builder"},` +
	`"to":{"pane":"p1","token":"k3f8"},"sentAt":1790000000000,` +
	`"digest":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","length":5,"body":"hello","state":"accepted"}`

const doorText = `{"direction":"in","door":{"kind":"webhook","name":"ci"},"from":{},"to":{"pane":"p1","token":"k3f8"},"sentAt":0,` +
	`"digest":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","length":5,"body":"hello","state":"accepted"}`

const phoneText = `{"direction":"in","door":{"kind":"phone","name":"Ada's Pixel"},"from":{"machine":"atlas"},"to":{"pane":"p1","token":"k3f8"},"sentAt":0,` +
	`"digest":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","length":5,"body":"hello","state":"accepted"}`

func openingLine(data string) journal.Line {
	return journal.Line{Origin: "atlas", ID: wireID, At: time.UnixMilli(1_790_000_000_000), Opens: true, Data: []byte(data)}
}

func TestOpeningLineIsReadStrictly(t *testing.T) {
	t.Parallel()
	if _, _, err := readOpening(openingLine(openingText)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"direction":        {`"in"`, `"up"`},
		"direction to":     {`"in"`, `"out"`},
		"origin":           {`"machine":"atlas"`, `"machine":"boreas"`},
		"sender's pane":    {`"p3"`, `"p 3"`},
		"sender's token":   {`"k3f9"`, `"k3f0"`},
		"receiver's pane":  {`"p1"`, `""`},
		"receiver's token": {`"k3f8"`, `""`},
		"state":            {`"accepted"`, `"eaten"`},
		"digest":           {`2cf2`, `2c`},
		"digest's letters": {`2cf2`, `zzzz`},
		"length":           {`"length":5`, `"length":6`},
		"reply":            {`"digest"`, `"replyTo":"x","digest"`},
		"unknown field":    {`"digest"`, `"more":1,"digest"`},
		"type":             {`"length":5`, `"length":"5"`},
	} {
		data := strings.Replace(openingText, change[0], change[1], 1)
		if _, _, err := readOpening(openingLine(data)); data == openingText || !errors.Is(err, journal.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
	line := openingLine(openingText)
	line.ID = "x"
	if _, _, err := readOpening(line); !errors.Is(err, journal.ErrDamaged) {
		t.Errorf("id: %v, want ErrDamaged", err)
	}
}

func TestALineWithADoorIsReadStrictly(t *testing.T) {
	t.Parallel()
	read := func(data string) error {
		line := openingLine(data)
		line.Origin = "webhook"
		_, _, err := readOpening(line)
		return err
	}
	if err := read(doorText); err != nil {
		t.Fatal(err)
	}
	line := openingLine(doorText)
	line.Origin = "" // where the machine's own messages are
	if _, _, err := readOpening(line); !errors.Is(err, journal.ErrDamaged) {
		t.Errorf("among the machine's own: %v, want ErrDamaged", err)
	}
	for _, change := range [][2]string{
		{`"webhook"`, `"mail"`},
		{`"webhook"`, `""`},
		{`"webhook"`, `"wake"`},
		{`"ci"`, `"c i"`},
		{`"ci"`, `""`},
		{`"from":{}`, `"from":{"pane":"p3","token":"k3f9"}`},
		{`"kind":"webhook","name":"ci"`, ``},
	} {
		if err := read(strings.Replace(doorText, change[0], change[1], 1)); !errors.Is(err, journal.ErrDamaged) {
			t.Errorf("%s for %s: %v, want ErrDamaged", change[1], change[0], err)
		}
	}
}

func TestALineOfAPhoneIsReadStrictly(t *testing.T) {
	t.Parallel()
	m, _, err := readOpening(openingLine(phoneText))
	if err != nil || m.mark().String() != "‹phone:Ada's Pixel›" || m.door.level() != trust.Operator {
		t.Fatalf("read %+v, %v", m, err)
	}
	for _, change := range [][2]string{
		{`"Ada's Pixel"`, `""`},
		{`"Ada's Pixel"`, `" Pixel"`},
		{`"Ada's Pixel"`, `"\u202ePixel"`},
		{`"from":{"machine":"atlas"}`, `"from":{"machine":"atlas","pane":"p3","token":"k3f9"}`},
		{`"in"`, `"through"`},
		{`"direction":"in"`, `"direction":"out"`}, // of another machine
	} {
		data := strings.Replace(phoneText, change[0], change[1], 1)
		if strings.Contains(change[1], "through") || strings.Contains(change[1], "out") {
			data = strings.Replace(data, `"to":{`, `"to":{"machine":"boreas",`, 1)
		}
		if _, _, err := readOpening(openingLine(data)); !errors.Is(err, journal.ErrDamaged) {
			t.Errorf("%s for %s: %v, want ErrDamaged", change[1], change[0], err)
		}
	}
}

// Whatever line is taken, what it names is of the alphabets that a pane gets to
// see, and it is written again as it was read.
func FuzzReadOpening(f *testing.F) {
	f.Add([]byte(openingText), wireID)
	f.Add([]byte(`{}`), wireID)
	f.Add([]byte(`null`), "")
	f.Add([]byte(doorText), wireID)
	f.Add([]byte(phoneText), wireID)
	f.Fuzz(func(t *testing.T, data []byte, id string) {
		line := openingLine(string(data))
		line.ID = id
		if strings.Contains(string(data), `"door"`) {
			line.Origin = ""
		}
		m, o, err := readOpening(line)
		if err != nil {
			return
		}
		const printed = "[]:,@%._- 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		if text := announcement(m); strings.Trim(text, printed) != "" {
			t.Fatalf("typed line %q", text)
		}
		written, err := m.line(o.Body, o.Proof)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := readOpening(written)
		if err != nil || again.content != m.content || again.shown.State != m.shown.State {
			t.Fatalf("wrote %s, read %+v, %v", written.Data, again, err)
		}
	})
}

func TestStatesFollowEachOther(t *testing.T) {
	t.Parallel()
	all := []State{Accepted, Held, Delivered, Read, Refused, Expired, Cancelled, Unknown}
	want := map[State]string{
		Accepted:  "held delivered read refused expired unknown",
		Held:      "accepted delivered read refused expired cancelled unknown",
		Delivered: "read",
		Unknown:   "held delivered read refused expired",
	}
	for _, from := range all {
		var got []string
		for _, to := range all {
			if from.may(to) {
				got = append(got, string(to))
			}
		}
		if strings.Join(got, " ") != want[from] {
			t.Errorf("after %s: %q, want %q", from, got, want[from])
		}
	}
	if State("eaten").known() || State("eaten").may(Read) {
		t.Error("an unknown state is taken for one")
	}
}
