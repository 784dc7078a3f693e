package walky

import (
	"testing"
	"time"

	"collie/node/trust"
)

func TestWhatAStationTypedIsKnownByItsMarkInTheLogOfTheProgram(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"), agent("p2"))
	m.post(Post{Door: Door{Schedule, "night"}, ID: DoorID(postedAt, "night"), To: Address{Pane: "p1"}, Body: "check the queue"})
	m.send(pixel, m.address("p1"), "x")
	m.send(in("p2"), m.address("p1"), "x")
	m.post(hook("1", "p1", "x"))
	m.post(Post{Door: Door{Kind: Wake}, ID: DoorID(postedAt, "wake"), To: Address{Pane: "p1"}, Body: "look again"})
	lines := m.terminal.typed("p1")
	marks := []string{"‹schedule:night›", "‹phone:Ada's Pixel›", "‹walky:local:p2›", "‹webhook:ci›", "‹wake›"}
	levels := []trust.Level{trust.Operator, trust.Operator, trust.Participant, trust.Public, trust.Participant}
	now := time.Now()
	for range 2 { // the second time as the journal has it
		typed := m.Typed("p1")
		for i, line := range lines {
			for _, at := range []time.Time{now, {}, now.Add(time.Hour)} {
				if level, mark, ok := typed.Find(line+"\n", at); !ok || mark.String() != marks[i] || level != levels[i] {
					t.Errorf("%q is %s %s", line, level, mark)
				}
			}
			for name, found := range map[string]func() bool{
				"a day later":   func() bool { _, _, ok := typed.Find(line, now.Add(24*time.Hour)); return ok },
				"an hour early": func() bool { _, _, ok := typed.Find(line, now.Add(-time.Hour)); return ok },
				"with more":     func() bool { _, _, ok := typed.Find(line+" now", now); return ok },
				"elsewhere":     func() bool { _, _, ok := m.Typed("p2").Find(line, now); return ok },
			} {
				if found() {
					t.Errorf("%s %q is known", name, line)
				}
			}
		}
		m = m.restart(nil)
	}
}
