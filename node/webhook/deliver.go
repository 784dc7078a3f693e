package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"collie/node/trust"
	"collie/node/walky"
)

// decoy stands for a channel that does not exist, so that a request to one costs
// what any other costs and is answered alike.
var decoy = Channel{Format: Standard, Secret: make([]byte, 32)}

// errRepeated says that a delivery came before, and no more is known of it.
var errRepeated = errors.New("delivery came before")

// errRate says that a channel has had enough for now.
var errRate = errors.New("channel gets more than it takes")

// Deliver judges a request to a channel and posts what it brings. It returns
// once the message is in the journal and the delivery is remembered.
func (d *Desk) Deliver(ctx context.Context, name string, h http.Header, body []byte) (walky.Receipt, error) {
	d.mu.Lock()
	o, broken := d.channels[name], d.broken
	d.mu.Unlock()
	if broken != nil {
		return walky.Receipt{}, broken
	}
	now := d.config.Now()
	if o == nil {
		_, _ = decoy.verify(h, body, now)
		return walky.Receipt{}, errSignature
	}
	got, err := o.verify(h, body, now)
	if err != nil {
		return walky.Receipt{}, err
	}
	select {
	case <-o.turn:
		defer func() { o.turn <- struct{}{} }()
	case <-ctx.Done():
		return walky.Receipt{}, ctx.Err()
	}
	if o.removed { // while this one waited
		return walky.Receipt{}, errSignature
	}
	return d.post(ctx, o, got, body, now)
}

// post posts a delivery unless it came before. The order is what makes one
// delivery one message: the id of the message is drawn from the delivery, so that
// one that is in the journal and not yet remembered is found there. No time of an
// attempt goes into it: whoever tries again signs with another one.
func (d *Desk) post(ctx context.Context, o *open, got delivery, body []byte, now time.Time) (walky.Receipt, error) {
	marks := []mark{markOf("id", got.id)}
	if !got.sealed {
		marks = append(marks, markOf("body", string(body)))
	}
	known, err := o.seen.has(marks...)
	switch {
	case err != nil:
		return walky.Receipt{}, err
	case known:
		return walky.Receipt{}, errRepeated
	case !o.limiter.AllowN(now, 1):
		return walky.Receipt{}, errRate
	}
	key := got.id
	if !got.sealed { // the id is anybody's
		key = string(body)
	}
	ctx, cancel := context.WithTimeout(ctx, postFor)
	defer cancel()
	text, label := message(o.Channel, got, body)
	r, err := d.config.Post(ctx, walky.Post{
		Door:  walky.Door{Kind: walky.Webhook, Name: o.Name},
		ID:    walky.DoorID(time.UnixMilli(0), "webhook", o.Name, strconv.FormatInt(o.CreatedAt.UnixMilli(), 10), key),
		Label: label, To: walky.Address{Pane: o.Pane, Token: o.Token}, Body: text,
	})
	var check *walky.CheckError
	if errors.As(err, &check) && check.Check == walky.CheckReplay {
		// Posted before a crash, and sent again with another body. The id says which
		// delivery it is: the answer is that of one that was remembered.
		if err = o.seen.add(marks...); err == nil {
			err = errRepeated
		}
		return walky.Receipt{}, err
	}
	if err != nil || r.State == walky.Refused {
		return r, err // and the other system may try again
	}
	return r, o.seen.add(marks...)
}

// message is what a session gets to read of a delivery.
func message(c Channel, got delivery, body []byte) (text, label string) {
	text = strings.ToValidUTF8(string(body), "\ufffd")
	label = "webhook " + c.Name
	if got.event != "" {
		label += ": " + got.event
	}
	if len(text) > textBytes {
		label += fmt.Sprintf(" (the first %d of %d KiB)", textBytes>>10, (len(body)+1023)>>10)
	}
	return trust.CleanText(text, textBytes), label
}
