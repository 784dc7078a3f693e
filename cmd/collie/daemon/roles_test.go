package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh/trust"
)

// found makes a solo store the lead of a new crew and returns it.
func found(t *testing.T, store *trust.Store) *trust.Crew {
	t.Helper()
	id, err := statement.NewCrewID(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	err = store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Found(old, trust.Founding{ID: id, Name: "crew", Label: "atlas", Secret: secret.NewKey(rand.Reader)})
	})
	if err != nil {
		t.Fatal(err)
	}
	return store.Crew()
}

func TestSettleNeverReturnsTheRoleBefore(t *testing.T) {
	t.Parallel()
	store, err := trust.Open(filepath.Join(t.TempDir(), trust.FileName), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	r := newRoles(&daemon{store: store})
	settle := func() (*part, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		return r.settle(ctx)
	}
	if now, err := settle(); now != nil || err != nil {
		t.Errorf("solo: %v, %v", now, err)
	}
	first := found(t, store)
	if _, err := settle(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("before the link opens: %v", err)
	}
	open := &part{crew: first}
	r.set(open, trouble{})
	if now, err := settle(); now != open || err != nil {
		t.Errorf("with the link: %v, %v", now, err)
	}
	if err := store.Update(trust.Leave); err != nil {
		t.Fatal(err)
	}
	if now, err := settle(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("left, and the link not yet closed: %v, %v", now, err)
	}
	second := found(t, store)
	if now, err := settle(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("in another crew, with the link of the one before: %v, %v", now, err)
	}
	broken := errors.New("port in use")
	r.set(nil, trouble{first, broken})
	if _, err := settle(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with what went wrong in another crew: %v", err)
	}
	r.set(nil, trouble{second, broken})
	if _, err := settle(); !errors.Is(err, broken) {
		t.Errorf("with what went wrong: %v", err)
	}
}
