package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"collie/node/grid"
	"collie/node/pane"
	"collie/node/pane/holder"
	"collie/node/trust"
)

// readiness asks what stands in the way of typing into a pane.
func (m *Mux) readiness(ctx context.Context, id pane.ID, c *client) (inMode bool, err error) {
	replies, err := c.ask(ctx, "display-message -p -t "+string(id)+` "#{pane_dead} #{pane_input_off} #{pane_synchronized} #{pane_in_mode}"`)
	if err != nil {
		if errors.Is(err, pane.ErrOutcomeUnknown) { // nothing was typed yet
			err = fmt.Errorf("%w: tmux does not answer", pane.ErrAway)
		}
		return false, err
	}
	fields := strings.Split(replies[0], " ")
	switch {
	case len(fields) != 4:
		return false, fmt.Errorf("%w: it does not say whether the pane takes input", pane.ErrRefused)
	case fields[0] == "1":
		return false, pane.ErrEnded
	case fields[1] == "1":
		return false, fmt.Errorf("%w: the pane's input is off (select-pane -e turns it on)", pane.ErrRefused)
	case fields[2] == "1":
		return false, fmt.Errorf("%w: what is typed there goes to every pane of the window (synchronize-panes)", pane.ErrRefused)
	}
	return fields[3] != "0" && fields[3] != "", nil
}

// Input implements [pane.Multiplexer]. The bytes go as they are, none as the name
// of a key.
func (m *Mux) Input(ctx context.Context, id pane.ID, p []byte) error {
	return m.InputIf(ctx, id, p, anyhow)
}

// InputIf implements [pane.Multiplexer]. What the question for the readiness is
// answered by comes behind all that tmux has read of the program until then.
func (m *Mux) InputIf(ctx context.Context, id pane.ID, p []byte, still func() error) error {
	if len(p) > holder.MaxInputBytes {
		return holder.ErrInput
	}
	return m.typing(ctx, id, p, func(c *client, inMode bool) error {
		var lines []string
		if inMode { // a person scrolls: the program gets the keys, not the scrolling
			lines = append(lines, "copy-mode -q -t "+string(id))
		}
		for len(p) > 0 {
			chunk := p[:min(len(p), inputChunk)]
			p = p[len(chunk):]
			var line strings.Builder
			line.WriteString("send-keys -t " + string(id) + " -H")
			for _, b := range chunk {
				fmt.Fprintf(&line, " %02x", b)
			}
			lines = append(lines, line.String())
		}
		if len(lines) == 0 {
			return nil
		}
		if err := still(); err != nil {
			return err
		}
		_, err := c.ask(ctx, lines...)
		if err != nil && len(lines) > 1 && !errors.Is(err, pane.ErrOutcomeUnknown) {
			err = fmt.Errorf("%w: %w", pane.ErrOutcomeUnknown, err) // some of it may have gone before
		}
		return err
	})
}

func anyhow() error { return nil }

// typing does what types some bytes, as far as it matters which.
func (m *Mux) typing(ctx context.Context, id pane.ID, bytes []byte, do func(c *client, inMode bool) error) error {
	p, c, err := m.reach(ctx, id)
	if err != nil {
		return err
	}
	inMode, err := m.readiness(ctx, id, c)
	if err == nil {
		p.view.Typed()
		err = p.typed.counted(ctx, c, id, bytes, func() error { return do(c, inMode) })
	}
	if err != nil {
		return fmt.Errorf("pane %s: %w", id, err)
	}
	return nil
}

// Paste implements [pane.Multiplexer]. tmux reads the text out of this process's
// memory, and puts it into brackets if the program has asked for them.
func (m *Mux) Paste(ctx context.Context, id pane.ID, text string) error {
	return m.PasteIf(ctx, id, text, anyhow)
}

// PasteIf implements [pane.Multiplexer]. That the text was read is answered behind
// all that tmux has read of the program until then.
func (m *Mux) PasteIf(ctx context.Context, id pane.ID, text string, still func() error) error {
	text, err := pane.CleanPaste(text)
	if err != nil || text == "" {
		return err
	}
	begun := []byte("\x1b[200~" + text + "\x1b[201~") // whether a newline in it enters anything is between tmux and the program
	return m.typing(ctx, id, begun, func(c *client, inMode bool) error {
		file, path, err := inMemory(text)
		if err != nil {
			return err
		}
		defer file.Close()
		buffer := "collie-" + strconv.FormatUint(m.pastes.Add(1), 10)
		if _, err := c.ask(ctx, "load-buffer -b "+buffer+" "+quote(path)); errors.Is(err, pane.ErrOutcomeUnknown) {
			return fmt.Errorf("%w: tmux does not take the text", pane.ErrAway) // nothing was typed
		} else if err != nil {
			return fmt.Errorf("%w: it cannot read the text: %w", pane.ErrRefused, err)
		}
		if err := still(); err != nil {
			_ = c.send(command{text: "delete-buffer -b " + buffer})
			return err
		}
		_, err = c.ask(ctx, "paste-buffer -p -d -b "+buffer+" -t "+string(id))
		if err != nil {
			_ = c.send(command{text: "delete-buffer -b " + buffer})
		}
		return err
	})
}

// inMemory makes a file that is in no folder.
func inMemory(text string) (*os.File, string, error) {
	fd, err := unix.MemfdCreate("collie-paste", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, "", fmt.Errorf("keep the text for tmux: %w", err)
	}
	file := os.NewFile(uintptr(fd), "collie-paste")
	if _, err := file.WriteString(text); err != nil {
		return nil, "", errors.Join(fmt.Errorf("keep the text for tmux: %w", err), file.Close())
	}
	return file, fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd), nil
}

// Resize implements [pane.Multiplexer]. The terminal of a person who has the
// session decides, and nobody else.
func (m *Mux) Resize(ctx context.Context, id pane.ID, cols, rows int) error {
	if cols < 1 || cols > grid.MaxCols || rows < 1 || rows > grid.MaxRows {
		return fmt.Errorf("%w: %d by %d", pane.ErrSize, cols, rows)
	}
	p, c, err := m.reach(ctx, id)
	if err != nil {
		return err
	}
	m.mu.Lock()
	r, open := p.row, m.shown(p.row)
	m.mu.Unlock()
	switch {
	case r.dead:
		return fmt.Errorf("pane %s: %w", id, pane.ErrEnded)
	case open:
		return fmt.Errorf("pane %s: %w", id, pane.ErrOpen)
	}
	lines := []string{fmt.Sprintf("resize-pane -t %s -x %d -y %d", id, cols, rows)}
	if r.panes == 1 {
		lines = []string{
			"set-option -w -t " + r.window + " @collie_sized 1",
			fmt.Sprintf("resize-window -t %s -x %d -y %d", r.window, cols, rows),
		}
	}
	if _, err := c.ask(ctx, lines...); err != nil {
		return fmt.Errorf("pane %s: %w", id, err)
	}
	if r.panes > 1 {
		m.again() // the others in the window have a say in the size
		return nil
	}
	return m.until(ctx, func() bool { return p.row.cols == cols && p.row.rows == rows || m.panes[id] != p })
}

// Rename implements [pane.Multiplexer]: the operator's word is an option of the
// pane, since its title is the program's.
func (m *Mux) Rename(ctx context.Context, id pane.ID, label string) error {
	if err := holder.CheckLabel(label); err != nil {
		return err
	}
	p, c, err := m.reach(ctx, id)
	if err != nil {
		return err
	}
	if _, err := c.ask(ctx, "set-option -p -t "+string(id)+" @collie_label "+quote(label)); err != nil {
		return fmt.Errorf("pane %s: %w", id, err)
	}
	return m.until(ctx, func() bool { return p.row.label == label || m.panes[id] != p })
}

// RenameTab implements [pane.Multiplexer]. Without a name tmux names the window
// after its program again.
func (m *Mux) RenameTab(ctx context.Context, tab, label string) error {
	if err := holder.CheckLabel(label); err != nil {
		return err
	}
	p, c, err := m.find(func(r row) bool { return r.window == tab })
	if err != nil {
		return fmt.Errorf("tab %.20q: %w", tab, err)
	}
	if label == "" {
		_, err = c.ask(ctx, "set-option -w -u -t "+tab+" automatic-rename")
		m.again()
		return err
	}
	// tmux writes some characters otherwise in a name; what it made of it counts.
	said, err := c.ask(ctx, "rename-window -t "+tab+" -- "+literal(label), "display-message -p -t "+tab+` "#{window_name}"`)
	if err != nil {
		return err
	}
	named := trust.Clean(said[1], nameBytes)
	return m.until(ctx, func() bool { return p.row.windowName == named || m.panes[p.id] != p })
}

// RenameWorkspace implements [pane.Multiplexer].
func (m *Mux) RenameWorkspace(ctx context.Context, workspace, label string) error {
	if err := holder.CheckLabel(label); err != nil {
		return err
	}
	p, c, err := m.find(func(r row) bool { return workspaceID(r.session) == workspace })
	if err != nil {
		return fmt.Errorf("workspace %.20q: %w", workspace, err)
	}
	m.mu.Lock()
	session, before := p.row.session, p.row.sessionName
	m.mu.Unlock()
	if strings.ContainsAny(label, ":.") {
		return fmt.Errorf("%w: the name of a session has no colon and no dot", pane.ErrRefused)
	}
	if label == before {
		return nil
	}
	said, err := c.ask(ctx, "rename-session -t "+quote(session)+" -- "+literal(label), "display-message -p -t "+quote(session+":")+` "#{session_name}"`)
	if err != nil {
		return err
	}
	named := trust.Clean(said[1], nameBytes)
	return m.until(ctx, func() bool { return p.row.sessionName == named || m.panes[p.id] != p })
}

func (m *Mux) find(match func(row) bool) (*tmuxPane, *client, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.detached {
		return nil, nil, pane.ErrDetached
	}
	for _, p := range m.order {
		if match(p.row) {
			if c := m.clients[p.row.session]; c != nil {
				return p, c, nil
			}
			return nil, nil, pane.ErrAway
		}
	}
	return nil, nil, pane.ErrNotFound
}

// kill ends a pane, when no other is made or ended. A server of 3.3 ends, with every session,
// when a session goes before its clients were told that its window changed; the
// second word comes back only after that.
func (m *Mux) kill(ctx context.Context, c *client, id pane.ID) error {
	m.changing.Lock()
	defer m.changing.Unlock()
	_, err := c.ask(ctx, "kill-pane -t "+string(id))
	if other, otherErr := m.anyone(); otherErr == nil {
		_, _ = other.ask(ctx, "display-message -p told")
	}
	return err
}

// Close implements [pane.Multiplexer].
func (m *Mux) Close(ctx context.Context, id pane.ID) error {
	p, c, err := m.reach(ctx, id)
	if err != nil {
		return err
	}
	err = m.kill(ctx, c, id)
	// The last pane of a session takes the client with it, perhaps before its answer.
	if err != nil && !errors.Is(err, pane.ErrOutcomeUnknown) && !errors.Is(err, errClientGone) {
		return fmt.Errorf("pane %s: %w", id, err)
	}
	m.again()
	patience := time.NewTimer(requestTimeout)
	defer patience.Stop()
	select {
	case <-p.gone:
		return nil
	case <-patience.C:
		return fmt.Errorf("pane %s: %w", id, pane.ErrOutcomeUnknown)
	case <-m.ctx.Done():
		return pane.ErrDetached
	case <-ctx.Done():
		return fmt.Errorf("pane %s: %w: %w", id, pane.ErrOutcomeUnknown, ctx.Err())
	}
}
