package harness

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
)

// sshdProgram is where Debian puts it; it wants to be run by its whole path.
const sshdProgram = "/usr/sbin/sshd"

// An SSHD is a real ssh server on loopback, run as this user with keys and
// configuration of its own, and an ssh client that knows it.
type SSHD struct {
	Target string // for ssh
	// ClientPATH is a PATH on which ssh is the system's client with a
	// configuration that knows the target, and nothing else of this account.
	ClientPATH string
}

// SSHTo runs an ssh server whose sessions have the home and the settings of a
// machine, and a PATH.
func SSHTo(t testing.TB, m *Machine, path string) SSHD {
	t.Helper()
	dir := t.TempDir()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	file := func(name, text string, mode os.FileMode) string {
		t.Helper()
		whole := filepath.Join(dir, name)
		if err := os.WriteFile(whole, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return whole
	}
	key := func(name string) (public string) {
		t.Helper()
		output, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, name)).CombinedOutput()
		if err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, output)
		}
		text, err := os.ReadFile(filepath.Join(dir, name+".pub"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	host, client := key("host"), key("client")
	port := FreePort(t)
	environ := []string{}
	for _, pair := range m.environ {
		if name, _, _ := strings.Cut(pair, "="); name != "PATH" {
			environ = append(environ, fmt.Sprintf("%q", pair))
		}
	}
	config := file("sshd_config", fmt.Sprintf(`Port %d
ListenAddress 127.0.0.1
HostKey %s
AuthorizedKeysFile %s
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
SetEnv %s "PATH=%s"
`, port, filepath.Join(dir, "host"), file("authorized_keys", client, 0o600), strings.Join(environ, " "), path), 0o600)
	if os.Geteuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // it insists, as root
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	server := exec.Command(sshdProgram, "-D", "-e", "-f", config)
	server.Stderr = &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		if t.Failed() {
			t.Logf("sshd said\n%s", log.String())
		}
	})
	address := net.JoinHostPort("127.0.0.1", fmt.Sprint(port))
	Eventually(t, "an ssh server", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	known := file("known_hosts", fmt.Sprintf("[127.0.0.1]:%d %s", port, host), 0o600)
	clientConfig := file("ssh_config", fmt.Sprintf("Host %s\n\tHostName 127.0.0.1\n\tPort %d\n\tUser %s\n\tIdentityFile %s\n\tIdentitiesOnly yes\n\tUserKnownHostsFile %s\n\tGlobalKnownHostsFile none\n\tBatchMode yes\n",
		m.Name, port, me.Username, filepath.Join(dir, "client"), known), 0o600)
	real, err := exec.LookPath("ssh")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	file("bin/ssh", fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", real, clientConfig), 0o700)
	return SSHD{Target: m.Name, ClientPATH: bin + ":" + os.Getenv("PATH")}
}
