// Package config reads what the operator has set: the process environment,
// then the .env file in the config folder. One table names every key; a key
// that is not in it is reported, and a value that cannot be used is refused by
// name before anything starts. An error never quotes a value, which may be a
// secret that stands in the wrong line.
//
// An empty value is as none, wherever it stands, so that nothing is switched off
// by a name without a value.
package config

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"collie/node/state"
)

// Source says where a value came from.
type Source string

// The sources, nearest first.
const (
	FromEnvironment Source = "environment"
	FromFile        Source = ".env"
	FromDefault     Source = "default"
)

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
// one that cannot be parsed, or that belongs to somebody else, is an error.
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
	file, err := readFile(dir)
	if err != nil {
		return nil, err
	}
	c := &Config{Dir: dir, values: map[string]Value{}}
	for _, key := range keys {
		value, err := key.value(environment[key.Name], file[key.Name])
		if err != nil {
			return nil, err
		}
		c.values[key.Name] = value
	}
	for name := range file {
		if _, known := c.values[name]; !known && strings.HasPrefix(name, "COLLIE_") {
			c.unknown = append(c.unknown, name)
		}
	}
	sort.Strings(c.unknown)
	stateDir, err := state.StateDir(func(name string) string {
		if value, known := c.values[name]; known {
			return value.Text
		}
		return environment[name]
	})
	if err != nil {
		return nil, err
	}
	c.set("COLLIE_CONFIG_DIR", dir)
	c.set("COLLIE_STATE_DIR", stateDir)
	return c, nil
}

// value picks the value that is in force, and checks it.
func (k Key) value(environment, file string) (Value, error) {
	v := Value{Key: k, Text: k.Default, Source: FromDefault}
	switch {
	case environment != "":
		v.Text, v.Source, v.Shadowed = environment, FromEnvironment, file != "" && file != environment
	case file != "" && k.place:
		return v, fmt.Errorf("%s cannot be set in .env, because it says which .env is read: set it in the environment", k.Name)
	case file != "":
		v.Text, v.Source = file, FromFile
	}
	if v.Text != "" && k.check != nil {
		if err := k.check(v.Text); err != nil {
			return v, fmt.Errorf("%s (from %s) cannot be used: %w", k.Name, v.Source, err)
		}
	}
	return v, nil
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
func (c *Config) Port() int { return c.Number("COLLIE_PORT") }

// Number returns a number, 0 if there is none.
func (c *Config) Number(name string) int {
	n, _ := strconv.Atoi(c.Get(name)) // checked by Load
	return n
}

// Millis returns a number of milliseconds.
func (c *Config) Millis(name string) time.Duration {
	return time.Duration(c.Number(name)) * time.Millisecond
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
