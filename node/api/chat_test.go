package api_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"collie/node/api"
	"collie/node/mask"
)

// png is a picture of one dot, and pngHash its name.
var (
	png, _  = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	pngHash = nameOf(png)
)

func nameOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

func said() api.Chat {
	return api.Chat{Session: "claude s1", Turns: []api.ChatTurn{
		{ID: "b", Who: "agent", Text: "**yes** <b>", Tools: []api.ChatTool{{Name: "Bash", Subject: "ls", State: "done"}}},
		{ID: "a", Who: "person", Text: "do *it*\nnow"},
	}}
}

func TestAPhoneGetsTreesAndTheLinkTexts(t *testing.T) {
	t.Parallel()
	phone := ask(handlers(&machine{chat: said()}, false), "/pane/p1/chat", "").Body.String()
	for _, want := range []string{
		`"body":[{"k":"p","c":[{"k":"strong","c":[{"k":"t","t":"yes"}]},{"k":"t","t":" "},{"k":"t","t":"\u003cb\u003e"}]}]`,
		`"body":[{"k":"p","c":[{"k":"t","t":"do *it*\nnow"}]}]`,
	} {
		if !strings.Contains(phone, want) || strings.Contains(phone, `"text"`) {
			t.Errorf("the phone gets %s, without %s", phone, want)
		}
	}
	link := ask(handlers(&machine{chat: said()}, true), "/pane/p1/chat", "").Body.String()
	if !strings.Contains(link, `"text":"do *it*\nnow"`) || strings.Contains(link, `"body"`) {
		t.Errorf("the link gets %s", link)
	}
}

func TestAChatThatIsKnownIsNotSentAgain(t *testing.T) {
	t.Parallel()
	m := &machine{chat: said()}
	h := handlers(m, false)
	first := ask(h, "/pane/p1/chat?count=5&before=z", "")
	again := func() int {
		return ask(h, "/pane/p1/chat?count=5&before=z", "", func(r *http.Request) { r.Header.Set("If-None-Match", first.Header().Get("ETag")) }).Code
	}
	if code := again(); code != http.StatusNotModified {
		t.Errorf("the same chat is answered with %d", code)
	}
	h.Version = "2" // what an older mask let through is never vouched for
	if code := again(); code != http.StatusOK {
		t.Errorf("under another mask the answer is %d", code)
	}
	if got := m.asked(); !strings.HasPrefix(got, `chat p1 "z" 5`) {
		t.Errorf("the machine was asked %s", got)
	}
	for _, query := range []string{"count=0", "count=x", "count=101", "before=" + strings.Repeat("x", 300)} {
		if code := ask(h, "/pane/p1/chat?"+query, "").Code; code != http.StatusBadRequest {
			t.Errorf("%s is answered with %d", query, code)
		}
	}
}

func TestAMembersChatHasNoTreeAndNoMoreThanWasAsked(t *testing.T) {
	t.Parallel()
	c := &api.Client{Transport: answers(http.StatusOK, `{"turns":[{"id":"a","who":"agent","text":"x","body":[{"k":"a","href":"javascript:x"}]},{"id":"b"}]}`)}
	if _, err := c.Chat(t.Context(), "p1", "", 1); api.AsError(err) != api.ErrHostAnswer {
		t.Errorf("two turns for one: %v", err)
	}
	chat, err := c.Chat(t.Context(), "p1", "", 2)
	if err != nil || chat.Turns[0].Body != nil || chat.Turns[0].Text != "x" {
		t.Errorf("%+v, %v", chat, err)
	}
}

func TestNothingInAChatIsLeftUnmasked(t *testing.T) {
	t.Parallel()
	secret, half := "ghp"+"_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	c := api.Chat{Turns: []api.ChatTurn{
		{Who: "agent", Text: `key ghp\_` + half, Tools: []api.ChatTool{{Name: secret, Subject: "/srv/" + secret, Result: secret}}},
		{Who: "person", Text: secret},
	}}
	c.Hide(mask.New())
	h := handlers(&machine{chat: c}, false)
	if body := ask(h, "/pane/p1/chat", "").Body.String(); strings.Contains(body, half) || !c.Masked {
		t.Errorf("masked is %v: %s", c.Masked, body)
	}
}

func TestAPictureIsAnsweredAsWhatItIs(t *testing.T) {
	t.Parallel()
	answer := ask(handlers(&machine{blob: api.Blob{Data: png}}, false), "/blobs/"+pngHash, "")
	if got := answer.Header(); answer.Code != http.StatusOK || got.Get("Content-Type") != "image/png" || got.Get("Cache-Control") != "private, no-store" || answer.Body.String() != string(png) {
		t.Errorf("%d %v", answer.Code, got)
	}
	page := []byte("<script>alert(1)</script>")
	for what, h := range map[string]*api.Handlers{
		nameOf(page):        handlers(&machine{blob: api.Blob{Data: page}}, false), // what is no picture
		nameOf([]byte("x")): handlers(&machine{blob: api.Blob{Data: png}}, false),  // another one
		"not-a-name":        handlers(&machine{blob: api.Blob{Data: png}}, false),
	} {
		if got := ask(h, "/blobs/"+what, ""); got.Code == http.StatusOK {
			t.Errorf("%s is answered with %q", what, got.Body)
		}
	}
	c := &api.Client{Transport: answers(http.StatusOK, `{"data":"PHN2Zz4="}`)}
	if _, err := c.Blob(t.Context(), nameOf([]byte("<svg>"))); api.AsError(err) != api.ErrHostAnswer {
		t.Errorf("a member's page: %v", err)
	}
}
