package daemon

import (
	"net"
	"testing"

	"collie/node/config"
	"collie/node/control"
)

// listening is a listener that is only asked where it listens.
type listening struct {
	net.Listener
	at net.Addr
}

func (l listening) Addr() net.Addr { return l.at }

func TestTheDoctorNamesAListenerThatIsNotAsSet(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	here, everywhere := net.IPv4(127, 0, 0, 1), net.IPv4zero
	for name, c := range map[string]struct {
		at       net.IP
		settings []string
		want     control.Check
	}{
		"as set":       {here, nil, check("bind", fine, "the front door listens on 127.0.0.1:8787, for this machine alone", "")},
		"another port": {here, []string{"COLLIE_PORT=9000"}, check("bind", fail, "the front door listens on 127.0.0.1:8787 and COLLIE_PORT is 9000", startAgain)},
		"open, and not allowed": {everywhere, nil, check("bind", fail, "the front door listens on 0.0.0.0:8787 and COLLIE_ALLOW_NON_LOOPBACK_BIND is not set",
			"set COLLIE_HOST=127.0.0.1 and start the node again")},
		"open, without a name": {everywhere, []string{"COLLIE_HOST=0.0.0.0", "COLLIE_ALLOW_NON_LOOPBACK_BIND=1"}, check("bind", warn,
			"the front door listens on 0.0.0.0:8787 and no COLLIE_PUBLIC_URL is set, so a phone's Host header may be refused", "set COLLIE_PUBLIC_URL in "+home+"/.config/collie/.env")},
		"open, as set": {
			everywhere,
			[]string{"COLLIE_HOST=0.0.0.0", "COLLIE_ALLOW_NON_LOOPBACK_BIND=1", "COLLIE_PUBLIC_URL=https://collie.example"},
			check("bind", fine, "the front door listens on 0.0.0.0:8787, as COLLIE_ALLOW_NON_LOOPBACK_BIND asks", ""),
		},
	} {
		settings, err := config.Load(append(c.settings, "HOME="+home))
		if err != nil {
			t.Fatal(err)
		}
		d := &daemon{options: Options{Config: settings}, listener: listening{at: &net.TCPAddr{IP: c.at, Port: 8787}}}
		if got := d.checkBind(); got != c.want {
			t.Errorf("%s: the doctor says\n%+v, want\n%+v", name, got, c.want)
		}
	}
}
