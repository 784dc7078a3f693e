// Package sse writes and reads server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html), the part
// of them that Collie uses: an id, a name, and data.
//
// A Writer belongs to one answer, and holds no event back. A Reader reads what
// another node wrote and believes none of it: what it keeps of one event is
// bounded, and an event whose end did not come is no event.
package sse

import (
	"errors"
	"time"
)

const (
	// writeTimeout is how long a receiver may take nothing before its stream
	// ends.
	writeTimeout = 30 * time.Second
	// maxOverhead bounds what one event may have besides its data: names of
	// fields, line ends, an id, comments.
	maxOverhead = 4096
	// lineBuffer is what a Reader reads at once. A lead holds one for each of its
	// members all the time.
	lineBuffer = 8 << 10
)

var (
	// ErrTooLong is returned for an event beyond the bound.
	ErrTooLong = errors.New("event is too long")
	// ErrNotOneLine is returned for an event that would be read as another.
	ErrNotOneLine = errors.New("event is not one line")
)
