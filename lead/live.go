package lead

import (
	"context"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"collie/node/api"
	"collie/node/grid"
	"collie/node/mirror"
	"collie/node/trust"
)

// Live reads a member's frames as fast as they come and sends the newest screen
// whenever the phone can take one, so that a slow phone neither holds the member
// up nor sees what is over.
func (m *remote) Live(ctx context.Context, id string, send func(grid.Frame) error) error {
	if !validID(id) {
		return api.ErrPaneNotFound.On(m.host)
	}
	newest := newest{fresh: make(chan struct{}, 1)}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return m.machine.Live(ctx, id, newest.apply) })
	group.Go(func() error {
		for screen := mirror.New(m.mask, nil); ; {
			select {
			case <-newest.fresh:
			case <-ctx.Done():
				select {
				case <-newest.fresh: // the last word of a stream that has ended
				default:
					return ctx.Err()
				}
			}
			frame, err := m.masked(screen, newest.full())
			if err == nil {
				err = send(frame)
			}
			if err != nil {
				return err
			}
		}
	})
	return on(m.host, group.Wait())
}

// masked takes a frame of the member through a mirror. A frame that no honest
// member sends is api.ErrHostAnswer.
func (m *remote) masked(screen *mirror.Mirror, frame grid.Frame) (grid.Frame, error) {
	if (frame.Screen != "" && len(frame.Screen) != api.ScreenBytes) || strings.Trim(frame.Screen, base64URL) != "" { // it is a hash, and passed on unmasked
		return grid.Frame{}, api.ErrHostAnswer
	}
	frame.Title = trust.Clean(frame.Title, grid.MaxTitleBytes)
	frame, err := screen.Apply(frame)
	if err != nil {
		return grid.Frame{}, api.ErrHostAnswer
	}
	frame.Above, frame.Ends = nil, nil
	return frame, nil
}

const base64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// newest is the sum of the frames that came so far.
type newest struct {
	fresh chan struct{} // holds one element when full has something new

	mu     sync.Mutex // guards screen
	screen grid.Screen
}

func (n *newest) apply(frame grid.Frame) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, err := n.screen.Apply(frame); err != nil {
		return api.ErrHostAnswer
	}
	select {
	case n.fresh <- struct{}{}:
	default: // the frame before was not taken yet
	}
	return nil
}

// full is a frame that names every row.
func (n *newest) full() grid.Frame {
	n.mu.Lock()
	defer n.mu.Unlock()
	frame := n.screen.Head()
	for i, row := range n.screen.Rows() {
		frame.Lines = append(frame.Lines, grid.Line{I: i, Row: row})
	}
	return frame
}
