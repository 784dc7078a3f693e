package mesh

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"golang.org/x/sys/unix"

	"collie/crypto/identity"
	"collie/mesh/trust"
)

func TestProofIsTheOneOfItsParts(t *testing.T) {
	t.Parallel()
	b := binding(bytes.Repeat([]byte{1}, 32))
	caller, callee := identity.Fingerprint{2}, identity.Fingerprint{3}
	secret := bytes.Repeat([]byte{4}, 32)
	// By Python's hmac module over the 96 bytes.
	const want = "3af8a685297f85106838b98907e61579c4d32cf12b9fbc84452441d4944ccde2"
	if got := hex.EncodeToString(b.proof(secret, caller, callee)); got != want {
		t.Errorf("proof is %s", got)
	}
	header := http.Header{}
	b.sign(header, secret, caller, callee)
	if !b.verify(header, secret, caller, callee) {
		t.Error("it does not verify")
	}
	if b.verify(header, secret, callee, caller) || b.verify(header, secret[1:], caller, callee) || (binding{}).verify(header, secret, caller, callee) {
		t.Error("it verifies for something else")
	}
	b.sign(header, nil, caller, callee)
	if b.verify(header, nil, caller, callee) {
		t.Error("an absent secret verifies")
	}
}

func FuzzParseProof(f *testing.F) {
	f.Add("Collie " + strings.Repeat("A", 43))
	f.Add("Collie ")
	f.Add("Bearer x")
	f.Fuzz(func(t *testing.T, value string) {
		proof := parseProof(value)
		if proof != nil && "Collie "+base64.RawURLEncoding.EncodeToString(proof) != value {
			t.Errorf("%q was read as %x", value, proof)
		}
	})
}

func FuzzParseEnrollRequest(f *testing.F) {
	f.Add([]byte(`{"token":"` + strings.Repeat("A", 43) + `","label":"a","addresses":["10.0.0.1:1"],"build":"b"}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		request, err := parseEnrollRequest(data)
		if err == nil && (len(request.Token) != 43 || trust.CheckLabel(request.Label) != nil || trust.CheckAddresses(request.Addresses) != nil) {
			t.Errorf("%q was taken as %+v", data, request)
		}
	})
}

func FuzzParseEnrollAnswer(f *testing.F) {
	f.Add(200, []byte(`{"crewId":"01000000000000000000000000000000","crewName":"a","memberId":"b","secret":"`+strings.Repeat("A", 43)+`=","leadMemberId":"c","leadLabel":"d"}`))
	f.Add(403, []byte(`{"error":"x","code":"invite_expired"}`))
	f.Fuzz(func(t *testing.T, status int, data []byte) {
		got, err := parseEnrollAnswer(status, data)
		if err == nil && (status != 200 || !trust.ValidID(got.MemberID) || len(got.Secret) != 32) {
			t.Errorf("%d %q was taken as %+v", status, data, got)
		}
	})
}

func FuzzParseHello(f *testing.F) {
	f.Add(200, []byte(`{"protocol":1,"memberId":"a","processId":"b","clock":1,"build":"c"}`))
	f.Add(409, []byte(`{"code":"protocol_mismatch","expected":2,"received":1}`))
	f.Fuzz(func(t *testing.T, status int, data []byte) {
		h, err := parseHello(status, data)
		if err == nil && (h.Protocol != Protocol || !trust.ValidID(h.MemberID) || h.ProcessID == "" || len(h.Build) > maxBuild) {
			t.Errorf("%d %q was taken as %+v", status, data, h)
		}
	})
}

func TestBackoffDoublesToItsMostWithFullJitter(t *testing.T) {
	t.Parallel()
	highest := func() *backoff { return &backoff{random: failing{}, first: redialFirst, longest: redialMost} } // the whole wait
	b := highest()
	var got []string
	for range 9 {
		got = append(got, b.next().String())
	}
	if want := "250ms 500ms 1s 2s 4s 8s 16s 30s 30s"; strings.Join(got, " ") != want {
		t.Errorf("waits are %v", got)
	}
	b.reset()
	if b.next() != redialFirst {
		t.Error("reset does not start again")
	}
	low := &backoff{random: bytes.NewReader(make([]byte, 8)), first: redialFirst, longest: redialMost}
	if low.next() != 0 {
		t.Error("the jitter is not full")
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("no") }

// clock is a time that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func host(last byte) net.Addr { return &net.UDPAddr{IP: net.IPv4(10, 0, 0, last), Port: int(last)} }

func TestAddressThatShakesHandsTooOftenHasToProveItself(t *testing.T) {
	t.Parallel()
	c := &clock{at: time.Unix(1000, 0)}
	a := newAdmission(c.now)
	for i := range handshakeBurst {
		if a.mustProve(host(1)) {
			t.Fatalf("handshake %d has to prove its address", i)
		}
	}
	if !a.mustProve(host(1)) {
		t.Error("one more need not")
	}
	if a.mustProve(host(2)) {
		t.Error("another address has to as well")
	}
	c.at = c.at.Add(time.Second)
	if a.mustProve(host(1)) {
		t.Error("it has to for ever")
	}
	for range handshakeBurst * provenFactor {
		if _, err := a.enter(context.Background(), &quic.ClientInfo{RemoteAddr: host(3), AddrVerified: true}); err != nil {
			t.Fatal(err)
		}
		a.halfOpen = 0
	}
	if _, err := a.enter(context.Background(), &quic.ClientInfo{RemoteAddr: host(3), AddrVerified: true}); err == nil {
		t.Error("a proven address may go on without end")
	}
}

func TestHalfOpenHandshakesAreCapped(t *testing.T) {
	t.Parallel()
	a := newAdmission(time.Now)
	var contexts []context.Context
	for i := range halfOpenMost {
		if got, want := a.mustProve(host(byte(i))), i >= halfOpenRetry; got != want {
			t.Fatalf("with %d under way, has to prove its address: %v", i, got)
		}
		ctx, err := a.enter(context.Background(), &quic.ClientInfo{RemoteAddr: host(byte(i))})
		if err != nil {
			t.Fatal(err)
		}
		contexts = append(contexts, ctx)
	}
	if _, err := a.enter(context.Background(), &quic.ClientInfo{RemoteAddr: host(255)}); !errors.Is(err, errTooMany) {
		t.Errorf("one more: %v", err)
	}
	a.leave(contexts[0])
	a.leave(contexts[0]) // counts once
	if a.halfOpen != halfOpenMost-1 {
		t.Errorf("%d are counted", a.halfOpen)
	}
}

func TestHandshakeThatIsGivenUpIsNotCounted(t *testing.T) {
	t.Parallel()
	a := newAdmission(time.Now)
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := a.enter(ctx, &quic.ClientInfo{RemoteAddr: host(1)}); err != nil {
		t.Fatal(err)
	}
	cancel()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		a.mu.Lock()
		n := a.halfOpen
		a.mu.Unlock()
		if n == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("it is counted for ever")
		}
	}
}

func TestRatesAndGuessesOfManyAddressesAreBounded(t *testing.T) {
	t.Parallel()
	a, d := newAdmission(time.Now), newDoor(time.Now)
	for i := range 3 * addressesMost {
		addr := &net.UDPAddr{IP: net.IPv4(10, byte(i>>16), byte(i>>8), byte(i))}
		a.mustProve(addr)
		d.wrong(addr)
	}
	if len(a.rates) > addressesMost || len(d.guesses) > addressesMost {
		t.Errorf("%d rates and %d guesses are kept", len(a.rates), len(d.guesses))
	}
}

func TestDoorOpensAgainAfterAMinute(t *testing.T) {
	t.Parallel()
	c := &clock{at: time.Unix(1000, 0)}
	d := newDoor(c.now)
	for range wrongTokens - 1 {
		d.wrong(host(1))
	}
	c.at = c.at.Add(wrongWindow)
	d.wrong(host(1)) // the first of another minute
	if !d.open(host(1)) {
		t.Error("it closed on wrong tokens of two minutes")
	}
	for range wrongTokens - 1 {
		d.wrong(host(1))
	}
	if d.open(host(1)) || !d.open(host(2)) {
		t.Error("it is open after ten, or closed to another address")
	}
	c.at = c.at.Add(doorClosed)
	if !d.open(host(1)) {
		t.Error("it is closed for ever")
	}
}

func TestOneSubscriberIsOneHost(t *testing.T) {
	t.Parallel()
	of := func(ip string) string { return hostOf(&net.UDPAddr{IP: net.ParseIP(ip)}).String() }
	if of("2001:db8::1") != of("2001:db8::ffff:1") || of("2001:db8::1") == of("2001:db8:0:1::1") {
		t.Error("an IPv6 host is not its /64")
	}
	if of("10.0.0.1") == of("10.0.0.2") || of("::ffff:10.0.0.1") != of("10.0.0.1") {
		t.Error("an IPv4 host is not its address")
	}
}

func TestPassingFailuresOfTheNetworkAreLostPackets(t *testing.T) {
	t.Parallel()
	for _, number := range []syscall.Errno{syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.EHOSTDOWN, syscall.ENETDOWN, syscall.EPERM} {
		if !passing(&net.OpError{Op: "write", Err: os.NewSyscallError("sendmsg", number)}) {
			t.Errorf("%v ends connections", number)
		}
	}
	for _, err := range []error{nil, net.ErrClosed, syscall.EMSGSIZE, syscall.EBADF} {
		if passing(err) {
			t.Errorf("%v is taken for a lost packet", err)
		}
	}
}

func TestSocketLosesWhatTheNetworkRefuses(t *testing.T) {
	t.Parallel()
	socket, err := openSocket("0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	lossy := socket.(*lossySocket)
	broadcast := &net.UDPAddr{IP: net.IPv4bcast, Port: 9} // which a socket has to ask for, as those of Go do
	raw, err := lossy.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var asked error
	err = raw.Control(func(fd uintptr) { asked = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_BROADCAST, 0) })
	if err := errors.Join(err, asked); err != nil {
		t.Fatal(err)
	}
	if _, _, err := lossy.UDPConn.WriteMsgUDP([]byte("x"), nil, broadcast); !passing(err) {
		t.Fatalf("the network refuses no broadcast: %v", err)
	}
	if n, _, err := lossy.WriteMsgUDP([]byte("x"), nil, broadcast); n != 1 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	_ = socket.Close()
	if _, _, err := lossy.WriteMsgUDP([]byte("x"), nil, broadcast); !errors.Is(err, net.ErrClosed) {
		t.Errorf("on a closed socket: %v", err)
	}
}

func TestSilencingLeavesNoTraceInTheEnvironment(t *testing.T) {
	if err := quietly(func() error {
		if os.Getenv(bufferVariable) != "true" {
			return errors.New("not silenced")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if _, set := os.LookupEnv(bufferVariable); set {
		t.Error("it stays set")
	}
}

func TestEndsOfALinkHaveDifferentWords(t *testing.T) {
	t.Parallel()
	remote := func(code quic.TransportErrorCode) error { return &quic.TransportError{Remote: true, ErrorCode: code} }
	seen := map[string]string{}
	for name, err := range map[string]error{
		"not pinned":  remote(alertBadCertificate),
		"no protocol": remote(alertNoProtocol),
		"busy":        remote(quic.ConnectionRefused),
		"silent":      &quic.HandshakeTimeoutError{},
		"idle":        &quic.IdleTimeoutError{},
		"reset":       &quic.StatelessResetError{},
		"revoked":     &quic.ApplicationError{Remote: true, ErrorCode: codeRevoked},
		"duplicate":   &quic.ApplicationError{Remote: true, ErrorCode: codeDuplicate},
		"closing":     &quic.ApplicationError{Remote: true, ErrorCode: codeClosed},
		"wrong node":  fmt.Errorf("handshake: %w", ErrWrongNode),
	} {
		words := explain(err).Error()
		if other, ok := seen[words]; ok {
			t.Errorf("%s and %s both read %q", name, other, words)
		}
		seen[words] = name
	}
	if !errors.Is(explainDial(&quic.IdleTimeoutError{}), ErrNoReply) {
		t.Error("a handshake without an answer is taken for a link")
	}
}

func TestBothSidesReadOneReasonInAClosedConnection(t *testing.T) {
	t.Parallel()
	for code, reason := range closing {
		if got := explain(&quic.ApplicationError{Remote: true, ErrorCode: code}); !errors.Is(got, reason) {
			t.Errorf("code %#x reads %v, want %v", code, got, reason)
		}
	}
	var mismatch *MismatchError
	got := explain(&quic.ApplicationError{Remote: true, ErrorCode: codeMismatch, ErrorMessage: "9"})
	if !errors.As(got, &mismatch) || mismatch.Theirs != 9 || mismatch.Ours != Protocol {
		t.Errorf("another version reads %v", got)
	}
	for _, message := range []string{"", "x", "99999999999999999999"} {
		if got := explain(&quic.ApplicationError{Remote: true, ErrorCode: codeMismatch, ErrorMessage: message}); errors.As(got, &mismatch) {
			t.Errorf("the message %q reads %v", message, got)
		}
	}
}

func TestAttemptsAreOneLine(t *testing.T) {
	t.Parallel()
	err := error(attempts{errors.New("a: no"), fmt.Errorf("b: %w", ErrWrongNode)})
	if err.Error() != "a: no; b: "+ErrWrongNode.Error() || !errors.Is(err, ErrWrongNode) {
		t.Errorf("they read %q", err)
	}
}
