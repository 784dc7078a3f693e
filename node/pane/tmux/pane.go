package tmux

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"collie/node/grid"
	"collie/node/pane"
	"collie/node/pane/view"
	"collie/node/terminal"
	"collie/node/trust"
)

// A tmuxPane is one pane with the screen that Collie keeps of it. The Mux's lock
// guards row, asked, since and activeAt.
type tmuxPane struct {
	mux      *Mux
	id       pane.ID
	row      row
	asked    bool // a capture of it was asked for
	since    time.Time
	activeAt time.Time
	view     *view.View
	gone     chan struct{}          // closed when the pane is no more
	seeded   chan struct{}          // closed when its screen is there
	terminal atomic.Pointer[string] // its tty
	typed    typed

	mu       sync.Mutex // guards what follows; held for one chunk of output
	begun    bool       // seeded is closed
	ended    bool
	captured bool   // a capture is under way
	stirred  bool   // it wrote while it was captured
	tries    int    // captures that it wrote into
	paused   bool   // it floods, and is captured later
	seed     uint64 // of the capture that counts
	spent    int    // bytes since window
	window   time.Time
}

func newPane(m *Mux, r row, now time.Time) *tmuxPane {
	p := &tmuxPane{mux: m, id: pane.ID(r.id), row: r, since: now, activeAt: now, gone: make(chan struct{}), seeded: make(chan struct{})}
	p.terminal.Store(&r.tty)
	p.typed.kept = r.begun
	p.view = view.New(r.cols, r.rows, scrollback, p.discipline)
	return p
}

// end says that the pane is no more. The Mux's lock is held.
func (p *tmuxPane) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.ended = true
		close(p.gone)
	}
}

// discipline reads how the kernel treats what is typed, from the program's side
// of the terminal. It is opened for a moment only: whoever kept it open would
// keep tmux from noticing the end of the program.
func (p *tmuxPane) discipline() view.Discipline {
	tty := *p.terminal.Load()
	if !strings.HasPrefix(tty, "/dev/pts/") {
		return view.Discipline{}
	}
	fd, err := unix.Open(tty, unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return view.Discipline{}
	}
	defer unix.Close(fd)
	termios, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return view.Discipline{}
	}
	return view.Discipline{Canonical: termios.Lflag&unix.ICANON != 0, Echo: termios.Lflag&unix.ECHO != 0}
}

// wrote shows what the pane has written. One that floods is paused: what it shows
// is captured a moment later, and what it wrote meanwhile is nobody's.
func (p *tmuxPane) wrote(c *client, data []byte) {
	now := time.Now()
	p.mu.Lock()
	if p.ended || p.paused {
		p.mu.Unlock()
		return
	}
	if now.Sub(p.window) > floodWindow {
		p.window, p.spent = now, 0
	}
	p.spent += len(data)
	flood := p.spent > floodBytes
	if flood {
		p.paused = true
	}
	if p.captured {
		p.stirred = true
	}
	p.mu.Unlock()
	if flood {
		_ = c.send(command{text: "refresh-client -A " + quote(string(p.id)+":pause")})
		p.later(c)
	} else {
		p.view.Write(data) // also while it is captured: what tmux does not tell is known from here
	}
	p.mux.active(p, now)
}

// active notes that a pane writes, now and then.
func (m *Mux) active(p *tmuxPane, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Sub(p.activeAt) >= activityInterval {
		p.activeAt = now
		m.changes.Signal()
	}
}

// pausedBy takes tmux's word that it has paused a pane that was read too slowly.
func (p *tmuxPane) pausedBy(c *client) {
	p.mu.Lock()
	known := p.paused
	p.paused = true
	p.mu.Unlock()
	if !known {
		p.later(c)
	}
}

// later captures a paused pane after a while and lets it go on.
func (p *tmuxPane) later(c *client) {
	p.mux.running.Go(func() {
		wait := time.NewTimer(floodPause)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-p.gone:
			return
		case <-c.ended:
			return
		case <-p.mux.ctx.Done():
			return
		}
		p.mu.Lock()
		p.paused, p.spent, p.tries = false, 0, 0
		p.mu.Unlock()
		_ = c.send(command{text: "refresh-client -A " + quote(string(p.id)+":continue")})
		p.capture(c, false)
	})
}

// seedAll captures every pane of a session that was not captured yet.
func (m *Mux) seedAll(session string) {
	m.mu.Lock()
	var seeds []*tmuxPane
	for _, p := range m.order {
		if p.row.session == session {
			seeds = append(seeds, p)
		}
	}
	m.mu.Unlock()
	m.seed(seeds)
}

// seed captures panes whose sessions are followed.
func (m *Mux) seed(panes []*tmuxPane) {
	for _, p := range panes {
		m.mu.Lock()
		c, tty := m.clients[p.row.session], p.row.tty
		p.asked = p.asked || c != nil
		m.mu.Unlock()
		if c == nil {
			continue
		}
		p.terminal.Store(&tty)
		p.mu.Lock()
		p.tries = 0
		p.mu.Unlock()
		p.capture(c, false)
	}
}

// What is asked of a pane to begin its screen.
const stateFormat = `"#{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag} #{alternate_on} #{alternate_saved_x} #{alternate_saved_y} #{keypad_cursor_flag} #{insert_flag} #{wrap_flag} #{scroll_region_upper} #{scroll_region_lower} #{history_size} #{?bracket_paste_flag,1,0} #{?#{==:#{pane_title},#{host}},,#{pane_title}}"`

// capture asks for all that a pane shows, and makes it its screen. What the pane
// writes until the last reply is in the capture; should some of it come between
// the replies, there is another capture. Replies come in the goroutine that also
// reads what panes write, so nothing is lost and nothing shown twice.
func (p *tmuxPane) capture(c *client, alternate bool) {
	p.mu.Lock()
	p.seed++
	seed := p.seed
	p.captured = true
	p.mu.Unlock()
	target := " -t " + string(p.id)
	lines := fmt.Sprintf("capture-pane -p -e -J -S -%d", scrollback)
	var state, screen, saved, history string
	var refused error
	keep := func(into *string) func(reply) {
		return func(r reply) {
			*into = r.text
			refused = errors.Join(refused, r.err)
		}
	}
	commands := []command{{text: "display-message -p" + target + " " + stateFormat, done: func(r reply) {
		p.mu.Lock()
		p.stirred = false
		p.mu.Unlock()
		keep(&state)(r)
	}}}
	if alternate {
		commands = append(commands,
			command{text: lines + " -E -1" + target, done: keep(&history)},
			command{text: "capture-pane -p -e -J -q -a" + target, done: keep(&saved)},
			command{text: "capture-pane -p -e -J" + target, done: keep(&screen)})
	} else {
		commands = append(commands, command{text: lines + target, done: keep(&screen)})
	}
	commands = append(commands, command{text: "capture-pane -p -P -C" + target, done: func(r reply) {
		if errors.Is(r.err, errClientGone) {
			return
		}
		refused = errors.Join(refused, r.err)
		s, ok := readState(state)
		if refused != nil || !ok {
			p.settle(c, seed, nil, false)
			return
		}
		if s.alternate != alternate {
			p.capture(c, s.alternate)
			return
		}
		p.settle(c, seed, s.screen(screen, saved, history, string(unescape([]byte(r.text)))), alternate)
	}})
	if err := c.send(commands...); err != nil {
		p.settle(c, seed, nil, false)
	}
}

// settle shows a screen that was captured, unless a later capture is under way
// or the pane wrote into this one.
func (p *tmuxPane) settle(c *client, seed uint64, screen *terminal.Screen, alternate bool) {
	p.mu.Lock()
	if seed != p.seed {
		p.mu.Unlock()
		return
	}
	if p.stirred && p.tries < maxSeeds {
		p.tries++
		p.mu.Unlock()
		p.capture(c, alternate)
		return
	}
	p.captured = false
	begun := p.begun
	p.begun = true
	p.mu.Unlock()
	if screen != nil {
		if p.view.Modes().BracketedPaste { // 3.3 does not tell
			screen.Write([]byte("\x1b[?2004h"))
		}
		p.view.Replace(screen)
	}
	if !begun {
		close(p.seeded)
	}
}

// A state is what tmux tells of a screen beside its text.
type state struct {
	cols, rows, x, y, savedX, savedY, upper, lower, history int
	visible, alternate, applicationCursor, insert, wrap     bool
	bracketed                                               bool
	title                                                   string
}

func readState(text string) (state, bool) {
	fields := strings.SplitN(text, " ", 16)
	if len(fields) != 16 {
		return state{}, false
	}
	numbers := make([]int, 15)
	for i, field := range fields[:15] {
		n, err := strconv.ParseUint(field, 10, 32)
		if err != nil {
			return state{}, false
		}
		numbers[i] = int(n) // alternate_saved_x is 4294967295 while there is none
	}
	n := numbers
	return state{
		cols: min(max(n[0], 1), grid.MaxCols), rows: min(max(n[1], 1), grid.MaxRows), x: n[2], y: n[3], visible: n[4] == 1, alternate: n[5] == 1, savedX: n[6], savedY: n[7],
		applicationCursor: n[8] == 1, insert: n[9] == 1, wrap: n[10] == 1, upper: n[11], lower: n[12], history: n[13], bracketed: n[14] == 1,
		title: trust.Clean(fields[15], grid.MaxTitleBytes),
	}, true
}

// screen makes an emulator show what was captured.
func (s state) screen(text, saved, history, pending string) *terminal.Screen {
	screen := terminal.New(s.cols, s.rows, scrollback)
	var out strings.Builder
	lines := func(text string) { out.WriteString(strings.ReplaceAll(text, "\n", "\r\n") + "\x1b[0m") }
	if s.title != "" {
		out.WriteString("\x1b]2;" + s.title + "\x07")
	}
	if s.alternate {
		if s.history > 0 {
			lines(history)
			out.WriteString("\r\n")
		}
		lines(saved)
		if s.savedX < s.cols && s.savedY < s.rows {
			fmt.Fprintf(&out, "\x1b[%d;%dH", s.savedY+1, s.savedX+1)
		}
		out.WriteString("\x1b[?1049h\x1b[H")
	}
	lines(text)
	set := func(on bool, yes, no string) {
		if on {
			out.WriteString(yes)
		} else {
			out.WriteString(no)
		}
	}
	if s.lower > s.upper && s.lower < s.rows {
		fmt.Fprintf(&out, "\x1b[%d;%dr", s.upper+1, s.lower+1)
	}
	fmt.Fprintf(&out, "\x1b[%d;%dH", s.y+1, min(s.x, s.cols-1)+1)
	set(s.visible, "\x1b[?25h", "\x1b[?25l")
	set(s.applicationCursor, "\x1b[?1h", "\x1b[?1l")
	set(s.insert, "\x1b[4h", "\x1b[4l")
	set(s.wrap, "\x1b[?7h", "\x1b[?7l")
	set(s.bracketed, "\x1b[?2004h", "")
	out.WriteString(pending)
	screen.Write([]byte(out.String()))
	screen.TakeReplies()
	return screen
}
