package node

import (
	"cmp"
	"context"
	"crypto/hmac"
	"strings"

	"collie/node/api"
	"collie/node/grid"
	"collie/node/harness"
	"collie/node/mirror"
	"collie/node/pane"
	"collie/node/status"
)

func (l *Local) mirror(id string, front func(pane.ID) (status.Front, error)) *mirror.Mirror {
	return mirror.New(l.node.Mask, func(rows []grid.Row, head grid.Frame) string {
		f, err := front(pane.ID(id))
		if err != nil {
			return ""
		}
		return l.regionHash(id, f, rows, head)
	})
}

// Live sends the screen and then what changes, also when that is nothing but the
// program that the screen is for.
func (l *Local) Live(ctx context.Context, id string, send func(grid.Frame) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	screen := newShown(l.mirror(id, l.node.Status.Believed), send, cancel)
	err := l.node.Panes.Watch(ctx, pane.ID(id), screen.show)
	return paneError(cmp.Or(screen.close(), err))
}

// compare refuses a screen that is not the one that a person saw.
func (l *Local) compare(id string, now status.Sight, screen string) error {
	if hash := l.regionHash(id, now.Front, now.Frame.Whole(), now.Frame); !hmac.Equal([]byte(hash), []byte(screen)) {
		return api.ErrScreenChanged
	}
	return nil
}

// regionHash hashes the prompt region of a pane, with the run of the program that it
// is for: keyed, because a plain hash would let a phone guess what the mask hides.
func (l *Local) regionHash(id string, f status.Front, rows []grid.Row, head grid.Frame) string {
	return l.node.keyed("screen", id, f.Program+"\x00"+f.Job+"\x00"+regionOf(f, rows, head))
}

// regionOf is what a reply is meant for: the question or the input of a program that
// is understood; the line of a shell that waits at its prompt; and else all that is
// shown down to the cursor, since nobody knows how much of it is the question.
func regionOf(f status.Front, rows []grid.Row, head grid.Frame) string {
	reading := f.Adapter.Read(harness.Screen{Rows: rows, Cursor: head.Cursor})
	if region, known := reading.Region(); known {
		return region
	}
	if !reading.Owned && f.OwnPrompt(head) {
		return "line\x00" + strings.TrimRight(grid.LineAt(rows, head.Cursor), " ")
	}
	region := "screen\x00"
	if head.Alternate {
		region = "alternate screen\x00"
	}
	shown := rows // with a cursor that is hidden nobody knows where the program reads
	if head.Cursor.Visible {
		shown = rows[:min(grid.LineStart(rows, head.Cursor), len(rows))]
	}
	for _, text := range grid.Still(shown) {
		region += text + "\n"
	}
	return region + strings.TrimRight(grid.LineAt(rows, head.Cursor), " ")
}
