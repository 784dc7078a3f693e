package integration_test

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/crypto/ssh"

	"collie/crypto/need"
	"collie/integration/harness"
	"collie/node/api"
	"collie/node/control"
)

// pressEvery is a fast typist's pace. Without it the keys would wait for the
// screen's own pace, which is for a person's eyes.
const pressEvery = 25 * time.Millisecond

// A terminal takes lines of so many characters; longLine is below that, and
// killLine (Ctrl+U) empties one.
const (
	longLine = 2000
	killLine = 0x15
)

// BenchmarkKeyToFrame measures from a key pressed to its echo seen: through the
// lead's API to a pane of a member and back as a frame of the lead's stream, and
// in the same run through ssh to this machine, and on a bare PTY. All three run
// cat, whose terminal echoes.
func BenchmarkKeyToFrame(b *testing.B) {
	b.Run("collie", func(b *testing.B) {
		c := startPair(b)
		phone := c.lead.Pair("bench")
		pane := harness.JSON[control.ID](c.member, "pane", "new", "--", "cat").ID
		screen := phone.Watch("juno", pane)
		screen.Until(b, "the first frame", func(string) bool { return screen.Head().Cols > 0 })
		keyboard := newKeyboard(b, phone)
		letter := keyboard.request(harness.PanePath("juno", pane, "/keys"), api.Keys{Keys: []string{"x"}, Typed: true})
		empty := keyboard.request(harness.PanePath("juno", pane, "/keys"), api.Keys{Keys: []string{"Ctrl+U"}})
		n := 0
		measure(b, func() time.Time {
			before := screen.Head().Seq
			n++
			keyboard.press(letter)
			screen.Until(b, "the echo", func(string) bool { return screen.Head().Seq > before })
			return screen.At()
		}, func() {
			keyboard.accepted()
			if n%longLine == 0 {
				keyboard.press(empty)
				keyboard.accepted()
			}
		})
	})
	b.Run("ssh", func(b *testing.B) { echo(b, sshCommand(b)) })
	b.Run("pty", func(b *testing.B) { echo(b, exec.Command("cat")) })
}

// A keyboard is a phone's connection that keys are posted on. It waits for the
// answer apart from the press, as a page does: the echo is on its own stream.
type keyboard struct {
	b       testing.TB
	phone   *harness.Phone
	conn    net.Conn
	answers *bufio.Reader
}

func newKeyboard(b testing.TB, phone *harness.Phone) *keyboard {
	b.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(phone.URL, "http://"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	return &keyboard{b: b, phone: phone, conn: conn, answers: bufio.NewReader(conn)}
}

// request returns the bytes that post keys.
func (k *keyboard) request(path string, keys api.Keys) []byte {
	k.b.Helper()
	body, err := json.Marshal(keys)
	if err != nil {
		k.b.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, k.phone.URL+path, bytes.NewReader(body))
	if err != nil {
		k.b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+k.phone.Token)
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	var text bytes.Buffer
	if err := request.Write(&text); err != nil {
		k.b.Fatal(err)
	}
	return text.Bytes()
}

// press sends a request; what is measured begins here.
func (k *keyboard) press(request []byte) {
	k.b.Helper()
	if _, err := k.conn.Write(request); err != nil {
		k.b.Fatal(err)
	}
}

// accepted reads the answer to what was sent.
func (k *keyboard) accepted() {
	k.b.Helper()
	response, err := http.ReadResponse(k.answers, nil)
	if err != nil {
		k.b.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		k.b.Fatalf("keys were answered %d %s, %v", response.StatusCode, body, err)
	}
}

type pair struct{ lead, member *harness.Machine }

// startPair starts a lead and one member.
func startPair(t testing.TB) pair {
	t.Helper()
	p := pair{
		lead:   harness.New(t, "atlas", "COLLIE_LABEL=atlas", fmt.Sprintf("COLLIE_MESH_LISTEN=127.0.0.1:%d", harness.FreePort(t))).Start(),
		member: harness.New(t, "juno", "COLLIE_LABEL=juno").Start(),
	}
	invite := harness.JSON[control.Invite](p.lead, "crew", "invite")
	if result := p.member.Run(invite.Token, "crew", "join", invite.Addresses[0], "-"); result.Exit != 0 {
		t.Fatal(result.Stderr)
	}
	harness.Eventually(t, "juno is reachable", func() bool {
		members := harness.JSON[control.CrewStatus](p.lead, "crew", "status").Members
		return len(members) == 2 && members[1].State == "reachable"
	})
	return p
}

// measure presses a key b.N times and reports how long the echo took; press
// returns when it came.
func measure(b *testing.B, press func() time.Time, after func()) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		took = append(took, press().Sub(began))
		after()
		time.Sleep(pressEvery)
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op") // the pause is in it, so it says nothing
	for _, p := range []int{50, 99} {
		b.ReportMetric(float64(took[(len(took)-1)*p/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", p))
	}
}

// echo measures a program in a PTY of this process.
func echo(b *testing.B, command *exec.Cmd) {
	b.Helper()
	terminal, err := pty.Start(command)
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = terminal.Close()
		_ = command.Process.Kill()
		_ = command.Wait()
	}()
	n := 0
	answer := make([]byte, 4096)
	press := func() time.Time {
		letter := byte('a' + n%26)
		n++
		if _, err := terminal.Write([]byte{letter}); err != nil {
			b.Fatal(err)
		}
		for { // another byte is the rest of an earlier echo
			size, err := terminal.Read(answer)
			if err != nil {
				b.Fatal(err)
			}
			if answer[size-1] == letter {
				return time.Now()
			}
		}
	}
	press() // a program that has started
	measure(b, press, func() {
		if n%longLine == 0 {
			if _, err := terminal.Write([]byte{killLine}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// sshCommand runs cat through an sshd of this test on loopback.
func sshCommand(b *testing.B) *exec.Cmd {
	b.Helper()
	sshd, err := exec.LookPath("/usr/sbin/sshd")
	if err != nil {
		need.Missing(b, "sshd")
	}
	dir := b.TempDir()
	for _, name := range []string{"host", "user"} {
		writeKey(b, dir, name)
	}
	public, err := os.ReadFile(filepath.Join(dir, "user.pub"))
	if err != nil {
		b.Fatal(err)
	}
	port := harness.FreePort(b)
	config := fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s\nAuthorizedKeysFile %s\nStrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin yes\n",
		port, filepath.Join(dir, "host"), filepath.Join(dir, "authorized"))
	for name, text := range map[string]string{"config": config, "authorized": string(public)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	_ = os.MkdirAll("/run/sshd", 0o755) // sshd wants it; a machine that runs one has it
	server := exec.Command(sshd, "-D", "-f", filepath.Join(dir, "config"), "-E", filepath.Join(dir, "log"))
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	me, err := user.Current()
	if err != nil {
		b.Fatal(err)
	}
	client := func(args ...string) *exec.Cmd {
		return exec.Command("ssh", append([]string{
			"-F", "none", "-q", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "IdentitiesOnly=yes",
			"-i", filepath.Join(dir, "user"), "-p", fmt.Sprint(port), me.Username + "@127.0.0.1",
		}, args...)...)
	}
	harness.Eventually(b, "sshd answers", func() bool { return client("true").Run() == nil })
	command := client("cat")
	command.Args = slices.Insert(command.Args, 1, "-tt")
	return command
}

func writeKey(b *testing.B, dir, name string) {
	b.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		b.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		b.Fatal(err)
	}
	for file, data := range map[string][]byte{name: pem.EncodeToMemory(block), name + ".pub": ssh.MarshalAuthorizedKey(key)} {
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
}
