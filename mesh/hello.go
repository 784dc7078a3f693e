package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	"collie/mesh/trust"
)

// HelloPath is the route that the mesh itself serves.
const HelloPath = "/crew/v1/hello"

// hello is what a node says about itself. Within a version of the protocol every
// addition is optional, and absent means "not claimed". A deputy and a witness
// are told the first two fields alone.
type hello struct {
	Protocol  int    `json:"protocol"`
	ProcessID string `json:"processId"`
	MemberID  string `json:"memberId,omitempty"`
	Clock     int64  `json:"clock,omitempty"` // milliseconds since 1970, UTC
	Build     string `json:"build,omitempty"`
	Holdings
	trust.Claim
}

// serveHello answers a peer that has shown both factors. It is what makes a
// member that joined, or that follows a new lead, a member in full.
func (e *Endpoint) serveHello(w http.ResponseWriter, r *http.Request, l *link, grade trust.Grade, proved uint64) {
	if grade == trust.GradeDeputy || grade == trust.GradeWitness {
		answer(w, http.StatusOK, hello{Protocol: Protocol, ProcessID: e.config.ProcessID})
		return
	}
	generation := generationOf(r.Header)
	if grade != trust.GradeLead {
		err := e.config.Store.Update(func(old *trust.Crew) (*trust.Crew, error) {
			next, err := trust.Repinned(old, l.peer, generation)
			if err != nil {
				return nil, err
			}
			return trust.Confirm(next, l.peer, proved)
		})
		if errors.Is(err, trust.ErrOldSecret) { // since the proof was looked at
			unauthorized(w)
			return
		}
		if err != nil {
			e.config.Log.Error("a member said hello and cannot be confirmed", "member", l.peer, "error", err)
			answer(w, http.StatusServiceUnavailable, refusal{Error: "the member cannot be stored", Code: "not_stored"})
			return
		}
	}
	crew := e.config.Store.Crew()
	if crew == nil {
		unauthorized(w)
		return
	}
	e.registry.called(l.peer)
	if e.config.Called != nil {
		e.config.Called(l.peer, generation)
	}
	answer(w, http.StatusOK, hello{
		Protocol: Protocol, MemberID: crew.SelfID, ProcessID: e.config.ProcessID,
		Clock: e.config.Now().UnixMilli(), Build: e.config.Build,
		Holdings: HoldingsOf(crew, e.config.Recipient), Claim: e.claim(crew, l.peer),
	})
}

// sayHello calls a peer's hello over one link.
func (e *Endpoint) sayHello(l *link, timeout time.Duration) (hello, error) {
	ctx, cancel := context.WithTimeout(e.ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, HelloPath, http.NoBody)
	if err != nil {
		return hello{}, err
	}
	resp, err := e.send(l, req)
	if err != nil {
		if reason := overBecause(l.conn, err); reason != nil {
			return hello{}, reason
		}
		return hello{}, fmt.Errorf("%w: %w", ErrMissedBeats, err)
	}
	defer func() { _ = resp.Body.Close() }() // what matters of it was read
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxConflict))
	if err != nil {
		return hello{}, fmt.Errorf("the hello broke off: %w", err)
	}
	return parseHello(resp.StatusCode, data)
}

// parseHello reads the answer to a hello.
func parseHello(status int, data []byte) (hello, error) {
	switch status {
	case http.StatusOK:
	case http.StatusUnauthorized:
		return hello{}, ErrUnenrolled
	case http.StatusConflict:
		var m mismatch
		if err := json.Unmarshal(data, &m); err == nil && m.Code == "protocol_mismatch" {
			return hello{}, &MismatchError{Ours: Protocol, Theirs: m.Expected}
		}
		var told conflictAnswer
		// Who leads is shown and logged before any of it is proven.
		if err := json.Unmarshal(data, &told); err == nil && told.Code == codeConflict && trust.ValidID(told.Lead.MemberID) {
			return hello{}, &ConflictError{told.Conflict}
		}
		return hello{}, fmt.Errorf("%w: a conflict of an unknown kind", errOddHello)
	default:
		return hello{}, fmt.Errorf("%w: the status %d", errOddHello, status)
	}
	var h hello
	if err := json.Unmarshal(data, &h); err != nil {
		return hello{}, fmt.Errorf("%w: %w", errOddHello, err)
	}
	if h.Protocol != Protocol {
		return hello{}, &MismatchError{Ours: Protocol, Theirs: h.Protocol}
	}
	if h.MemberID != "" && !trust.ValidID(h.MemberID) || h.ProcessID == "" || len(h.ProcessID) > maxBuild {
		return hello{}, fmt.Errorf("%w: it does not say who answers", errOddHello)
	}
	h.Build = cleanBuild(h.Build)
	return h, nil
}

// cleanBuild keeps of a peer's build version what can be shown.
func cleanBuild(build string) string {
	kept := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, build)
	return kept[:min(len(kept), maxBuild)]
}
