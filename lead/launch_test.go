package lead

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/launch"
)

func (m *machine) Launchers(context.Context) (api.Launchers, error) {
	return m.launchers, m.wrote("launchers")
}

func (m *machine) Launch(_ context.Context, launch api.Launch) (api.Launched, error) {
	row := ""
	if launch.Row != nil {
		row = fmt.Sprintf("%+v", *launch.Row)
	}
	return api.Launched{ID: "p9", Submitted: true}, m.wrote("launch", launch.ID, fmt.Sprint(launch.Confirmed), row)
}

func (m *machine) Run(_ context.Context, run api.Run) (api.Launched, error) {
	return api.Launched{ID: "p9", Submitted: true}, m.wrote("run", run.Line)
}

// phones are paired devices by label, as a lead knows them.
type phones map[string]time.Time

func (p phones) find(label string) (time.Time, bool, error) {
	since, paired := p[label]
	return since, paired, nil
}

// launchersLead is a lead that keeps launchers for phones, and how they change
// them.
func launchersLead(t *testing.T, paired phones) (l *Lead, change func(device, body string) (int, string)) {
	t.Helper()
	n := openNode(t, slog.New(slog.DiscardHandler))
	l = New(n, time.Now, slog.New(slog.DiscardHandler))
	routes := l.KeepLaunchers(n.Folder.Path("added.json"), paired.find)
	return l, func(device, body string) (int, string) {
		request := httptest.NewRequest(http.MethodPost, "/api/launchers", strings.NewReader(body))
		w := httptest.NewRecorder()
		routes[0].Handle(w, request.WithContext(api.WithDevice(request.Context(), device)), nil)
		return w.Code, w.Body.String()
	}
}

func TestARowBelongsToOnePairingOfADevice(t *testing.T) {
	t.Parallel()
	paired := phones{"pixel": noon, "tablet": noon}
	l, change := launchersLead(t, paired)
	rows := func(device string) (mine []api.LauncherRow) {
		t.Helper()
		machine, err := l.Machine("")
		must(t, err)
		all, err := machine.Launchers(api.WithDevice(t.Context(), device))
		must(t, err)
		for _, row := range all.Rows {
			if row.Device != "" {
				mine = append(mine, row)
			}
		}
		return mine
	}
	for body, want := range map[string]int{
		`{"add":{"name":"Plan","harness":"claude","options":["plan"],"folder":"src"}}`: 200,
		`{"add":{"name":"x","harness":"claude","options":["--yolo"]}}`:                 400,
		`{"add":{"name":"x","command":"make"}}`:                                        403,
		`{}`:                                                                           400,
		`{"remove":"nothing"}`:                                                         404,
		`{"add":{"name":"x","id":1}}`:                                                  400,
	} {
		if status, answer := change("pixel", body); status != want {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	if status, _ := change("", `{"add":{"name":"x","harness":"claude"}}`); status != 403 {
		t.Errorf("nobody's row: %d", status)
	}
	got := rows("pixel")
	if len(got) != 1 || got[0].Line != "claude --permission-mode plan" || got[0].Folder != "~/src" || !got[0].Mine || got[0].Device != "pixel" {
		t.Fatalf("the rows are %+v", got)
	}
	if others := rows("tablet"); len(others) != 1 || others[0].Mine {
		t.Errorf("another device sees %+v", others)
	}
	if status, _ := change("tablet", `{"remove":"`+got[0].ID+`"}`); status != 404 {
		t.Errorf("another device removes it: %d", status)
	}
	member := newMachine()
	launched, err := launching{member, l, ""}.Launch(t.Context(), api.Launch{ID: got[0].ID, Confirmed: true})
	must(t, err)
	if want := "launch  true {Name:Plan Harness:claude Options:[plan] Command: Folder:src}"; launched.ID != "p9" || member.got()[0] != want {
		t.Errorf("the machine was asked for %q", member.got())
	}
	paired["pixel"] = noon.Add(time.Hour) // revoked, and paired again under its label
	if left := rows("tablet"); len(left) != 0 {
		t.Errorf("after the revocation there is %+v", left)
	}
	kept := func() bool {
		data, err := os.ReadFile(l.node.Folder.Path("added.json"))
		must(t, err)
		return strings.Contains(string(data), "Plan")
	}
	if !kept() {
		t.Error("whoever looks writes a file")
	}
	if status, answer := change("tablet", `{"add":{"name":"Test","harness":"claude"}}`); status != http.StatusOK || kept() {
		t.Errorf("a row of a revoked device takes room from the next one: %d %s", status, answer)
	}
	lines, err := l.node.Audit.Tail(10)
	must(t, err)
	if !slices.ContainsFunc(lines, func(line audit.Line) bool {
		return line.Action == "launcher.add" && *line.Device == "pixel" && *line.What == "Plan"
	}) {
		t.Errorf("the audit log has %+v", lines)
	}
}

func TestARowOfARevokedPhoneCountsNoMoreThoughTheDiskKeepsIt(t *testing.T) {
	t.Parallel()
	paired := phones{"pixel": noon, "tablet": noon}
	l, change := launchersLead(t, paired)
	for _, device := range []string{"pixel", "tablet"} {
		if status, answer := change(device, `{"add":{"name":"`+device+`","harness":"claude"}}`); status != http.StatusOK {
			t.Fatalf("%d %s", status, answer)
		}
	}
	lost := l.added.Of("")[0]
	path := l.node.Folder.Path("added.json") // nothing takes the place of a folder
	must(t, os.Remove(path))
	must(t, os.Mkdir(path, 0o700))
	delete(paired, "pixel")
	member := newMachine()
	member.launchers.Phone.Adds = true
	all, err := launching{member, l, ""}.Launchers(t.Context())
	must(t, err)
	if len(all.Rows) != 1 || all.Rows[0].Device != "tablet" {
		t.Errorf("the rows are %+v", all.Rows)
	}
	_, err = launching{member, l, ""}.Launch(t.Context(), api.Launch{ID: lost.ID()})
	must(t, err)
	if got := member.got(); slices.ContainsFunc(got, func(call string) bool { return strings.Contains(call, "Name:pixel") }) {
		t.Errorf("the machine was asked for %q", got)
	}
}

func TestALaunchOnAMemberIsWrittenDownWithoutALine(t *testing.T) {
	t.Parallel()
	member := newMachine()
	m := atlas(t, member)
	_, err := m.Run(t.Context(), api.Run{Line: "make zebra"})
	must(t, err)
	_, err = m.Launch(t.Context(), api.Launch{ID: "abc"})
	must(t, err)
	lines, err := m.audit.Tail(10)
	must(t, err)
	if len(lines) != 2 || lines[0].Action != "pane.run" || lines[0].What != nil || lines[1].Action != "pane.launch" || *lines[1].What != "abc" || *lines[1].Host != "atlas" {
		t.Errorf("the audit log has %+v", lines)
	}
	if got := strings.Join(member.got(), ", "); got != "run make zebra, launch abc false " {
		t.Errorf("the member was asked for %q", got)
	}
}

func TestAChangeOfTheLaunchersThatIsRefusedHasASecondLineInTheAuditLog(t *testing.T) {
	t.Parallel()
	l, change := launchersLead(t, phones{"pixel": noon})
	for i := range launch.MaxAdded {
		if status, answer := change("pixel", fmt.Sprintf(`{"add":{"name":"row %d","harness":"claude"}}`, i)); status != http.StatusOK {
			t.Fatalf("row %d: %d %s", i, status, answer)
		}
	}
	if status, answer := change("pixel", `{"add":{"name":"one more","harness":"claude"}}`); !strings.Contains(answer, `"too_many_launchers"`) {
		t.Errorf("one more: %d %s", status, answer)
	}
	if status, answer := change("pixel", `{"remove":"nothing"}`); !strings.Contains(answer, `"launcher_not_found"`) {
		t.Errorf("what is not there: %d %s", status, answer)
	}
	lines, err := l.node.Audit.Tail(5)
	must(t, err)
	var got []string
	for _, line := range lines {
		got = append(got, line.Action+" "+line.Outcome)
	}
	want := []string{"launcher.add accepted", "launcher.add accepted", "launcher.add too_many_launchers", "launcher.remove accepted", "launcher.remove launcher_not_found"}
	if !slices.Equal(got, want) {
		t.Errorf("the audit log has %q, want %q", got, want)
	}
}
