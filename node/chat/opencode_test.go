package chat_test

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/node/chat"
)

const recorded = "ses_dd19991ebffebvFCBwLxLSEMtR"

// opencode makes a database like OpenCode's, with the session that the program
// wrote itself. What it returns writes to it as OpenCode does.
func opencode(t testing.TB) (chat.Source, *sql.DB) {
	t.Helper()
	source := chat.Source{Harness: "opencode", Root: t.TempDir(), Path: "opencode.db", Session: recorded}
	rows, err := os.ReadFile("testdata/opencode.sql")
	must(t, err)
	db, err := sql.Open("sqlite", "file:"+path(source)+"?_pragma=journal_mode(WAL)")
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	db.SetMaxOpenConns(1)
	run(t, db, string(rows))
	return source, db
}

func run(t testing.TB, db *sql.DB, statement string, values ...any) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), statement, values...)
	must(t, err)
}

// utter adds a message with one part.
func utter(t testing.TB, db *sql.DB, n int, message, part string) {
	t.Helper()
	run(t, db, `INSERT INTO message VALUES (?, ?, ?, 0, ?)`, fmt.Sprintf("msg_3%05d", n), recorded, 1796075000000+n/2, message) // two share a time
	run(t, db, `INSERT INTO part VALUES (?, ?, ?, 0, 0, ?)`, fmt.Sprintf("prt_3%05d", n), fmt.Sprintf("msg_3%05d", n), recorded, part)
}

func ask(t testing.TB, db *sql.DB, n int) {
	t.Helper()
	utter(t, db, n, `{"role":"user"}`, fmt.Sprintf(`{"type":"text","text":"question %d 世界"}`, n))
}

// beside is everything in the folder of a database, by its content.
func beside(t *testing.T, s chat.Source) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(s.Root)
	must(t, err)
	files := map[string]string{}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(s.Root, entry.Name()))
		must(t, err)
		if strings.HasSuffix(entry.Name(), "-shm") { // readers take their place in it
			data = nil
		}
		files[entry.Name()] = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	return files
}

func TestARealDatabaseOfOpencodeReadsAsItWasSaid(t *testing.T) {
	t.Parallel()
	source, _ := opencode(t)
	var library chat.Library
	got := page(t, &library, source, "", 100)
	want := []string{
		"person: make it so", "agent: bash(echo 世界) done 世界", "agent: " + answer, `person: "look at this"`, "person: image/png",
		"agent: bash(echo 世界) failed The user rejected permission to use this specific tool call.",
	}
	if diff := cmp.Diff(want, said(got)); diff != "" || got.Skipped != 0 || got.More || got.Cut {
		t.Errorf("%d skipped, more is %v, cut is %v (-want +got):\n%s", got.Skipped, got.More, got.Cut, diff)
	}
	picture := got.Turns[1].Images[0]
	data, err := library.Image(t.Context(), picture.Hash)
	if err != nil || !strings.HasPrefix(string(data), "\x89PNG") {
		t.Errorf("the picture is %.8q, %v", data, err)
	}
	if _, err := library.Image(t.Context(), strings.Repeat("0", 32)); !errors.Is(err, chat.ErrNoImage) {
		t.Errorf("a picture that nobody showed: %v", err)
	}
}

func TestADatabaseIsReadWhileItIsWrittenAndStaysAsItIs(t *testing.T) {
	t.Parallel()
	source, db := opencode(t)
	ask(t, db, 1)
	tx, err := db.BeginTx(t.Context(), nil) // the writer is in the middle of something
	must(t, err)
	_, err = tx.ExecContext(t.Context(), `DELETE FROM message`)
	must(t, err)
	before := beside(t, source)
	var library chat.Library
	if got := said(page(t, &library, source, "", 1)); len(got) != 1 || got[0] != "person: question 1 世界" {
		t.Errorf("beside a writer: %q", got)
	}
	if diff := cmp.Diff(before, beside(t, source)); diff != "" {
		t.Errorf("reading changed files (-before +after):\n%s", diff)
	}
	must(t, tx.Rollback())
	ask(t, db, 2)
	if got := said(page(t, &library, source, "", 1)); len(got) != 1 || got[0] != "person: question 2 世界" {
		t.Errorf("after it went on: %q", got)
	}
	must(t, db.Close())
	before = beside(t, source)
	if len(before) != 1 {
		t.Fatalf("the writer left %v", before)
	}
	if got := said(page(t, &library, source, "", 1)); len(got) != 1 || got[0] != "person: question 2 世界" {
		t.Errorf("without a writer: %q", got)
	}
	if diff := cmp.Diff(before, beside(t, source)); diff != "" {
		t.Errorf("reading changed files (-before +after):\n%s", diff)
	}
}

// TestWhatACrashLeftIsRead reads a log that nobody took into the database, and
// leaves it to OpenCode to do so.
func TestWhatACrashLeftIsRead(t *testing.T) {
	t.Parallel()
	source, db := opencode(t)
	ask(t, db, 1)
	left := source
	left.Root = t.TempDir()
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(path(source) + end)
		must(t, err)
		must(t, os.WriteFile(path(left)+end, data, 0o600))
	}
	before := beside(t, left)
	if got := said(page(t, &chat.Library{}, left, "", 1)); len(got) != 1 || got[0] != "person: question 1 世界" {
		t.Errorf("after a crash: %q", got)
	}
	after := beside(t, left)
	delete(after, "opencode.db-shm") // the index of the log
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("reading changed files (-before +after):\n%s", diff)
	}
}

func TestADatabaseIsPagedFromItsNewestTurnEachTurnOnce(t *testing.T) {
	t.Parallel()
	source, db := opencode(t)
	var want []string
	for n := range 300 {
		ask(t, db, n)
		want = append(want, fmt.Sprintf("person: question %d 世界", n))
	}
	var library chat.Library
	var got []string
	before := ""
	for more := true; more; {
		p := page(t, &library, source, before, 7)
		if len(p.Turns) == 0 || len(p.Turns) > 7 {
			t.Fatalf("a page of %d turns", len(p.Turns))
		}
		got = append(said(p), got...)
		before, more = p.Turns[len(p.Turns)-1].ID, p.More
	}
	if diff := cmp.Diff(want, got[6:]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// What was taken back is not shown.
	run(t, db, `UPDATE session SET revert = '{"messageID":"msg_300010"}'`)
	if got := said(page(t, &library, source, "", 1)); len(got) != 1 || got[0] != "person: question 9 世界" {
		t.Errorf("after some was taken back: %q", got)
	}
}

func TestRowsThatCannotBeReadAreSkippedAndCounted(t *testing.T) {
	t.Parallel()
	source, db := opencode(t)
	run(t, db, `DELETE FROM message`)
	ask(t, db, 1)
	utter(t, db, 2, `not json`, `{}`)
	utter(t, db, 3, `{"role":"user"}`, `{"type":7}`)
	utter(t, db, 4, `{"role":"user","x":"`+strings.Repeat("x", 2<<20)+`"}`, `{}`)
	utter(t, db, 5, `{"role":"user"}`, `{"type":"text","text":"`+strings.Repeat("x", 17<<20)+`"}`)
	utter(t, db, 6, `{"role":"assistant","summary":true}`, `{"type":"text","text":"what went before"}`)
	utter(t, db, 7, `{"role":"of a later version"}`, `{"type":"text","text":"?"}`)
	utter(t, db, 8, `{"role":"user"}`, `{"type":"text","synthetic":true,"text":"the program's own words"}`)
	utter(t, db, 9, `{"role":"assistant"}`, `{"type":"text","text":"`+strings.Repeat("é", 40<<10)+`"}`)
	got := page(t, &chat.Library{}, source, "", 10)
	if len(got.Turns) != 2 || got.Skipped != 4 || got.Turns[1].Text != "question 1 世界" {
		t.Errorf("%d turns and %d skipped", len(got.Turns), got.Skipped)
	}
	if cut := got.Turns[0]; !cut.Cut || len(cut.Text) != chat.MaxTextBytes {
		t.Errorf("a long text has %d bytes, cut is %v", len(cut.Text), cut.Cut)
	}
}

func TestWhatIsNoDatabaseIsAnErrorAndStaysAsItIs(t *testing.T) {
	t.Parallel()
	source := chat.Source{Harness: "opencode", Root: t.TempDir(), Path: "opencode.db", Session: recorded}
	var library chat.Library
	if _, err := library.Page(t.Context(), source, "", 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("one that is not there: %v", err)
	}
	for _, text := range []string{"", "no database", "SQLite format 3\x00" + strings.Repeat("\xff", 5000)} {
		must(t, os.WriteFile(path(source), []byte(text), 0o600))
		before := beside(t, source)
		if _, err := library.Page(t.Context(), source, "", 1); err == nil {
			t.Errorf("%.20q is read", text)
		}
		if diff := cmp.Diff(before, beside(t, source)); diff != "" {
			t.Errorf("reading changed files (-before +after):\n%s", diff)
		}
	}
}

func TestOpencodesSessionIsTheOneOfItsFolder(t *testing.T) {
	t.Parallel()
	source, db := opencode(t)
	data, cwd := t.TempDir(), t.TempDir()
	must(t, os.Symlink(source.Root, filepath.Join(data, "opencode")))
	p := start(t, "opencode", cwd, "XDG_DATA_HOME="+data)
	if _, err := chat.Find(p, chat.Told{}); !errors.Is(err, chat.ErrNone) {
		t.Errorf("before anything was said there: %v", err)
	}
	session := func(id, folder, parent string, after time.Duration) {
		run(t, db, `INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created, time_updated) VALUES (?, 'p', nullif(?, ''), 's', ?, 't', '1', 0, ?)`,
			id, parent, folder, p.Started.Add(after).UnixMilli())
	}
	session("ses_old", cwd, "", -time.Hour)
	session("ses_mine", cwd, "", time.Minute)
	session("ses_helper", cwd, "ses_mine", 2*time.Minute)
	session("ses_elsewhere", "/elsewhere", "", 3*time.Minute)
	sessionFound := func(told, want string) {
		t.Helper()
		got, err := chat.Find(p, chat.Told{Session: told})
		if err != nil || got.Session != want || got.Path != "opencode.db" || got.Root != source.Root {
			t.Errorf("found %+v, %v; want %q", got, err, want)
		}
	}
	sessionFound("", "ses_mine")
	sessionFound("ses_old", "ses_old")
	for _, told := range []string{"ses_elsewhere", "ses_none", "' OR 1=1 --", "../x"} {
		if got, err := chat.Find(p, chat.Told{Session: told}); !errors.Is(err, chat.ErrNone) {
			t.Errorf("%q leads to %+v, %v", told, got, err)
		}
	}
	p.Rivals = func(string) int { return 1 }
	if _, err := chat.Find(p, chat.Told{}); !errors.Is(err, chat.ErrUnclear) {
		t.Errorf("one of two: %v", err)
	}
	sessionFound("ses_mine", "ses_mine")
}

func TestOpencodesDatabaseIsTheOneThatItsProcessHasOpen(t *testing.T) {
	t.Parallel()
	source, db := opencode(t)
	cwd, home := t.TempDir(), t.TempDir()
	run(t, db, `UPDATE session SET directory = ?, time_updated = ?`, cwd, time.Now().Add(time.Hour).UnixMilli())
	must(t, os.Symlink(source.Root, filepath.Join(home, "opencode")))
	dev := filepath.Join(source.Root, "opencode-dev.db")
	run(t, db, `VACUUM INTO ?`, dev)
	for want, p := range map[string]chat.Process{
		"opencode-dev.db": start(t, "opencode", cwd, "XDG_DATA_HOME="+home, dev),
		"opencode.db":     start(t, "opencode", cwd, "OPENCODE_DB="+path(source)),
	} {
		got, err := chat.Find(p, chat.Told{})
		if err != nil || got.Path != want || got.Session != recorded {
			t.Errorf("found %+v, %v; want %q", got, err, want)
		}
	}
}
