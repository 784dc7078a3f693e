package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/node/walky"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mailbox is a station that keeps what is posted to it.
type mailbox struct {
	mu     sync.Mutex
	posts  []walky.Post
	refuse walky.Receipt
	err    error
}

func (m *mailbox) post(_ context.Context, p walky.Post) (walky.Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil || m.refuse.State != "" {
		return m.refuse, m.err
	}
	for _, earlier := range m.posts {
		if earlier.ID == p.ID && earlier.Body != p.Body {
			return walky.Receipt{}, &walky.CheckError{Check: walky.CheckReplay, ID: p.ID}
		}
		if earlier.ID == p.ID {
			return walky.Receipt{ID: p.ID, State: walky.Read}, nil
		}
	}
	m.posts = append(m.posts, p)
	return walky.Receipt{ID: p.ID, State: walky.Delivered}, nil
}

func (m *mailbox) list() []walky.Post {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]walky.Post(nil), m.posts...)
}

func newDesk(folder string, box *mailbox) *Desk {
	return Open(Config{
		Folder: folder, Post: box.post, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Unix(standardStamp, 0) },
	})
}

// addBoth opens the two channels of the specifications' examples.
func addBoth(t *testing.T, d *Desk) {
	t.Helper()
	for _, c := range []Channel{standardChannel(t), gitHubChannel} {
		if _, err := d.Add(c.Name, c.Format, c.Target(), c.Secret); err != nil {
			t.Fatal(err)
		}
	}
}

func TestASignedDeliveryIsPostedAsTheWebhookOfItsChannel(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	d := newDesk(t.TempDir(), box)
	addBoth(t, d)
	r, err := d.Deliver(t.Context(), "ci", standardHeader(), []byte(standardBody))
	if err != nil || r.State != walky.Delivered {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := d.Deliver(t.Context(), "github", gitHubHeader("72d3162e"), []byte(gitHubBody)); err != nil {
		t.Fatal(err)
	}
	posts := box.list()
	if len(posts) != 2 {
		t.Fatalf("posted %+v", posts)
	}
	want := walky.Post{Door: walky.Door{Kind: walky.Webhook, Name: "ci"}, ID: posts[0].ID, Label: "webhook ci", To: walky.Address{Pane: "p1"}, Body: standardBody}
	if posts[0] != want {
		t.Errorf("posted %+v, want %+v", posts[0], want)
	}
	if posts[1].Label != "webhook github: push" || posts[1].Body != gitHubBody {
		t.Errorf("posted %+v", posts[1])
	}
}

func TestADeliveryThatComesAgainIsNotPostedTwiceAlsoAfterARestart(t *testing.T) {
	t.Parallel()
	folder, box := t.TempDir(), &mailbox{}
	d := newDesk(folder, box)
	addBoth(t, d)
	deliver := func(d *Desk, name string, h http.Header, body string) error {
		_, err := d.Deliver(t.Context(), name, h, []byte(body))
		return err
	}
	if err := deliver(d, "ci", standardHeader(), standardBody); err != nil {
		t.Fatal(err)
	}
	if err := deliver(d, "github", gitHubHeader("1"), gitHubBody); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := deliver(d, "ci", standardHeader(), standardBody); !errors.Is(err, errRepeated) {
			t.Errorf("repeated: %v", err)
		}
		if err := deliver(d, "github", gitHubHeader("1"), gitHubBody); !errors.Is(err, errRepeated) {
			t.Errorf("repeated: %v", err)
		}
		if err := deliver(d, "github", gitHubHeader("2"), gitHubBody); !errors.Is(err, errRepeated) {
			t.Errorf("the same body under another id: %v", err)
		}
		d = newDesk(folder, box)
	}
	if posts := box.list(); len(posts) != 2 {
		t.Fatalf("posted %+v", posts)
	}
}

func TestADeliveryWhoseMemoryACrashPreventedIsTheSameMessage(t *testing.T) {
	t.Parallel()
	folder, box := t.TempDir(), &mailbox{}
	d := newDesk(folder, box)
	addBoth(t, d)
	if _, err := d.Deliver(t.Context(), "github", gitHubHeader("1"), []byte(gitHubBody)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(folder, "channels")); err != nil { // posted, and not remembered
		t.Fatal(err)
	}
	d = newDesk(folder, box)
	r, err := d.Deliver(t.Context(), "github", gitHubHeader("2"), []byte(gitHubBody))
	if err != nil || r.State != walky.Read || len(box.list()) != 1 {
		t.Fatalf("%+v, %v; posted %+v", r, err, box.list())
	}
}

func TestATornMemoryIsCutAndGoesOn(t *testing.T) {
	t.Parallel()
	folder, box := t.TempDir(), &mailbox{}
	d := newDesk(folder, box)
	addBoth(t, d)
	if _, err := d.Deliver(t.Context(), "github", gitHubHeader("1"), []byte(gitHubBody)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "channels", "github.seen")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("half"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	d = newDesk(folder, box)
	body := "another"
	mac := hmac.New(sha256.New, gitHubChannel.Secret)
	mac.Write([]byte(body))
	h := gitHubHeader("2")
	h.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	if _, err := d.Deliver(t.Context(), "github", h, []byte(body)); err != nil {
		t.Fatal(err)
	}
	d = newDesk(folder, box)
	for _, id := range []string{"1", "2"} {
		if _, err := d.Deliver(t.Context(), "github", gitHubHeader(id), []byte(gitHubBody)); !errors.Is(err, errRepeated) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 4*16 {
		t.Errorf("file has %d bytes, %v", info.Size(), err)
	}
}

func TestWhatWasNotTakenMayComeAgain(t *testing.T) {
	t.Parallel()
	box := &mailbox{refuse: walky.Receipt{State: walky.Refused, Reason: walky.ReasonGone}}
	d := newDesk(t.TempDir(), box)
	addBoth(t, d)
	if r, err := d.Deliver(t.Context(), "ci", standardHeader(), []byte(standardBody)); err != nil || r.State != walky.Refused {
		t.Fatalf("%+v, %v", r, err)
	}
	box.refuse = walky.Receipt{}
	if r, err := d.Deliver(t.Context(), "ci", standardHeader(), []byte(standardBody)); err != nil || r.State != walky.Delivered {
		t.Fatalf("%+v, %v", r, err)
	}
}

func TestALongBodyIsCutAndSaysSo(t *testing.T) {
	t.Parallel()
	_, label := message(gitHubChannel, delivery{}, []byte(strings.Repeat("x", 20<<10)))
	text, _ := message(gitHubChannel, delivery{}, []byte(strings.Repeat("é", 20<<10)+"\xff\x1b"))
	if label != "webhook github (the first 16 of 20 KiB)" || len(text) > 16<<10 || !strings.HasSuffix(text, "é…") {
		t.Fatalf("label %q, %d bytes", label, len(text))
	}
}

func TestNothingIsTakenWhileTheChannelsCannotBeReadAndTheFileStays(t *testing.T) {
	t.Parallel()
	folder, box := t.TempDir(), &mailbox{}
	addBoth(t, newDesk(folder, box))
	path := filepath.Join(folder, fileName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v, %v", info.Mode(), err)
	}
	for cut := range len(whole) - 1 { // without its last newline it is whole
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		d := newDesk(folder, box)
		if _, err := d.List(); err == nil {
			t.Fatalf("cut at %d: no error", cut)
		}
		_, errDeliver := d.Deliver(t.Context(), "ci", standardHeader(), []byte(standardBody))
		_, errAdd := d.Add("more", GitHub, "p1", gitHubChannel.Secret)
		if errDeliver == nil || errAdd == nil || d.Remove("ci") == nil {
			t.Fatalf("cut at %d: something was done", cut)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != string(whole[:cut]) {
			t.Fatalf("cut at %d: the file was written, %v", cut, err)
		}
	}
	if len(box.list()) != 0 {
		t.Fatalf("posted %+v", box.list())
	}
}

func TestChannelsAreAddedAndRemovedByRule(t *testing.T) {
	t.Parallel()
	d := newDesk(t.TempDir(), &mailbox{})
	addBoth(t, d)
	for name, c := range map[string]Channel{
		"name":   {Name: "../x", Format: GitHub, Pane: "p1", Secret: gitHubChannel.Secret},
		"format": {Name: "a", Format: "mail", Pane: "p1", Secret: gitHubChannel.Secret},
		"secret": {Name: "a", Format: GitHub, Pane: "p1", Secret: []byte("short")},
		"pane":   {Name: "a", Format: GitHub, Pane: "../p1", Secret: gitHubChannel.Secret},
		"taken":  {Name: "ci", Format: GitHub, Pane: "p1", Secret: gitHubChannel.Secret},
	} {
		if _, err := d.Add(c.Name, c.Format, c.Target(), c.Secret); err == nil {
			t.Errorf("%s: no refusal", name)
		}
	}
	if err := d.Remove("github"); err != nil {
		t.Fatal(err)
	}
	if err := d.Remove("github"); !errors.Is(err, ErrUnknown) {
		t.Errorf("removed twice: %v", err)
	}
	if _, err := d.Deliver(t.Context(), "github", gitHubHeader("1"), []byte(gitHubBody)); err != errSignature {
		t.Errorf("a removed channel answers %v", err)
	}
	left, err := d.List()
	if err != nil || len(left) != 1 || left[0].Name != "ci" || left[0].Target() != "p1" {
		t.Fatalf("left %+v, %v", left, err)
	}
}
