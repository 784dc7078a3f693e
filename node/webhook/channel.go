// Package webhook lets other systems leave a message for a session: a channel is
// a name, a secret and a pane, and whoever signs with the secret may post to it.
//
// The secret proves which system sent a request, never that a person meant what
// stands in it. So whatever comes in is public data: it goes through walky's door
// for webhooks, is journaled before it is answered, and reaches the session as a
// line of fixed text and, when the session asks, inside a fence.
//
// Invariants:
//   - A request is judged by the signature over its raw body before anything in
//     it is looked at. An unknown channel, a missing and a wrong signature get
//     the same bare answer, after the like work.
//   - One delivery is one message: also when it is sent again, when it is sent
//     again under another id, and when the node is killed in between.
//   - The secrets stand in channels.json (0600) and nowhere else. A file that
//     cannot be read refuses every delivery, and is not written.
//
// The bounds are in limits.go.
package webhook

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"collie/crypto/atomicfile"
	"collie/node/walky"
)

// A Format is how a system signs.
type Format string

// The formats.
const (
	// Standard is Standard Webhooks (https://www.standardwebhooks.com): the
	// signature covers the id, the time and the body.
	Standard Format = "standard"
	// GitHub covers the body alone (X-Hub-Signature-256).
	GitHub Format = "github"
)

// A Channel is where one system may post.
type Channel struct {
	Name      string    `json:"name"`
	Format    Format    `json:"format"`
	Pane      string    `json:"pane"`
	Token     string    `json:"token,omitempty"` // of one instance; any session in the pane without
	Secret    []byte    `json:"secret"`
	CreatedAt time.Time `json:"createdAt"`
}

// Refusals of Add and Remove.
var (
	ErrName        = errors.New("name of a channel is 1 to 32 of a-z, 0-9 and -, and begins with no -")
	ErrFormat      = errors.New("format is standard or github")
	ErrSecret      = fmt.Errorf("secret is %d to %d bytes; of the standard format whsec_ and their base64", minSecret, maxSecret)
	ErrTarget      = errors.New("not a pane of this machine")
	ErrExists      = errors.New("a channel has that name")
	ErrUnknown     = errors.New("there is no channel of that name")
	ErrUnavailable = errors.New("channels cannot be read")
	ErrTooMany     = fmt.Errorf("there are %d channels already", maxChannels)
)

// Config is what a Desk is made of. All of it is needed.
type Config struct {
	Folder string // <state>: channels.json, and what was seen in channels/
	// Post takes a message for a session, see walky.Station.
	Post func(context.Context, walky.Post) (walky.Receipt, error)
	Now  func() time.Time
	Rand io.Reader
	Log  *slog.Logger
}

// A Desk takes what comes in for the channels. It is safe for concurrent use.
type Desk struct {
	config Config

	mu       sync.Mutex
	broken   error // why channels.json cannot be believed
	channels map[string]*open
}

// open is a channel in use. Whoever has its turn delivers, so that two of the
// same are seen as that, or removes it.
type open struct {
	Channel
	limiter *rate.Limiter
	turn    chan struct{} // holds one value while nobody has the turn
	seen    *seen         // of whoever has the turn
	removed bool          // likewise
}

const (
	fileName = "channels.json"
	version  = 1
)

type file struct {
	Channels []Channel `json:"channels"`
}

// Open reads the channels. One that cannot be read is no error here: every
// delivery is refused until it is mended, and List says why.
func Open(c Config) *Desk {
	d := &Desk{config: c, channels: map[string]*open{}}
	if err := d.load(); err != nil {
		d.broken = fmt.Errorf("%w: %w", ErrUnavailable, err)
		c.Log.Error("no webhook is taken", "error", err)
	}
	return d
}

func (d *Desk) load() error {
	var stored file
	err := atomicfile.ReadJSON(d.path(), version, &stored)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(stored.Channels) > maxChannels {
		return ErrTooMany
	}
	for _, c := range stored.Channels {
		if err := c.check(); err != nil {
			return fmt.Errorf("channel %q: %w", c.Name, err)
		}
		if d.channels[c.Name] != nil {
			return fmt.Errorf("channel %q: %w", c.Name, ErrExists)
		}
		d.channels[c.Name] = d.opened(c)
	}
	return nil
}

func (d *Desk) path() string { return filepath.Join(d.config.Folder, fileName) }

func (d *Desk) opened(c Channel) *open {
	o := &open{
		Channel: c, turn: make(chan struct{}, 1), limiter: rate.NewLimiter(perSecond, burst),
		seen: &seen{path: filepath.Join(d.config.Folder, "channels", c.Name+".seen"), log: d.config.Log},
	}
	o.turn <- struct{}{}
	return o
}

func (c Channel) check() error {
	switch {
	case !walky.ValidDoorName(c.Name):
		return ErrName
	case c.Format != Standard && c.Format != GitHub:
		return ErrFormat
	case len(c.Secret) < minSecret || len(c.Secret) > maxSecret:
		return ErrSecret
	}
	_, err := walky.ParseAddress(c.Pane + "#" + c.tokenOrAny())
	if err != nil {
		return fmt.Errorf("%w: %q", ErrTarget, c.Pane)
	}
	return nil
}

// tokenOrAny lets an address without a token be checked as one with it.
func (c Channel) tokenOrAny() string {
	if c.Token == "" {
		return "2222"
	}
	return c.Token
}

// Target returns the pane, and the instance where the channel is bound to one.
func (c Channel) Target() string {
	if c.Token == "" {
		return c.Pane
	}
	return c.Pane + "#" + c.Token
}

// secretPrefix is how a secret of the standard format is written.
const secretPrefix = "whsec_"

// ParseSecret reads a secret as a person pastes it; an empty one is drawn. text
// is what to give to the other system.
func (d *Desk) ParseSecret(format Format, text string) (secret []byte, shown string, err error) {
	switch {
	case text == "":
		secret = make([]byte, 32)
		if _, err := io.ReadFull(d.config.Rand, secret); err != nil {
			return nil, "", fmt.Errorf("cannot draw a secret: %w", err)
		}
		if format == GitHub {
			secret = []byte(base64.RawURLEncoding.EncodeToString(secret))
			return secret, string(secret), nil
		}
	case format == Standard:
		encoded, found := strings.CutPrefix(text, secretPrefix)
		if secret, err = base64.StdEncoding.DecodeString(encoded); err != nil || !found {
			return nil, "", ErrSecret
		}
	default:
		return []byte(text), text, nil
	}
	return secret, secretPrefix + base64.StdEncoding.EncodeToString(secret), nil
}

// Add opens a channel to a pane, or to one instance in it as pane#token.
func (d *Desk) Add(name string, format Format, target string, secret []byte) (Channel, error) {
	c := Channel{Name: name, Format: format, Secret: slices.Clone(secret), CreatedAt: d.config.Now().UTC().Truncate(time.Millisecond)}
	c.Pane, c.Token, _ = strings.Cut(target, "#")
	if err := c.check(); err != nil {
		return Channel{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.broken != nil:
		return Channel{}, d.broken
	case d.channels[name] != nil:
		return Channel{}, fmt.Errorf("%w: %s", ErrExists, name)
	case len(d.channels) >= maxChannels:
		return Channel{}, ErrTooMany
	}
	o := d.opened(c)
	if err := o.seen.forget(); err != nil { // of an earlier channel of that name
		return Channel{}, err
	}
	d.channels[name] = o
	if err := d.store(); err != nil {
		delete(d.channels, name)
		return Channel{}, err
	}
	return c, nil
}

// Remove closes a channel. It waits for a delivery that is under way; those that
// wait for their turn are refused.
func (d *Desk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.channels[name]
	switch {
	case d.broken != nil:
		return d.broken
	case o == nil:
		return fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	delete(d.channels, name)
	if err := d.store(); err != nil {
		d.channels[name] = o
		return err
	}
	<-o.turn // a delivery holds it for postFor and one append; mu keeps the name free until then
	defer func() { o.turn <- struct{}{} }()
	o.removed = true
	if err := o.seen.forget(); err != nil {
		d.config.Log.Warn("what a channel has seen could not be removed", "channel", name, "error", err)
	}
	return nil
}

// store writes channels.json. mu is held.
func (d *Desk) store() error {
	return atomicfile.WriteJSON(d.path(), version, file{d.list()})
}

// list returns the channels by name. mu is held.
func (d *Desk) list() []Channel {
	all := make([]Channel, 0, len(d.channels))
	for _, o := range d.channels {
		all = append(all, o.Channel)
	}
	slices.SortFunc(all, func(a, b Channel) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// List returns the channels by name.
func (d *Desk) List() ([]Channel, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.list(), d.broken
}
