package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
)

// A Key is one setting that Collie knows.
type Key struct {
	Name    string
	Default string
	About   string
	check   func(string) error // of a value that is not empty
	place   bool               // it says which .env is read, so it cannot stand there
}

// keys is the whole list, in the order in which collie config prints it.
var keys = []Key{
	{Name: "COLLIE_STATE_DIR", About: "folder of the node's state", check: absolute},
	{Name: "COLLIE_CONFIG_DIR", About: "folder of .env", check: absolute, place: true},
	{Name: "COLLIE_INSTANCE", About: "name of a further node on this machine", place: true},
	{Name: "COLLIE_LABEL", About: "what this machine is called in a crew; its host name without it"},
	{Name: "COLLIE_HOST", Default: "127.0.0.1", About: "address of the front door"},
	{Name: "COLLIE_PORT", Default: "8787", About: "port of the front door", check: port},
	{Name: "COLLIE_PUBLIC_URL", About: "address under which a phone reaches the front door", check: webURL},
	{Name: "COLLIE_ALLOW_NON_LOOPBACK_BIND", About: "1 lets the front door listen beyond this machine", check: flag},
	{Name: "COLLIE_ALLOW_ANY_HOST", About: "1 accepts every Host header", check: flag},
	{Name: "COLLIE_TLS_CERT", About: "certificate file of the front door"},
	{Name: "COLLIE_TLS_KEY", About: "key file of the front door"},
	{Name: "COLLIE_TRUSTED_USER", About: "the one Tailscale login that may come in"},
	{Name: "COLLIE_DEVICE_HEADER", About: "header in which a proxy names the device"},
	{Name: "COLLIE_DEVICE_ALLOWLIST", About: "devices that may write, separated by commas"},
	{Name: "COLLIE_ACCESS_TEAM", About: "Cloudflare Access team"},
	{Name: "COLLIE_ACCESS_AUD", About: "Cloudflare Access audience"},
	{Name: "COLLIE_MESH_LISTEN", Default: ":8788", About: "UDP address of the crew link", check: listenAddress},
	{Name: "COLLIE_BEAT_MS", Default: "5000", About: "milliseconds between two beats of the crew link, the same on every machine; for test benches", check: between(50, 5000)},
	{Name: "COLLIE_STANDBY_HOST", Default: "127.0.0.1", About: "address of the standby door"},
	{Name: "COLLIE_STANDBY_PORT", About: "port of the standby door; without it there is none", check: port},
	{Name: "COLLIE_STANDBY_ARM_MS", Default: "30000", About: "milliseconds of the lead's silence that arm the standby door; at least six beats", check: between(1, 86_400_000)},
	{Name: "COLLIE_HOOKS_HOST", Default: "127.0.0.1", About: "address on which webhooks are heard"},
	{Name: "COLLIE_HOOKS_PORT", About: "port on which webhooks are heard; without it none is", check: port},
	{Name: "COLLIE_REDACT", Default: "on", About: "off lets secrets leave this machine unmasked", check: onOff},
	{Name: "COLLIE_MUX", Default: "builtin", About: "who keeps the panes: builtin, or tmux (3.3 and newer)", check: multiplexer},
	{Name: "COLLIE_TMUX_SOCKET", About: "socket of the tmux server: an absolute path, or a name as for tmux -L", check: tmuxSocket},
	{Name: "COLLIE_WALKY", Default: "on", About: "off refuses every walky message to this machine", check: onOff},
	{Name: "COLLIE_SENT", Default: "on", About: "off keeps no list of the lines that are sent to shells", check: onOff},
	{Name: "COLLIE_AUDIT_CONTENT", Default: "preview", About: "none keeps every text out of the audit log", check: auditContent},
}

func absolute(text string) error {
	if !filepath.IsAbs(text) {
		return errors.New("it must be an absolute path")
	}
	return nil
}

func port(text string) error {
	if n, err := strconv.Atoi(text); err != nil || n < 0 || n > 65535 {
		return errors.New("it must be a port number")
	}
	return nil
}

// between checks a whole number.
func between(least, most int) func(string) error {
	return func(text string) error {
		if n, err := strconv.Atoi(text); err != nil || n < least || n > most {
			return fmt.Errorf("it must be a number from %d to %d", least, most)
		}
		return nil
	}
}

func listenAddress(text string) error {
	_, number, err := net.SplitHostPort(text)
	if err != nil || port(number) != nil {
		return errors.New("it must be an address and a port, such as :8788")
	}
	return nil
}

func flag(text string) error {
	if text != "0" && text != "1" {
		return errors.New("it must be 1 or 0")
	}
	return nil
}

func onOff(text string) error {
	if text != "on" && text != "off" {
		return errors.New("it must be on or off")
	}
	return nil
}

func multiplexer(text string) error {
	if text != "builtin" && text != "tmux" {
		return errors.New("it must be builtin or tmux")
	}
	return nil
}

func tmuxSocket(text string) error {
	if !filepath.IsAbs(text) && strings.ContainsRune(text, filepath.Separator) {
		return errors.New("it must be a name or an absolute path")
	}
	return nil
}

func auditContent(text string) error {
	if text != "preview" && text != "none" {
		return errors.New("it must be preview or none")
	}
	return nil
}

func webURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil {
		return errors.New("it must be an http or https address")
	}
	return nil
}
