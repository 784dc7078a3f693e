package webhook

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The example of the Standard Webhooks specification.
const (
	standardSecret = "plJ3nmyCDGBKInavdOK15jsl"
	standardBody   = `{"event_type":"ping","data":{"success":true}}`
	standardStamp  = 1731705121
)

func standardHeader() http.Header {
	return http.Header{
		"Webhook-Id":        {"msg_loFOjxBNrRLzqYUf"},
		"Webhook-Timestamp": {"1731705121"},
		"Webhook-Signature": {"v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="},
	}
}

func standardChannel(t testing.TB) Channel {
	t.Helper()
	secret, err := base64.StdEncoding.DecodeString(standardSecret)
	if err != nil {
		t.Fatal(err)
	}
	return Channel{Name: "ci", Format: Standard, Pane: "p1", Secret: secret}
}

// The example of GitHub's "Validating webhook deliveries".
const gitHubBody = "Hello, World!"

var gitHubChannel = Channel{Name: "github", Format: GitHub, Pane: "p1", Secret: []byte("It's a Secret to Everybody")}

func gitHubHeader(id string) http.Header {
	return http.Header{
		"X-Hub-Signature-256": {"sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"},
		"X-Github-Delivery":   {id},
		"X-Github-Event":      {"push"},
	}
}

func TestTheSignaturesOfTheSpecificationsAreRight(t *testing.T) {
	t.Parallel()
	now := time.Unix(standardStamp, 0)
	got, err := standardChannel(t).verify(standardHeader(), []byte(standardBody), now)
	if err != nil || got.id != "msg_loFOjxBNrRLzqYUf" || !got.sealed {
		t.Errorf("standard: %+v, %v", got, err)
	}
	got, err = gitHubChannel.verify(gitHubHeader("72d3162e"), []byte(gitHubBody), now)
	if err != nil || got.id != "72d3162e" || got.sealed || got.event != "push" {
		t.Errorf("github: %+v, %v", got, err)
	}
}

func TestWhatTheSecretDoesNotVouchForIsRefusedAlike(t *testing.T) {
	t.Parallel()
	now := time.Unix(standardStamp, 0)
	right := standardHeader().Get("Webhook-Signature")
	for name, change := range map[string]func(h http.Header){
		"no header":        func(h http.Header) { clear(h) },
		"another id":       func(h http.Header) { h.Set("Webhook-Id", "msg_2") },
		"two ids":          func(h http.Header) { h.Add("Webhook-Id", "msg_2") },
		"another time":     func(h http.Header) { h.Set("Webhook-Timestamp", "1731705122") },
		"no version":       func(h http.Header) { h.Set("Webhook-Signature", strings.TrimPrefix(right, "v1,")) },
		"cut":              func(h http.Header) { h.Set("Webhook-Signature", right[:20]) },
		"empty":            func(h http.Header) { h.Set("Webhook-Signature", "v1,") },
		"the fifth of all": func(h http.Header) { h.Set("Webhook-Signature", strings.Repeat("v1,AAAA ", 4)+right) },
	} {
		h := standardHeader()
		change(h)
		if _, err := standardChannel(t).verify(h, []byte(standardBody), now); err != errSignature {
			t.Errorf("%s: %v, want errSignature", name, err)
		}
	}
	if _, err := standardChannel(t).verify(standardHeader(), []byte(standardBody+" "), now); err != errSignature {
		t.Errorf("another body: %v", err)
	}
	dotted := signedAt(standardChannel(t), "a."+strconv.Itoa(standardStamp), "x", now) // signs what id "a" and body "1731705121.x" would
	if _, err := standardChannel(t).verify(dotted, []byte("x"), now); err != errSignature {
		t.Errorf("an id that can be divided: %v", err)
	}
	h := standardHeader()
	h.Set("Webhook-Signature", "v1,AAAA v2,x "+right)
	if _, err := standardChannel(t).verify(h, []byte(standardBody), now); err != nil {
		t.Errorf("a second signature beside another: %v", err)
	}
	for name, change := range map[string]func(h http.Header){
		"no header":     func(h http.Header) { clear(h) },
		"sha1":          func(h http.Header) { h.Set("X-Hub-Signature-256", "sha1=757107ea") },
		"no delivery":   func(h http.Header) { h.Del("X-Github-Delivery") },
		"long delivery": func(h http.Header) { h.Set("X-Github-Delivery", strings.Repeat("a", 257)) },
		"odd delivery":  func(h http.Header) { h.Set("X-Github-Delivery", "a b") },
	} {
		h := gitHubHeader("1")
		change(h)
		if _, err := gitHubChannel.verify(h, []byte(gitHubBody), now); err != errSignature {
			t.Errorf("github, %s: %v, want errSignature", name, err)
		}
	}
}

func TestASignedDeliveryFarFromTheClockIsRefused(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{-5*time.Minute - time.Second, 5*time.Minute + time.Second, 24 * time.Hour} {
		_, err := standardChannel(t).verify(standardHeader(), []byte(standardBody), time.Unix(standardStamp, 0).Add(by))
		if !errors.Is(err, errStale) {
			t.Errorf("clock off by %s: %v, want errStale", by, err)
		}
	}
}

// Whatever headers come, nothing that is not signed passes.
func FuzzVerify(f *testing.F) {
	right := standardHeader()
	f.Add(right.Get("Webhook-Id"), right.Get("Webhook-Timestamp"), right.Get("Webhook-Signature"), standardBody)
	f.Add("", "", "", "")
	f.Add("a", "99999999999999999999", "v1, v1,", "x")
	channel := standardChannel(f)
	f.Fuzz(func(t *testing.T, id, stamp, signature, body string) {
		h := http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {signature}}
		_, err := channel.verify(h, []byte(body), time.Unix(standardStamp, 0))
		genuine := id == right.Get("Webhook-Id") && stamp == "1731705121" && body == standardBody
		if err == nil && !genuine {
			t.Fatalf("passed: %q %q %q", id, stamp, signature)
		}
		h = http.Header{"X-Hub-Signature-256": {signature}, "X-Github-Delivery": {id}, "X-Github-Event": {stamp}}
		if got, err := gitHubChannel.verify(h, []byte(body), time.Unix(0, 0)); err == nil && body != gitHubBody {
			t.Fatalf("passed: %+v", got)
		}
	})
}
