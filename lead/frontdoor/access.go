package frontdoor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// assertionHeader carries the token of Cloudflare Access (see "Validate JWTs"
// in its documentation).
const assertionHeader = "Cf-Access-Jwt-Assertion"

// accessKeys verify that Cloudflare Access let a request through.
type accessKeys struct {
	issuer, audience string
	fetch            func(ctx context.Context, address string) ([]byte, error)
	now              func() time.Time
	log              *slog.Logger

	mu  sync.RWMutex
	set *jose.JSONWebKeySet // nil until it was fetched once
}

func newAccessKeys(team, audience string, parts Parts) *accessKeys {
	return &accessKeys{
		issuer: "https://" + team + ".cloudflareaccess.com", audience: audience,
		fetch: parts.Fetch, now: parts.Now, log: parts.Log,
	}
}

// verify checks a token: signed by a key of the team, for this audience, and
// neither too early nor too late.
func (k *accessKeys) verify(assertion string) error {
	k.mu.RLock()
	set := k.set
	k.mu.RUnlock()
	if set == nil {
		return ErrAccessUnavailable
	}
	if assertion == "" || len(assertion) > maxAssertionBytes {
		return ErrAccessRefused
	}
	token, err := jwt.ParseSigned(assertion, []jose.SignatureAlgorithm{jose.RS256, jose.ES256})
	if err != nil || len(token.Headers) != 1 || token.Headers[0].KeyID == "" {
		return ErrAccessRefused
	}
	keys := set.Key(token.Headers[0].KeyID)
	if len(keys) != 1 {
		return ErrAccessRefused
	}
	var claims jwt.Claims
	if err := token.Claims(keys[0].Key, &claims); err != nil || claims.Expiry == nil {
		return ErrAccessRefused
	}
	expected := jwt.Expected{Issuer: k.issuer, AnyAudience: jwt.Audience{k.audience}, Time: k.now()}
	if err := claims.ValidateWithLeeway(expected, clockLeeway); err != nil {
		return ErrAccessRefused
	}
	return nil
}

// keep fetches the keys at once, and again every hour until ctx ends. The ones
// at hand are used for as long as no others can be had.
func (k *accessKeys) keep(ctx context.Context) {
	for {
		wait := refetchEvery
		if err := k.refresh(ctx); err != nil && ctx.Err() == nil {
			wait = retryEvery
			k.log.Warn("the keys of the Cloudflare Access team cannot be fetched", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

func (k *accessKeys) refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	data, err := k.fetch(ctx, k.issuer+"/cdn-cgi/access/certs")
	if err != nil {
		return err
	}
	var set, usable jose.JSONWebKeySet
	if err := json.Unmarshal(data, &set); err != nil {
		return fmt.Errorf("key set: %w", err)
	}
	for _, key := range set.Keys {
		if key.IsPublic() && key.Valid() && (key.Use == "" || key.Use == "sig") {
			usable.Keys = append(usable.Keys, key)
		}
	}
	if len(usable.Keys) == 0 {
		return errors.New("key set: it has no key to verify with")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.set = &usable
	return nil
}

// fetch asks Cloudflare, and nobody that it points to.
func fetch(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	response, err := transport.RoundTrip(request) // follows no redirect
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // only read from
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", address, response.Status)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxKeySetBytes+1))
	if err == nil && len(data) > maxKeySetBytes {
		err = fmt.Errorf("%s answered more than %d bytes", address, maxKeySetBytes)
	}
	return data, err
}
