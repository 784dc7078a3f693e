package node_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"collie/node/api"
	"collie/node/pane"
)

func TestKeysThatAreSentTwiceArePressedOnce(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, record := recording(t, n, pane.Spec{}, raw, "raw program")
	for _, k := range []api.Keys{
		{Keys: []string{"a"}, Client: "page", N: 1},
		{Keys: []string{"a"}, Client: "page", N: 1},
		{Keys: []string{"b", "Enter"}, Client: "page", N: 2},
		{Keys: []string{"b", "Enter"}, Client: "page", N: 2},
		{Keys: []string{"c"}, Client: "another page", N: 1},
	} {
		if err := n.Local().Keys(t.Context(), id, k); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "each key once", func() bool { return record() == "ab\rc" })
	err := n.Local().Keys(t.Context(), id, api.Keys{Keys: []string{"a"}, Client: "page", N: 1})
	refused(t, "keys from before the last ones", err, api.ErrRepeated)
}

func TestAKeyThatIsNotKnownRefusesAllOfThem(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, record := recording(t, n, pane.Spec{}, raw, "raw program")
	err := n.Local().Keys(t.Context(), id, api.Keys{Keys: []string{"a", "Hyper+Q"}, Client: "page", N: 1})
	refused(t, "an unknown key", err, api.ErrUnknownKey)
	// The count was not used up by the refusal.
	if err := n.Local().Keys(t.Context(), id, api.Keys{Keys: []string{"b"}, Client: "page", N: 1}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the good key alone", func() bool { return record() == "b" })
}

func TestTheAuditLogHoldsNoLetterOfATypedPassword(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{"preview": `"•••••••Enter"`, "none": `"Enter"`} {
		t.Run(content, func(t *testing.T) {
			t.Parallel()
			n := open(t, "COLLIE_AUDIT_CONTENT="+content)
			path, record := recorder(t)
			id := run(t, n, pane.Spec{}, fmt.Sprintf("stty -echo; printf 'Password: '; IFS= read -r p; printf '%%s' \"$p\" > %s; sleep 100", path), "Password:")
			if err := n.Local().Keys(t.Context(), id, api.Keys{Keys: []string{"h", "u", "n", "t", "e", "r", "2", "Enter"}, Typed: true}); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the password", func() bool { return record() == "hunter2" })
			data, err := os.ReadFile(n.Folder.Path("audit.log"))
			if err != nil {
				t.Fatal(err)
			}
			var line string
			for _, l := range strings.Split(string(data), "\n") {
				if strings.Contains(l, "pane.keys") {
					line = l
				}
			}
			_, what, _ := strings.Cut(line, `"what":`)
			what, _, _ = strings.Cut(what, `,"outcome"`)
			if got := strings.ReplaceAll(what, " ", ""); got != want {
				t.Errorf("the log holds %s, want %s in\n%s", got, want, line)
			}
		})
	}
}

func TestAWriteThatCannotBeAuditedIsRefused(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, record := recording(t, n, pane.Spec{}, lines, "ready>")
	if err := n.Audit.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := submit(t, n, id, "unseen")
	refused(t, "a reply without an audit log", err, api.ErrAuditUnavailable)
	refused(t, "keys without an audit log", n.Local().Keys(t.Context(), id, api.Keys{Keys: []string{"x", "Enter"}}), api.ErrAuditUnavailable)
	refused(t, "a close without an audit log", n.Local().Close(t.Context(), id), api.ErrAuditUnavailable)
	given(t, record, "")
}

func TestTheAuditLogMasksASecretThatIsSentToAnAgent(t *testing.T) {
	t.Parallel()
	n := open(t, "COLLIE_REDACT=off")
	id, record := recording(t, n, pane.Spec{Harness: "agent"}, lines, "ready>")
	token := "gh" + "p_" + strings.Repeat("x7Kq2m", 6)
	if _, err := submit(t, n, id, "export T="+token); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the whole line", func() bool { return record() == "export T="+token+"\n" })
	data, err := os.ReadFile(n.Folder.Path("audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), "export T=ghp_••••") || strings.Contains(string(data), token) {
		t.Errorf("the log holds\n%s", data)
	}
}

func TestArrowsFollowTheModeOfTheProgram(t *testing.T) {
	t.Parallel()
	n := open(t)
	for name, c := range map[string]struct{ mode, want string }{
		"normal":      {"", "\x1b[Ax"},
		"application": {"\\033[?1h", "\x1bOAx"},
	} {
		path, record := recorder(t)
		id := run(t, n, pane.Spec{}, "stty raw -echo; printf '"+c.mode+"raw program'; cat >> "+path, "raw program")
		if err := n.Local().Keys(t.Context(), id, api.Keys{Keys: []string{"Up", "x"}}); err != nil {
			t.Fatal(err)
		}
		eventually(t, name+" arrow", func() bool { return record() == c.want })
	}
}
