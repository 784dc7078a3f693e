package control

import (
	"fmt"
	"testing"

	"collie/node/caller"
)

func TestWhoHoldsMostSilentConnectionsLosesItsOldest(t *testing.T) {
	t.Parallel()
	l := limit(nil, 5)
	names := map[*conn]string{}
	connect := func(pid int, name string) *conn {
		c := &conn{listener: l, peer: peer{credentials: caller.Credentials{PID: pid}}}
		names[c] = name
		return c
	}
	var out []string
	come := func(c *conn) {
		lost := l.admit(c)
		out = append(out, names[lost])
		if lost != nil {
			l.leave(lost)
		}
	}
	asks := connect(1, "asks")
	come(asks)
	answered := asks.asking()
	for i := range 3 {
		come(connect(1, fmt.Sprint("flood ", i)))
	}
	come(connect(2, "other"))
	come(connect(3, "operator"))
	come(connect(1, "flood 3"))
	answered()
	come(connect(1, "flood 4"))
	if got, want := fmt.Sprintf("%q", out), `["" "" "" "" "" "flood 0" "flood 1" "asks"]`; got != want {
		t.Errorf("lost %s, want %s", got, want)
	}
	for _, c := range l.conns {
		c.asking()
	}
	late := connect(4, "late")
	if lost := l.admit(late); lost != late {
		t.Errorf("where all ask, %q is lost, not the one that came last", names[lost])
	}
}
