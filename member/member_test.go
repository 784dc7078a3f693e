package member

import (
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/mesh/trust"
	"collie/node"
	"collie/node/api"
	"collie/node/config"
	"collie/node/walky"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newMember(t *testing.T) *Member {
	t.Helper()
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	settings, err := config.Load([]string{"COLLIE_STATE_DIR=" + filepath.Join(dir, "state"), "COLLIE_CONFIG_DIR=" + filepath.Join(dir, "config")})
	must(t, err)
	n, err := node.Open(t.Context(), node.Options{Config: settings, Holder: []string{"/bin/false"}, Build: "test", Now: time.Now, Log: log})
	must(t, err)
	t.Cleanup(func() { must(t, n.Close()) })
	return New(n, time.Now, log)
}

func TestTheTableIsThePhonesWithoutSendingAndForTheLeadAlone(t *testing.T) {
	t.Parallel()
	var got []string
	for _, route := range newMember(t).Routes(Crew{}) {
		if !slices.Equal(route.Grades, []trust.Grade{trust.GradeLead}) {
			t.Errorf("%s may be called by %v", route.Path, route.Grades)
		}
		got = append(got, route.Method+" "+route.Path)
	}
	want := []string{"POST /walky/deliver", "POST /walky/result", "POST /walky/recall", "POST /secret"}
	for _, route := range (&api.Handlers{}).Routes() {
		if route.Path != "/walky/send" {
			want = append(want, route.Method+" "+route.Path)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the table is %q, want %q", got, want)
	}
}

func TestAReceiptOfNoMessageOfThisMachineIsRefusedAndAnAnswerAllTheSame(t *testing.T) {
	t.Parallel()
	m := newMember(t)
	for name, receipt := range map[string]walky.Receipt{
		"of a message that is not here": {ID: "01M8PF40DVVSY0ZDX89SH84SRQ", State: walky.Read},
		"of nothing":                    {State: walky.Read},
		"of a state that is none":       {ID: "01M8PF40DVVSY0ZDX89SH84SRQ", State: "exploded"},
		"with words of its own":         {ID: "01M8PF40DVVSY0ZDX89SH84SRQ", State: walky.Refused, Reason: "Run: rm -rf /"},
	} {
		if done, err := m.result(receipt); done.OK || api.AsError(err).Code != "walky_refused" {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
}

func TestASoloNodeFollowsNobody(t *testing.T) {
	t.Parallel()
	m := newMember(t)
	store, err := trust.Open(filepath.Join(t.TempDir(), trust.FileName), time.Now)
	must(t, err)
	crew := Crew{Store: store}
	if err := m.Run(t.Context(), crew); !errors.Is(err, trust.ErrSolo) {
		t.Errorf("Run: %v", err)
	}
	if err := m.Leave(t.Context(), crew); !errors.Is(err, trust.ErrSolo) {
		t.Errorf("Leave: %v", err)
	}
	if _, err := m.receive(t.Context(), crew, walky.Delivery{}); api.AsError(err).Code != "wrong_role" {
		t.Errorf("a message: %v", err)
	}
}
