package mesh

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"collie/crypto/identity"
)

const (
	headerProof    = "Authorization"
	headerProtocol = "Collie-Crew"
	headerPrefix   = "Collie-"
	proofScheme    = "Collie "

	// bindingLabel and bindingSize are the channel binding "tls-exporter" of
	// RFC 9266.
	bindingLabel = "EXPORTER-Channel-Binding"
	bindingSize  = 32
)

// A binding is a value that only the two ends of one TLS connection know.
type binding [bindingSize]byte

func bindingOf(state tls.ConnectionState) (binding, error) {
	var b binding
	material, err := state.ExportKeyingMaterial(bindingLabel, nil, bindingSize)
	if err != nil {
		return b, fmt.Errorf("cannot bind to the connection: %w", err)
	}
	copy(b[:], material)
	return b, nil
}

// proof shows that its maker holds the crew secret, on this one connection and
// in this one direction: the HMAC-SHA-256 under the secret of the connection's
// binding, the caller's and the callee's fingerprint.
func (b binding) proof(secret []byte, caller, callee identity.Fingerprint) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(b[:])
	mac.Write(caller[:])
	mac.Write(callee[:])
	return mac.Sum(nil)
}

// sign puts the proof and the protocol's version in the header of a request.
func (b binding) sign(header http.Header, secret []byte, caller, callee identity.Fingerprint) {
	proof := b.proof(secret, caller, callee)
	header.Set(headerProof, proofScheme+base64.RawURLEncoding.EncodeToString(proof))
	header.Set(headerProtocol, strconv.Itoa(Protocol))
}

// parseProof returns the proof in the value of an Authorization header, or nil.
func parseProof(value string) []byte {
	encoded, found := strings.CutPrefix(value, proofScheme)
	if !found || len(encoded) != base64.RawURLEncoding.EncodedLen(sha256.Size) {
		return nil
	}
	proof, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return nil
	}
	return proof
}

// verify says in constant time whether a request's header holds the proof.
func (b binding) verify(header http.Header, secret []byte, caller, callee identity.Fingerprint) bool {
	got := parseProof(header.Get(headerProof))
	want := b.proof(secret, caller, callee)
	return hmac.Equal(got, want) && len(secret) > 0
}
