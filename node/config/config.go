// Package config reads what the operator has set: the process environment,
// then the .env file in the config folder. One table names every key; a key
// that is not in it is reported, and a value that cannot be used is refused by
// name before anything starts.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/joho/godotenv"

	"collie/node/state"
)

// maxFileBytes bounds the .env file.
const maxFileBytes = 1 << 20

// Source says where a value came from.
type Source string

// The sources, nearest first.
const (
	FromEnvironment Source = "environment"
	FromFile        Source = ".env"
	FromDefault     Source = "default"
)

// A Key is one setting that Collie knows.
type Key struct {
	Name    string
	Default string
	About   string
	check   func(string) error
}

// keys is the whole list, in the order in which collie config prints it.
var keys = []Key{
	{"COLLIE_STATE_DIR", "", "folder of the node's state", absolute},
	{"COLLIE_CONFIG_DIR", "", "folder of .env", absolute},
	{"COLLIE_INSTANCE", "", "name of a further node on this machine", nil},
	{"COLLIE_LABEL", "", "what this machine is called in a crew; its host name without it", nil},
	{"COLLIE_HOST", "127.0.0.1", "address of the front door", nil},
	{"COLLIE_PORT", "8787", "port of the front door", port},
	{"COLLIE_PUBLIC_URL", "", "address under which a phone reaches the front door", webURL},
	{"COLLIE_ALLOW_NON_LOOPBACK_BIND", "", "1 lets the front door listen beyond this machine", flag},
	{"COLLIE_ALLOW_ANY_HOST", "", "1 accepts every Host header", flag},
	{"COLLIE_TLS_CERT", "", "certificate file of the front door", nil},
	{"COLLIE_TLS_KEY", "", "key file of the front door", nil},
	{"COLLIE_TRUSTED_USER", "", "the one Tailscale login that may come in", nil},
	{"COLLIE_DEVICE_HEADER", "", "header in which a proxy names the device", nil},
	{"COLLIE_DEVICE_ALLOWLIST", "", "devices that may write, separated by commas", nil},
	{"COLLIE_ACCESS_TEAM", "", "Cloudflare Access team", nil},
	{"COLLIE_ACCESS_AUD", "", "Cloudflare Access audience", nil},
	{"COLLIE_MESH_LISTEN", ":8788", "UDP address of the crew link", nil},
	{"COLLIE_REDACT", "on", "off lets secrets leave this machine unmasked", onOff},
	{"COLLIE_WALKY", "on", "off refuses every walky message to this machine", onOff},
	{"COLLIE_AUDIT_CONTENT", "preview", "none keeps every text out of the audit log", auditContent},
}

// A Value is what a key is set to and why.
type Value struct {
	Key
	Text   string
	Source Source
	// Shadowed says that .env has another value that is not in force.
	Shadowed bool
}

// A Config is one reading of the settings. It does not change; after a change
// of the file the node is restarted.
type Config struct {
	Dir     string
	values  map[string]Value
	unknown []string
}

// Load reads the settings from an environment in the form of os.Environ and
// from the .env file in the config folder. A file that is not there is empty;
// one that cannot be parsed is an error.
func Load(environ []string) (*Config, error) {
	environment := map[string]string{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok {
			environment[name] = value
		}
	}
	dir, err := state.ConfigDir(func(name string) string { return environment[name] })
	if err != nil {
		return nil, err
	}
	c := &Config{Dir: dir, values: map[string]Value{}}
	file, err := readFile(filepath.Join(dir, ".env"))
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, key := range keys {
		known[key.Name] = true
		value := Value{Key: key, Text: key.Default, Source: FromDefault}
		inFile, fileHas := file[key.Name]
		if fileHas {
			value.Text, value.Source = inFile, FromFile
		}
		if text, ok := environment[key.Name]; ok {
			value.Shadowed = fileHas && inFile != text
			value.Text, value.Source = text, FromEnvironment
		}
		if value.Text != "" && key.check != nil {
			if err := key.check(value.Text); err != nil {
				return nil, fmt.Errorf("%s is %q (from %s): %w", key.Name, value.Text, value.Source, err)
			}
		}
		c.values[key.Name] = value
	}
	for name := range file {
		if strings.HasPrefix(name, "COLLIE_") && !known[name] {
			c.unknown = append(c.unknown, name)
		}
	}
	sort.Strings(c.unknown)
	stateDir, err := state.StateDir(func(name string) string {
		if text, ok := environment[name]; ok || !strings.HasPrefix(name, "COLLIE_") {
			return text
		}
		return file[name]
	})
	if err != nil {
		return nil, err
	}
	c.set("COLLIE_CONFIG_DIR", dir)
	c.set("COLLIE_STATE_DIR", stateDir)
	return c, nil
}

func (c *Config) set(name, text string) {
	value := c.values[name]
	value.Text = text
	c.values[name] = value
}

// Get returns a value. A key that is not in the table is a mistake of the
// program.
func (c *Config) Get(name string) string {
	value, ok := c.values[name]
	if !ok {
		panic("config: no key " + name)
	}
	return value.Text
}

// On reports whether a flag or switch is set.
func (c *Config) On(name string) bool {
	text := c.Get(name)
	return text == "1" || text == "on"
}

// Port returns the front door's port.
func (c *Config) Port() int {
	n, _ := strconv.Atoi(c.Get("COLLIE_PORT")) // checked by Load
	return n
}

// Values returns every key in the table's order.
func (c *Config) Values() []Value {
	all := make([]Value, len(keys))
	for i, key := range keys {
		all[i] = c.values[key.Name]
	}
	return all
}

// Unknown names the COLLIE_ keys of .env that no table row knows.
func (c *Config) Unknown() []string { return c.unknown }

func readFile(path string) (map[string]string, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read settings: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read settings: %s is no regular file", path)
	case info.Size() > maxFileBytes:
		return nil, fmt.Errorf("read settings: %s has more than %d bytes", path, maxFileBytes)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	values, err := godotenv.UnmarshalBytes(data)
	if err != nil { // the parser's words may quote a secret line
		return nil, fmt.Errorf("read settings: %s is not in the form NAME=value", path)
	}
	return values, nil
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
