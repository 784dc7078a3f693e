package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"collie/node/walky"
)

// signedAt is what a system sends at a time that signs by the standard.
func signedAt(c Channel, id, body string, at time.Time) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	sum := base64.StdEncoding.EncodeToString(c.sum(id, ".", stamp, ".", body))
	return http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {"v1," + sum}}
}

// The clock is the machine's: what it reads has a part that no file keeps. The
// system that sends signs each attempt anew, with the time of the attempt.
func TestADeliveryThatIsTriedAgainAfterACrashIsTheSameMessage(t *testing.T) {
	t.Parallel()
	for _, c := range []Channel{standardChannel(t), gitHubChannel} {
		folder, box := t.TempDir(), &mailbox{}
		open := func() *Desk {
			return Open(Config{Folder: folder, Post: box.post, Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler)})
		}
		headers := map[Format][]http.Header{
			Standard: {signedAt(c, "one", gitHubBody, time.Now()), signedAt(c, "one", gitHubBody, time.Now().Add(time.Minute))},
			GitHub:   {gitHubHeader("1"), gitHubHeader("1")},
		}[c.Format]
		d := open()
		if _, err := d.Add(c.Name, c.Format, c.Target(), c.Secret); err != nil {
			t.Fatal(err)
		}
		for i, h := range headers {
			if r, err := d.Deliver(t.Context(), c.Name, h, []byte(gitHubBody)); err != nil || r.State == walky.Refused {
				t.Fatalf("%s, attempt %d: %+v, %v", c.Format, i, r, err)
			}
			if err := os.RemoveAll(filepath.Join(folder, "channels")); err != nil { // posted, and not remembered
				t.Fatal(err)
			}
			d = open()
		}
		if posts := box.list(); len(posts) != 1 {
			t.Errorf("%s: posted %d times", c.Format, len(posts))
		}
	}
}

// An id of the standard format is signed, so it says which delivery it is: with a
// crash before it was remembered the answer is the one without.
func TestADeliveryThatIsTriedAgainWithAnotherBodyIsARepetition(t *testing.T) {
	t.Parallel()
	for _, crash := range []bool{false, true} {
		folder, box := t.TempDir(), &mailbox{}
		open := func() *Desk {
			return Open(Config{Folder: folder, Post: box.post, Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler)})
		}
		c, d := standardChannel(t), open()
		if _, err := d.Add(c.Name, c.Format, c.Target(), c.Secret); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Deliver(t.Context(), c.Name, signedAt(c, "one", "first", time.Now()), []byte("first")); err != nil {
			t.Fatal(err)
		}
		if crash {
			if err := os.RemoveAll(filepath.Join(folder, "channels")); err != nil { // posted, and not remembered
				t.Fatal(err)
			}
			d = open()
		}
		for range 2 {
			if _, err := d.Deliver(t.Context(), c.Name, signedAt(c, "one", "other", time.Now()), []byte("other")); err != errRepeated {
				t.Errorf("crash %v: %v", crash, err)
			}
		}
		if posts := box.list(); len(posts) != 1 || posts[0].Body != "first" {
			t.Errorf("crash %v: posted %+v", crash, posts)
		}
	}
}

func TestAChannelThatIsRemovedDuringADeliveryLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	posting, goOn := make(chan struct{}, 2), make(chan struct{})
	d := Open(Config{
		Folder: folder, Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
		Post: func(context.Context, walky.Post) (walky.Receipt, error) {
			posting <- struct{}{}
			<-goOn
			return walky.Receipt{State: walky.Delivered}, nil
		},
	})
	addBoth(t, d)
	deliver := func(id string) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := d.Deliver(t.Context(), "ci", signedAt(standardChannel(t), id, id, time.Now()), []byte(id))
			done <- err
		}()
		return done
	}
	first := deliver("first")
	<-posting
	second, removed := deliver("second"), make(chan error, 1)
	go func() { removed <- d.Remove("ci") }()
	close(goOn)
	if err := <-removed; err != nil {
		t.Fatal(err)
	}
	if err := <-first; err != nil {
		t.Errorf("one that was being posted: %v", err)
	}
	<-second // posted before, or refused after
	if _, err := os.Stat(filepath.Join(folder, "channels", "ci.seen")); !os.IsNotExist(err) {
		t.Errorf("what the channel had seen is still there: %v", err)
	}
	if err := <-deliver("third"); err != errSignature {
		t.Errorf("a delivery after it: %v", err)
	}
}
