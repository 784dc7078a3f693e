package daemon

import (
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

// block puts a folder that holds something where a file is to be, so that the
// disk refuses to write it, and returns what ends that.
func block(t *testing.T, path string) (free func()) {
	t.Helper()
	eventually(t, "something in the way of "+path, func() bool { // a write may come in between
		return os.RemoveAll(path) == nil && os.MkdirAll(filepath.Join(path, "in the way"), 0o700) == nil
	})
	return func() {
		t.Helper()
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARemovalThatTheDiskRefusesCountsIsSaidAndIsStoredLater(t *testing.T) {
	t.Parallel()
	atlas, juno := begin(t, t.TempDir(), "COLLIE_LABEL=atlas"), begin(t, t.TempDir(), "COLLIE_LABEL=juno")
	invite := post[control.Invite](t, atlas, "/crew/invite", control.InviteRequest{})
	post[control.Joined](t, juno, "/crew/join", control.JoinRequest{Address: invite.Addresses[0], Token: invite.Token})
	eventually(t, "the link", func() bool {
		rows := get[control.CrewStatus](t, atlas, "/crew/status").Members
		return len(rows) == 2 && rows[1].State == "reachable"
	})
	path := atlas.state(trust.FileName)
	free := block(t, path)
	for _, which := range []string{"the first", "the second"} {
		err := atlas.call(t, http.MethodPost, "/crew/members/juno/remove", struct{}{}, nil)
		if detail := refused(t, which+" removal", err, api.ErrUnsaved); !strings.Contains(detail, path) {
			t.Errorf("%s removal does not name the file: %s", which, detail)
		}
		if rows := get[control.CrewStatus](t, atlas, "/crew/status").Members; len(rows) != 1 {
			t.Errorf("after %s removal the crew has %d members", which, len(rows))
		}
	}
	if trouble := get[control.Status](t, atlas, "/status").Trouble; len(trouble) != 1 || !strings.Contains(trouble[0].What, path) {
		t.Errorf("the status has the trouble %+v", trouble)
	}
	for _, c := range get[control.Doctor](t, atlas, "/doctor").Checks {
		if c.ID == "crew-file" && c.Verdict != fail {
			t.Errorf("the doctor says %+v", c)
		}
	}
	free()
	eventually(t, "the removal on the disk", func() bool { return len(get[control.Status](t, atlas, "/status").Trouble) == 0 })
	stored, err := trust.Open(path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, found := stored.Crew().Member("juno"); found {
		t.Error("the file still has the member")
	}
	refused(t, "a removal of nobody", atlas.call(t, http.MethodPost, "/crew/members/juno/remove", struct{}{}, nil), api.ErrHostUnknown)
}

func TestAnInviteThatTheDiskRefusesSaysSoAndLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{trust.IdentityFileName, trust.FileName} {
		n := begin(t, t.TempDir())
		free := block(t, n.state(name))
		err := n.call(t, http.MethodPost, "/crew/invite", control.InviteRequest{}, nil)
		want := api.ErrCannotStore
		if name == trust.IdentityFileName { // it is there and cannot be read
			want = api.ErrCrewUnavailable
		}
		if detail := refused(t, name, err, want); !strings.Contains(detail, n.state(name)) {
			t.Errorf("%s: the refusal does not name the file: %s", name, detail)
		}
		free()
		eventually(t, "a disk that owes nothing", func() bool { return len(get[control.Status](t, n, "/status").Trouble) == 0 })
		solo(t, n)
	}
}

func TestANodeThatCannotWriteItsLocalSecretStartsWithoutIt(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".local/state/collie", localSecretName), 0o700); err != nil {
		t.Fatal(err)
	}
	n := begin(t, home)
	if status := get[control.Status](t, n, "/status"); status.Mode != "solo" {
		t.Errorf("status is %+v", status)
	}
	if !strings.Contains(n.log.String(), localSecretName) {
		t.Errorf("the log does not name it: %s", n.log)
	}
}
