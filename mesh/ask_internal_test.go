package mesh

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
)

func TestWhateverAPeerAnswersShowsThatItIsThere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
	}{
		{http.StatusServiceUnavailable, `{"code":"not_stored"}`}, // a lead whose disk is full
		{http.StatusBadRequest, ""},
		{http.StatusConflict, `{"code":"of tomorrow"}`},
		{http.StatusOK, "no JSON"},
		{http.StatusOK, `{"protocol":1}`},
		{http.StatusUnauthorized, ""},
	} {
		_, err := parseHello(c.status, []byte(c.body))
		if err == nil || !Answered(fmt.Errorf("dial: %w", err)) {
			t.Errorf("%d %s: %v", c.status, c.body, err)
		}
	}
	if Answered(errors.Join(ErrMissedBeats, ErrNoReply)) {
		t.Error("silence is an answer")
	}
}
