package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"collie/node/control"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// standIn is a program that answers like collie. What it is comes from files
// beside it: a state folder with running, crew (its crew.id) and joined.
const standIn = `#!/bin/sh
state="$HOME/state"
[ "$1" = --json ] && shift
case "$1" in
version) printf '%s\n' '{"version": "1"}' ;;
config) printf '[{"name": "COLLIE_STATE_DIR", "value": "%s"}]\n' "$state" ;;
status)
	[ -e "$state/running" ] || { echo "collie: no node runs here" >&2; exit 5; }
	crew=null
	[ -e "$state/crew" ] && crew='{"id": "'$(cat "$state/crew")'", "name": "a crew", "memberId": "juno"}'
	echo '{"version": "1", "pid": 7, "mode": "solo", "crew": '$crew'}' ;;
up)
	[ -e "$state/broken" ] && { echo "{\"level\": \"INFO\"}"; echo "collie: the port is in use"; echo "hint: take another"; exit 1; }
	: >"$state/running"
	exec sleep 1 ;;
crew)
	IFS= read -r token
	echo "$2 $3 $4 $5 $6 <$token>" >>"$state/joins"
	case $3 in
	lost:*) echo ours >"$state/crew"; echo "collie: no answer came; whether it was done is not known"; exit 5 ;;
	away:*) echo "collie: the lead cannot be reached"; exit 5 ;;
	shut:*) echo "collie: this machine was not let in: the token was used"; exit 4 ;;
	esac
	echo ours >"$state/crew"
	echo '{"crewId": "ours", "crewName": "a crew", "memberId": "juno", "lead": "atlas"}' ;;
esac
`

// A lead is the node of this machine.
type lead struct {
	status  control.Status
	invited int
	members []control.CrewMember
}

func (l *lead) Call(_ context.Context, _, path string, _, out any) error {
	var answer any
	switch path {
	case "/status":
		answer = l.status
	case "/crew/invite":
		l.invited++
		answer = control.Invite{Token: "secret.fingerprint", Addresses: []string{"away:1", "away:2", "near:3"}}
	case "/crew/status":
		answer = control.CrewStatus{Members: l.members}
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, out)
}

// A trial adds a machine that is a folder of the test, over a shell of this one.
type trial struct {
	home  string
	lead  *lead
	ssh   []string
	steps []string
	adding
}

func try(t *testing.T) *trial {
	t.Helper()
	r := &trial{home: t.TempDir(), lead: &lead{
		status:  control.Status{PID: 1, Mode: "lead", Crew: &control.StatusCrew{ID: "ours", Name: "a crew"}},
		members: []control.CrewMember{{MemberID: "juno", State: "reachable"}},
	}}
	r.has(t, "state/empty", "")
	r.ssh = []string{"env", "HOME=" + r.home, "PATH=" + filepath.Join(r.home, "bin") + ":/usr/bin:/bin", "sh"}
	r.Options = Options{
		Target: "juno", Node: r.lead, Version: "1",
		Open: func() (Program, error) {
			return Program{io.NopCloser(strings.NewReader(standIn)), int64(len(standIn)), "1"}, nil
		},
		Replace: func(string) bool { return false },
		Step:    func(text string) { r.steps = append(r.steps, text) },
		Copied:  func(_, _ int64) {},
	}
	return r
}

// has puts a file below the home of the machine.
func (r *trial) has(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(r.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

func (r *trial) reads(name string) string {
	text, err := os.ReadFile(filepath.Join(r.home, name))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (r *trial) add(t *testing.T) (Added, error) {
	t.Helper()
	r.ctx, r.done = t.Context(), Added{}
	err := r.run(r.ssh)
	return r.done, err
}

func TestAnEmptyMachineGetsTheProgramAndJoinsByTheFirstAddressThatAnswers(t *testing.T) {
	t.Parallel()
	r := try(t)
	r.Label = `it's "$(mine)"`
	got, err := r.add(t)
	want := Added{MemberID: "juno", CrewID: "ours", CrewName: "a crew", Program: filepath.Join(r.home, installed), Copied: true, Started: true, Joined: true}
	if err != nil || got != want {
		t.Fatalf("%+v, %v\n%q", got, err, r.steps)
	}
	line := func(address string) string {
		return "join " + address + " - --label " + r.Label + " <secret.fingerprint>\n"
	}
	if joins := r.reads("state/joins"); joins != line("away:1")+line("away:2")+line("near:3") {
		t.Errorf("the joins were\n%s", joins)
	}
	if program := r.reads(installed); program != standIn {
		t.Errorf("the program is %d bytes, want %d", len(program), len(standIn))
	}

	again, err := r.add(t)
	want.Copied, want.Started, want.Joined = false, false, false
	if err != nil || again != want || r.lead.invited != 1 {
		t.Errorf("again: %+v, %v, %d invites", again, err, r.lead.invited)
	}
}

func TestAMemberWhoseNodeStoppedIsStartedAndNotJoined(t *testing.T) {
	t.Parallel()
	r := try(t)
	r.has(t, "bin/collie", standIn)
	r.has(t, "state/crew", "ours")
	got, err := r.add(t)
	if err != nil || !got.Started || got.Joined || got.Copied || got.Program != filepath.Join(r.home, "bin/collie") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAMemberThatIsUnenrolledJoinsAgain(t *testing.T) {
	t.Parallel()
	r := try(t)
	r.has(t, "bin/collie", standIn)
	r.has(t, "state/running", "")
	r.has(t, "state/crew", "ours")
	r.lead.members[0].State = "unenrolled"
	r.Node = rejoined{r.lead}
	if got, err := r.add(t); err != nil || !got.Joined {
		t.Errorf("%+v, %v", got, err)
	}
}

// rejoined is a lead that enrols again whom it invites.
type rejoined struct{ *lead }

func (l rejoined) Call(ctx context.Context, method, path string, in, out any) error {
	if l.invited > 0 {
		l.members[0].State = "reachable"
	}
	return l.lead.Call(ctx, method, path, in, out)
}

func TestAJoinWhoseAnswerWasLostCounts(t *testing.T) {
	t.Parallel()
	r := try(t)
	r.Addresses = []string{"lost:1", "near:2"}
	got, err := r.add(t)
	if err != nil || !got.Joined || got.MemberID != "juno" || strings.Contains(r.reads("state/joins"), "near:2") {
		t.Errorf("%+v, %v\n%s", got, err, r.reads("state/joins"))
	}
}

func TestAnotherVersionStaysUnlessItIsToGo(t *testing.T) {
	t.Parallel()
	r := try(t)
	other := strings.Replace(standIn, `"version": "1"`, `"version": "0\u001b[31m"`, 1)
	r.has(t, "bin/collie", other)
	if _, err := r.add(t); !errors.Is(err, ErrVersion) || !strings.HasSuffix(err.Error(), "0[31m instead of 1") || r.reads("bin/collie") != other {
		t.Errorf("%v", err)
	}
	r.Replace = func(question string) bool { return question == "juno has collie 0[31m, this is 1. Replace it?" }
	got, err := r.add(t)
	if err != nil || !got.Copied || r.reads("bin/collie") != standIn {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAProgramThatDoesNotRunIsReplacedOnlyWhenItIsToGo(t *testing.T) {
	t.Parallel()
	r := try(t)
	r.has(t, "bin/collie", "#!/nonexistent\n")
	if _, err := r.add(t); !errors.Is(err, ErrVersion) {
		t.Errorf("%v", err)
	}
	r.Replace = func(string) bool { return true }
	if got, err := r.add(t); err != nil || !got.Copied {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWhatIsNotAdded(t *testing.T) {
	t.Parallel()
	inCrew := func(crew string) func(*testing.T, *trial) {
		return func(t *testing.T, r *trial) {
			r.has(t, "bin/collie", standIn)
			r.has(t, "state/running", "")
			r.has(t, "state/crew", crew)
		}
	}
	for name, c := range map[string]struct {
		is      func(*testing.T, *trial)
		reason  error
		says    string
		next    string
		invites int
	}{
		"a machine for a member": {func(_ *testing.T, r *trial) {
			r.lead.status.Mode, r.lead.status.Crew.Lead = "member", "iris"
		}, ErrNotLead, "this machine is a member", "run it on iris", 0},
		"a member of another crew": {inCrew("theirs"), ErrOtherCrew, "as juno in a crew", "collie crew leave", 0},
		"a stopped one of another": {func(t *testing.T, r *trial) {
			inCrew("theirs")(t, r)
			os.Remove(filepath.Join(r.home, "state/running"))
		}, ErrOtherCrew, "as juno in a crew", "collie crew leave", 0},
		"one that the lead removed": {func(t *testing.T, r *trial) { inCrew("ours")(t, r); r.lead.members = nil }, ErrRemoved, "none that is called juno", "collie crew leave", 0},
		"this node":                 {func(t *testing.T, r *trial) { inCrew("ours")(t, r); r.lead.status.PID = 7 }, ErrItself, "", "another machine", 0},
		"a machine of another kind": {func(t *testing.T, r *trial) { r.has(t, "bin/uname", "#!/bin/sh\necho mips\n") }, ErrForeign, "it is mips/mips", "install collie 1", 0},
		"one without uname":         {func(t *testing.T, r *trial) { r.has(t, "bin/uname", "#!/bin/sh\nexit 1\n") }, ErrAnswer, "what kind of machine", "uname", 0},
		"one with no place for it":  {func(t *testing.T, r *trial) { r.has(t, ".local", "") }, ErrCopy, "mkdir", "look at the folder", 0},
		"one that takes half of it": {func(t *testing.T, r *trial) {
			r.has(t, "bin/head", "#!/bin/sh\n/usr/bin/head -c \"$2\" | /usr/bin/head -c 7\n")
		}, ErrCopy, "it did not arrive whole", "look at the folder", 0},
		"one whose disk is full": {func(t *testing.T, r *trial) {
			r.has(t, "bin/head", "#!/bin/sh\necho 'head: No space left on device' >&2\nexit 1\n")
			r.Open = func() (Program, error) {
				return Program{io.NopCloser(strings.NewReader(strings.Repeat("x", 4<<20))), 4 << 20, "1"}, nil
			}
		}, ErrCopy, "No space left on device", "look at the folder", 0},
		"one on which it does not run": {func(_ *testing.T, r *trial) {
			r.Open = func() (Program, error) {
				return Program{io.NopCloser(strings.NewReader("#!/nonexistent")), 14, "1"}, nil
			}
		}, ErrCopy, "", "look at the folder", 0},
		"one whose node does not start": {func(t *testing.T, r *trial) { r.has(t, "state/broken", "") }, ErrStart, "the port is in use", "take another", 0},
		"one that is not let in":        {func(_ *testing.T, r *trial) { r.Addresses = []string{"shut:1", "near:2"} }, ErrRefused, "the token was used", "", 1},
		"one that finds no lead":        {func(_ *testing.T, r *trial) { r.Addresses = []string{"away:1"} }, ErrRefused, "the lead cannot be reached", "--address HOST:PORT", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := try(t)
			c.is(t, r)
			_, err := r.add(t)
			var failed *Failure
			if !errors.As(err, &failed) || failed.Reason != c.reason || !strings.Contains(failed.What, c.says) || !strings.Contains(failed.Next, c.next) {
				t.Errorf("%#v", err)
			}
			if r.lead.invited != c.invites {
				t.Errorf("%d invites, want %d", r.lead.invited, c.invites)
			}
			if left, err := filepath.Glob(filepath.Join(r.home, ".local/bin/.*")); err != nil || len(left) > 0 {
				t.Errorf("left is %v, %v", left, err)
			}
		})
	}
}

func TestStepsAreCleanLines(t *testing.T) {
	t.Parallel()
	r := try(t)
	r.has(t, "bin/collie", strings.Replace(standIn, `"version": "1"`, `"version": "1\n\u001b]0;owned\u0007"`, 1))
	r.Replace = func(string) bool { return true }
	if _, err := r.add(t); err != nil {
		t.Fatal(err)
	}
	if at := slices.IndexFunc(r.steps, func(step string) bool { return strings.ContainsAny(step, "\n\x1b\x07") }); at >= 0 {
		t.Errorf("step %q", r.steps[at])
	}
}

func TestCheckTarget(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"juno", "dev@juno.example", "ssh://dev@[::1]:2222", "größe"} {
		if err := CheckTarget(target); err != nil {
			t.Errorf("%q: %v", target, err)
		}
	}
	for _, target := range []string{"", "-oProxyCommand=id", "a b", "a\nb", "a\x1b[31m", strings.Repeat("x", 1000)} {
		if err := CheckTarget(target); !errors.Is(err, ErrTarget) {
			t.Errorf("%q: %v", fmt.Sprint(target), err)
		}
		if _, err := Add(t.Context(), Options{Target: target}); !errors.Is(err, ErrTarget) { // before anything is called
			t.Errorf("%q: %v", target, err)
		}
	}
}
