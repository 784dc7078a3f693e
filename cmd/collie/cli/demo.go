package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"collie/node/control"
)

const (
	demoReady = 30 * time.Second // until a node serves
	demoStop  = 6 * time.Second  // until a node has ended
	demoRetry = 50 * time.Millisecond
)

func (a *app) demo() *cobra.Command {
	var port string
	command := &cobra.Command{
		Use: "demo", Short: "Run a throw-away crew of three nodes on this machine",
		Long: "Run a lead and two members in a temporary folder, enrolled with each other, each with a shell, and show a\n" +
			"pairing code. Everything is gone when it stops (Ctrl+C).",
		Example: "  collie demo\n  collie demo --port 9000", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			if chosen := os.Getenv("COLLIE_PORT"); chosen != "" && !command.Flags().Changed("port") {
				port = chosen
			}
			if _, err := strconv.ParseUint(port, 10, 16); err != nil {
				return usage(command, fmt.Errorf("--port %q is not a port number", port))
			}
			ctx, stop := untilStopped(command.Context())
			defer stop()
			return a.runDemo(ctx, port)
		},
	}
	command.Flags().StringVar(&port, "port", "8787", "port of the front door, COLLIE_PORT where that is set; 0 takes any that is free")
	return command
}

// A demoNode is one of the three processes.
type demoNode struct {
	name    string
	home    string
	client  *control.Client
	process *exec.Cmd
	ended   chan struct{} // closed once the process is gone
}

func (a *app) runDemo(ctx context.Context, port string) (err error) {
	dir, err := os.MkdirTemp("", "collie-demo-")
	if err != nil {
		return err
	}
	var nodes []*demoNode
	defer func() {
		var stopping sync.WaitGroup
		for _, n := range nodes {
			stopping.Go(n.stop)
		}
		stopping.Wait()
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	if toTerminal(a.stderr) {
		fmt.Fprintln(a.stderr, "starting three nodes…")
	}
	for _, name := range []string{"atlas", "juno", "iris"} {
		doorPort := "0"
		if name == "atlas" {
			doorPort = port
		}
		n, err := startDemoNode(ctx, filepath.Join(dir, name), name, doorPort)
		if n != nil {
			nodes = append(nodes, n)
		}
		if err != nil {
			return unlessStopped(ctx, err)
		}
	}
	lead := nodes[0]
	for _, n := range nodes[1:] {
		if err := join(ctx, lead, n); err != nil {
			return unlessStopped(ctx, err)
		}
	}
	var code control.PairCode
	if err := lead.client.Call(ctx, http.MethodPost, "/pair", control.PairRequest{}, &code); err != nil {
		return unlessStopped(ctx, err)
	}
	if a.json {
		err = a.print(code, nil)
	} else {
		a.printCode(code)
		_, err = fmt.Fprintf(a.stdout, demoText, filepath.Join(lead.home, "state"), lead.process.Path, dir)
	}
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case <-lead.ended:
		return fmt.Errorf("the lead of the demo ended: %w", lastWords(lead.home))
	}
}

// unlessStopped takes what fails for a person who ends the demo out of an error.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

const demoText = `
Three machines, atlas (the lead), juno and iris, each with one shell. Try in the browser:
  · open a pane of juno and run  printf 'ghp_%%s\n' 0123456789abcdefghijABCDEFGHIJ012345
  · from another terminal, speak to a node:  COLLIE_STATE_DIR=%s %s crew status
Ctrl+C ends all of it and removes %s.
`

func join(ctx context.Context, lead, member *demoNode) error {
	var invite control.Invite
	if err := lead.client.Call(ctx, http.MethodPost, "/crew/invite", control.InviteRequest{}, &invite); err != nil {
		return err
	}
	request := control.JoinRequest{Address: invite.Addresses[0], Token: invite.Token, Label: member.name}
	return member.client.Call(ctx, http.MethodPost, "/crew/join", request, &control.Joined{})
}

// startDemoNode runs a node of this program with folders of its own.
func startDemoNode(ctx context.Context, home, name, port string) (*demoNode, error) {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(home, "log"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	n := &demoNode{name: name, home: home, client: control.Dial(filepath.Join(home, "state")), ended: make(chan struct{})}
	n.process = exec.Command(self, "up", "--ready-fd", "3")
	n.process.Env = append(withoutCollie(os.Environ()),
		"COLLIE_STATE_DIR="+filepath.Join(home, "state"), "COLLIE_CONFIG_DIR="+filepath.Join(home, "config"),
		"COLLIE_PORT="+port, "COLLIE_MESH_LISTEN=127.0.0.1:0", "COLLIE_LABEL="+name)
	n.process.Stdout, n.process.Stderr, n.process.ExtraFiles = log, log, []*os.File{write}
	n.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl+C reaches this command alone, which ends them in turn
	err = n.process.Start()
	write.Close()
	if err != nil {
		return nil, err
	}
	go func() { // ends with the process, which stop ends
		defer close(n.ended)
		_ = n.process.Wait()
	}()
	_ = read.SetReadDeadline(time.Now().Add(demoReady))
	stop := context.AfterFunc(ctx, func() { _ = read.SetReadDeadline(time.Now()) })
	defer stop()
	if _, err := bufio.NewReader(read).ReadString('\n'); err != nil {
		return n, fmt.Errorf("%s did not start: %w", name, lastWords(home))
	}
	return n, nil
}

// stop closes the node's panes, which would go on without it, and ends it.
func (n *demoNode) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), demoStop)
	defer cancel()
	// One that does not answer yet may be about to open its first pane.
	for n.closePanes(ctx) != nil && n.lives(ctx) {
	}
	_ = n.process.Process.Signal(syscall.SIGTERM)
	select {
	case <-n.ended:
	case <-ctx.Done():
		_ = n.process.Process.Kill()
		<-n.ended
	}
}

// lives waits a moment, and reports whether the node still runs after it.
func (n *demoNode) lives(ctx context.Context) bool {
	select {
	case <-n.ended:
		return false
	case <-ctx.Done():
		return false
	case <-time.After(demoRetry):
		return true
	}
}

func (n *demoNode) closePanes(ctx context.Context) error {
	var panes []control.Pane
	if err := n.client.Call(ctx, http.MethodGet, "/panes", nil, &panes); err != nil {
		return err
	}
	for _, p := range panes {
		_ = n.client.Call(ctx, http.MethodPost, panePath(p.ID, "close"), struct{}{}, nil) // the folder goes either way
	}
	return nil
}

func withoutCollie(environ []string) []string {
	var kept []string
	for _, pair := range environ {
		if !strings.HasPrefix(pair, "COLLIE_") {
			kept = append(kept, pair)
		}
	}
	return kept
}

// lastWords is why a node ended, as it said itself, or the last line of its log.
func lastWords(home string) error {
	file, err := os.Open(filepath.Join(home, "log"))
	if err != nil {
		return err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, 1<<20))
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for _, line := range slices.Backward(lines) {
		if said, ok := strings.CutPrefix(line, "collie: "); ok {
			return errors.New(said)
		}
	}
	return errors.New(lines[len(lines)-1])
}
