package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"collie/node/site"
	"collie/node/trust"
)

// errSignature is the one refusal of a request that the secret does not vouch
// for. It says no more, and nothing is looked at before it.
var errSignature = errors.New("signature is not right")

// A delivery is what a signature vouches for.
type delivery struct {
	id string // as the other system counts its deliveries
	// sealed says that the id is covered by the signature; otherwise the same
	// body under another id is the same delivery.
	sealed bool
	event  string // a word for what happened, in anybody's words
}

// verify judges a request by the raw bytes of its body.
func (c Channel) verify(h http.Header, body []byte, now time.Time) (delivery, error) {
	if c.Format == GitHub {
		return c.verifyGitHub(h, body, now)
	}
	return c.verifyStandard(h, body, now)
}

func (c Channel) sum(parts ...string) []byte {
	mac := hmac.New(sha256.New, c.Secret)
	for _, part := range parts {
		mac.Write([]byte(part))
	}
	return mac.Sum(nil)
}

// verifyStandard follows the Standard Webhooks specification, version 1.
func (c Channel) verifyStandard(h http.Header, body []byte, now time.Time) (delivery, error) {
	id, okID := site.Single(h, "Webhook-Id")
	stamp, okStamp := site.Single(h, "Webhook-Timestamp")
	signatures, okSignature := site.Single(h, "Webhook-Signature")
	want := c.sum(id, ".", stamp, ".", string(body))
	right := false
	for i, one := range strings.Fields(signatures) {
		encoded, found := strings.CutPrefix(one, "v1,")
		got, err := base64.StdEncoding.DecodeString(encoded)
		if i < maxSignatures && found && err == nil && hmac.Equal(got, want) {
			right = true
		}
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	at := time.Unix(seconds, 0)
	switch {
	case !okID || !okStamp || !okSignature || !right || !validID(id) || err != nil,
		strings.Contains(id, "."): // what is signed could be divided elsewhere
		return delivery{}, errSignature
	case at.Before(now.Add(-tolerance)) || at.After(now.Add(tolerance)):
		return delivery{}, errStale
	}
	return delivery{id: id, sealed: true}, nil
}

// errStale refuses what is signed and too far from this clock.
var errStale = errors.New("time of the delivery is more than five minutes from this machine's clock")

// verifyGitHub follows GitHub's "Validating webhook deliveries".
func (c Channel) verifyGitHub(h http.Header, body []byte, now time.Time) (delivery, error) {
	signature, ok := site.Single(h, "X-Hub-Signature-256")
	encoded, found := strings.CutPrefix(signature, "sha256=")
	got, err := hex.DecodeString(encoded)
	if right := hmac.Equal(got, c.sum(string(body))); !ok || !found || err != nil || !right {
		return delivery{}, errSignature
	}
	id, ok := site.Single(h, "X-Github-Delivery")
	if !ok || !validID(id) {
		return delivery{}, errSignature
	}
	event, _ := site.Single(h, "X-Github-Event")
	return delivery{id: id, event: trust.Clean(event, maxEvent)}, nil
}

// validID takes what can stand in a file and a log as it is.
func validID(id string) bool {
	if id == "" || len(id) > maxID {
		return false
	}
	for _, c := range []byte(id) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return true
}
