package daemon

import (
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/control"
)

func TestAPortInUseForTheLinkIsSaidAndTriedAgain(t *testing.T) {
	t.Parallel()
	blocker, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer blocker.Close()
	home := t.TempDir()
	n := begin(t, home, "COLLIE_MESH_LISTEN="+blocker.LocalAddr().String())
	detail := refused(t, "an invite", n.call(t, http.MethodPost, "/crew/invite", control.InviteRequest{}, nil), api.ErrCrewUnavailable)
	if !strings.Contains(detail, "address already in use") {
		t.Errorf("the refusal does not say why: %s", detail)
	}
	solo(t, n) // a crew that nobody can join is none
	if err := n.stop(); err != nil {
		t.Fatal(err)
	}
	n = begin(t, home)
	post[control.Invite](t, n, "/crew/invite", control.InviteRequest{})
	if err := n.stop(); err != nil {
		t.Fatal(err)
	}
	n = begin(t, home, "COLLIE_MESH_LISTEN="+blocker.LocalAddr().String())
	detail = refused(t, "an invite of a lead", n.call(t, http.MethodPost, "/crew/invite", control.InviteRequest{}, nil), api.ErrCrewUnavailable)
	if !strings.Contains(detail, "address already in use") {
		t.Errorf("the refusal does not say why: %s", detail)
	}
	status := get[control.Status](t, n, "/status")
	if len(status.Trouble) != 1 || !strings.Contains(status.Trouble[0].What, "address already in use") {
		t.Errorf("status does not say it: %+v", status)
	}
	report := get[control.Doctor](t, n, "/doctor")
	if c := find(t, report, "crew-link"); c.Verdict != fail || !strings.Contains(c.Reason, "address already in use") || c.Fix == "" {
		t.Errorf("the doctor says %+v", c)
	}
	if err := blocker.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the link", func() bool { return get[control.Status](t, n, "/status").Mesh.Listen != "" })
	if status := get[control.Status](t, n, "/status"); len(status.Trouble) > 0 {
		t.Errorf("there is trouble still: %+v", status.Trouble)
	}
}

func TestATCPPortInUseForTheLinkIsAWarning(t *testing.T) {
	t.Parallel()
	blocker, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer blocker.Close()
	n := begin(t, t.TempDir(), "COLLIE_MESH_LISTEN="+blocker.Addr().String())
	if err := n.call(t, http.MethodPost, "/crew/invite", control.InviteRequest{}, nil); err != nil {
		t.Fatal(err)
	}
	if c := find(t, get[control.Doctor](t, n, "/doctor"), "crew-tcp"); c.Verdict != warn || !strings.Contains(c.Reason, "address already in use") || c.Fix == "" {
		t.Errorf("the doctor says %+v", c)
	}
	own := get[control.CrewStatus](t, n, "/crew/status").Members[0]
	if own.State != "reachable" || own.Hint != "attention" || !strings.Contains(string(own.Reason), "links over TCP") {
		t.Errorf("the node shows itself as %+v", own)
	}
}

func TestToldAddressesAreStoredAndABrokenFileIsNone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), addressesName)
	said, err := openTold(path)
	if err != nil || len(said.get()) != 0 {
		t.Fatalf("at first: %v, %v", said.get(), err)
	}
	if err := errors.Join(said.set([]string{"lead.example:8788"}), said.set(nil)); err != nil {
		t.Fatal(err)
	}
	again, err := openTold(path)
	if err != nil || strings.Join(again.get(), " ") != "lead.example:8788" {
		t.Errorf("read again: %v, %v", again.get(), err)
	}
	for _, broken := range []string{`{"version": 2}`, `{"version": 1, "addresses": ["no port"]}`, `{`} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if none, err := openTold(path); err == nil || len(none.get()) != 0 {
			t.Errorf("%s: %v, %v", broken, none.get(), err)
		}
	}
	if err := again.forget(); err != nil || len(again.get()) != 0 {
		t.Errorf("forgotten: %v, %v", again.get(), err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
}

func TestReachableAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"127.0.0.1:8788": "127.0.0.1:8788",
		"[::1]:8788":     "[::1]:8788",
	} {
		udp, err := net.ResolveUDPAddr("udp", address)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(reachable(udp), " "); got != want {
			t.Errorf("%s is reached at %q", address, got)
		}
	}
	for _, address := range reachable(&net.UDPAddr{Port: 8788}) {
		if err := trust.CheckAddress(address); err != nil || strings.HasPrefix(address, "127.") {
			t.Errorf("a socket that listens everywhere is said to be reached at %s (%v)", address, err)
		}
	}
}
