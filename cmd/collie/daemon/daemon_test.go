package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/control"
)

func TestRolesChangeInTheRunningProcessAndLeaveNothing(t *testing.T) {
	t.Parallel()
	atlas, juno := begin(t, t.TempDir(), "COLLIE_LABEL=atlas"), begin(t, t.TempDir(), "COLLIE_LABEL=juno")
	solo(t, atlas)
	fingerprints := map[string]bool{}
	for range 3 { // every crew has a key of its own, also straight after the one before
		invite := post[control.Invite](t, atlas, "/crew/invite", control.InviteRequest{Addresses: nil})
		if fingerprints[invite.Fingerprint] {
			t.Error("a key came back")
		}
		fingerprints[invite.Fingerprint] = true
		status := get[control.Status](t, atlas, "/status")
		if status.Mode != "lead" || string(status.Mesh.Listen) != invite.Addresses[0] {
			t.Errorf("status is %+v after the invite %+v", status, invite)
		}
		joined := post[control.Joined](t, juno, "/crew/join", control.JoinRequest{Address: invite.Addresses[0], Token: invite.Token})
		if joined.MemberID != "juno" || joined.Lead != "atlas" {
			t.Errorf("joined as %+v", joined)
		}
		if status := get[control.Status](t, juno, "/status"); status.Mode != "member" || status.Mesh.Listen == "" || status.Crew.Lead != "atlas" {
			t.Errorf("the member's status is %+v", status)
		}
		eventually(t, "the link", func() bool {
			rows := get[control.CrewStatus](t, atlas, "/crew/status").Members
			return len(rows) == 2 && rows[1].State == "reachable"
		})
		refused(t, "a lead with a member leaves", atlas.call(t, http.MethodPost, "/crew/leave", struct{}{}, nil), api.ErrWrongRole)
		post[control.OK](t, juno, "/crew/leave", struct{}{})
		solo(t, juno)
		eventually(t, "the member's going", func() bool { return len(get[control.CrewStatus](t, atlas, "/crew/status").Members) == 1 })
		post[control.OK](t, atlas, "/crew/leave", struct{}{})
		solo(t, atlas)
	}
}

func TestAMembersDoorNamesItsLeadByItsLabel(t *testing.T) {
	t.Parallel()
	atlas, juno := begin(t, t.TempDir(), "COLLIE_LABEL=Mission control"), begin(t, t.TempDir())
	invite := post[control.Invite](t, atlas, "/crew/invite", control.InviteRequest{})
	post[control.Joined](t, juno, "/crew/join", control.JoinRequest{Address: invite.Addresses[0], Token: invite.Token, Label: "juno"})
	url := string(get[control.Status](t, juno, "/status").HTTP.URL)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(url + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(page), "Its lead is <strong>Mission control</strong>") {
		t.Errorf("the page is %s, %v", page, err)
	}
	detail := refused(t, "a member pairs", juno.call(t, http.MethodPost, "/pair", control.PairRequest{}, nil), api.ErrWrongRole)
	if !strings.Contains(detail, "Mission control") {
		t.Errorf("the refusal does not name the lead: %s", detail)
	}
}

func TestARefusedTrustStoreTurnsTheCrewPartOff(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := filepath.Join(home, ".local/state/collie", trust.FileName)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	const broken = `{"version": 1, "crewId": "not one"`
	if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	n := begin(t, home)
	lead := begin(t, t.TempDir())
	invite := post[control.Invite](t, lead, "/crew/invite", control.InviteRequest{})
	status := get[control.Status](t, n, "/status")
	if status.Mode != "solo" || len(status.Trouble) != 1 || !strings.Contains(status.Trouble[0].What, trust.FileName) {
		t.Errorf("status is %+v", status)
	}
	for path, body := range map[string]any{
		"/crew/invite":           control.InviteRequest{},
		"/crew/join":             control.JoinRequest{Address: invite.Addresses[0], Token: invite.Token},
		"/crew/leave":            struct{}{},
		"/crew/rotate":           struct{}{},
		"/crew/members/x/remove": struct{}{},
	} {
		refused(t, path, n.call(t, http.MethodPost, path, body, nil), api.ErrCrewUnavailable)
	}
	refused(t, "/crew/status", n.call(t, http.MethodGet, "/crew/status", nil, nil), api.ErrCrewUnavailable)
	if rows := get[control.CrewStatus](t, lead, "/crew/status").Members; len(rows) != 1 {
		t.Error("the invite was spent on a node that cannot store its crew")
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != broken {
		t.Errorf("the file is now %q, %v", data, err)
	}
	if n.has(t, trust.IdentityFileName) {
		t.Error("a key was drawn for nothing")
	}
}

func TestAJoinThatIsRefusedLeavesNoKeyAndSaysWhy(t *testing.T) {
	t.Parallel()
	lead, n := begin(t, t.TempDir()), begin(t, t.TempDir())
	invite := post[control.Invite](t, lead, "/crew/invite", control.InviteRequest{})
	other := strings.Repeat("A", strings.IndexByte(invite.Token, '.')) + invite.Token[strings.IndexByte(invite.Token, '.'):]
	wrongPin := invite.Token[:strings.IndexByte(invite.Token, '.')+1] + strings.Repeat("0", 64)
	for what, attempt := range map[string]struct {
		address, token string
		want           *api.Error
		says           string
	}{
		"no token":            {invite.Addresses[0], "x", api.ErrBadRequest, "not an invite"},
		"no port":             {"127.0.0.1", invite.Token, api.ErrBadRequest, "host:port"},
		"wrong token":         {invite.Addresses[0], other, api.ErrJoinRefused, "the token is wrong, or it was used"},
		"wrong pin":           {invite.Addresses[0], wrongPin, api.ErrJoinRefused, "its fingerprint is not the expected one"},
		"nobody there":        {"127.0.0.1:9", invite.Token, api.ErrLeadUnreachable, "nothing answered there"},
		"a name that is none": {"nowhere.invalid:8788", invite.Token, api.ErrLeadUnreachable, "nowhere.invalid"},
	} {
		err := n.call(t, http.MethodPost, "/crew/join", control.JoinRequest{Address: attempt.address, Token: attempt.token}, nil)
		if detail := refused(t, what, err, attempt.want); !strings.Contains(detail, attempt.says) {
			t.Errorf("%s: the detail is %q, want %q in it", what, detail, attempt.says)
		}
		solo(t, n)
	}
	refused(t, "a lead joins", lead.call(t, http.MethodPost, "/crew/join", control.JoinRequest{Address: "127.0.0.1:9", Token: wrongPin}, nil), api.ErrWrongRole)
}

func TestAStopEndsWhoWaits(t *testing.T) {
	t.Parallel()
	n := begin(t, t.TempDir())
	waiting := make(chan error, 1)
	go func() {
		waiting <- n.client.Call(context.Background(), http.MethodGet, "/walky/next?waitMs=60000", nil, &control.WalkyNext{})
	}()
	eventually(t, "the wait", func() bool { return strings.Contains(stacks(), "Station).Unread") })
	began := time.Now()
	if err := n.stop(); err != nil {
		t.Error(err)
	}
	if err := <-waiting; err != nil && errors.Is(err, control.ErrNoAnswer) {
		t.Errorf("the wait ended with %v", err)
	}
	if took := time.Since(began); took > 2*time.Second+patience/10 {
		t.Errorf("the stop took %v", took)
	}
	n.leavesNothing(t)
}

func TestANodeThatCannotStartLeavesNoSecret(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	home := t.TempDir()
	_, port, _ := net.SplitHostPort(busy.Addr().String())
	if _, err := try(t, home, "COLLIE_PORT="+port); err == nil || !strings.Contains(err.Error(), "the port is in use") {
		t.Errorf("a busy port: %v", err)
	}
	(&running{home: home}).leavesNothing(t)
}

func TestTheStatusLineIsOneLineOfJSON(t *testing.T) {
	t.Parallel()
	var line strings.Builder
	if err := WriteReady(&line, control.Status{Mode: "solo"}); err != nil {
		t.Fatal(err)
	}
	var back control.Status
	if err := json.Unmarshal([]byte(line.String()), &back); err != nil || strings.Count(line.String(), "\n") != 1 || back.Mode != "solo" {
		t.Errorf("%q, %v", line.String(), err)
	}
}
