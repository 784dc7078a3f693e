package mesh

import (
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quic-go/quic-go"

	"collie/crypto/identity"
	"collie/mesh/trust"
)

// quicConfig is the same for both ends of both protocols.
func quicConfig() *quic.Config {
	return &quic.Config{
		Versions:                       []quic.Version{quic.Version1},
		HandshakeIdleTimeout:           handshakeTimeout,
		MaxIdleTimeout:                 idleTimeout,
		KeepAlivePeriod:                keepAlive,
		InitialStreamReceiveWindow:     firstWindow,
		MaxStreamReceiveWindow:         streamWindow,
		InitialConnectionReceiveWindow: streamWindow,
		MaxConnectionReceiveWindow:     connectionWindow,
		MaxIncomingStreams:             MaxStreams,
		MaxIncomingUniStreams:          -1,
	}
}

// baseTLS is what all four TLS configurations share. Nothing that outlives a pin
// is kept: no session tickets, and so no early data.
func baseTLS(own *identity.Identity, protocol string) *tls.Config {
	return &tls.Config{
		MinVersion:             tls.VersionTLS13,
		Certificates:           []tls.Certificate{own.TLSCertificate()},
		NextProtos:             []string{protocol},
		SessionTicketsDisabled: true,
	}
}

// dialTLS accepts the one fingerprint that is dialled for, whoever else is
// pinned.
func dialTLS(own *identity.Identity, protocol string, want identity.Fingerprint) *tls.Config {
	config := baseTLS(own, protocol)
	config.InsecureSkipVerify = true // no authority vouches for anybody; VerifyConnection runs all the same
	config.VerifyConnection = func(state tls.ConnectionState) error {
		got, err := peerFingerprint(state)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrWrongNode, err)
		}
		if !got.Equal(want) {
			return ErrWrongNode
		}
		if state.NegotiatedProtocol != protocol { // TLS over TCP lets a server choose none
			return ErrNoProtocol
		}
		return nil
	}
	return config
}

// listenTLS answers each protocol with a configuration of its own. A client that
// offers another one, both or none is refused in the handshake, and so is
// whoever wants to enrol while nobody is invited.
func listenTLS(own *identity.Identity, store *trust.Store, now func() time.Time) *tls.Config {
	crew := baseTLS(own, ALPNCrew)
	crew.ClientAuth = tls.RequireAnyClientCert
	crew.VerifyConnection = func(state tls.ConnectionState) error {
		peer, err := peerFingerprint(state)
		if err != nil {
			return err
		}
		if store.Crew().Grade(peer) == trust.GradeNone {
			return errors.New("the certificate is not pinned")
		}
		return nil
	}
	enroll := baseTLS(own, ALPNEnroll)
	enroll.ClientAuth = tls.RequireAnyClientCert
	enroll.VerifyConnection = func(state tls.ConnectionState) error {
		if _, err := peerFingerprint(state); err != nil {
			return err
		}
		_, err := identity.ParseCertificate(state.PeerCertificates[0].Raw)
		return err
	}
	listen := baseTLS(own, ALPNCrew)
	listen.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		switch {
		case len(hello.SupportedProtos) != 1:
			return nil, errors.New("the client does not offer exactly one protocol")
		case slices.Contains(hello.SupportedProtos, ALPNEnroll) && store.Crew().Inviting(now()):
			return enroll, nil
		}
		return crew, nil // which refuses every other name
	}
	return listen
}

// peerFingerprint returns the fingerprint of the one certificate that the peer
// presented.
func peerFingerprint(state tls.ConnectionState) (identity.Fingerprint, error) {
	if n := len(state.PeerCertificates); n != 1 {
		return identity.Fingerprint{}, fmt.Errorf("the peer presented %d certificates, want one", n)
	}
	return identity.FingerprintOf(state.PeerCertificates[0].Raw), nil
}
