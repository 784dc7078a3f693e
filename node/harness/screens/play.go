package screens

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// PlayCommand is the first argument with which a test binary becomes Play.
const PlayCommand = "_play"

// Play is a program for tests that takes the place of an agent: a fake, whose
// process is called like one by the link that it is started through. It paints
// recorded screens, or an input like Claude's, and writes down every byte that
// it is given.
func Play(args []string) int {
	p := &player{on: map[string]string{}}
	flags := flag.NewFlagSet(PlayCommand, flag.ContinueOnError)
	flags.StringVar(&p.record, "record", "", "file for what is typed")
	flags.StringVar(&p.screen, "screen", "", "recorded screen to begin with")
	flags.Func("on", "KEY=SCREEN: what to paint when KEY is typed; box: the input; no screen: end", func(v string) error {
		key, screen, ok := strings.Cut(v, "=")
		if !ok {
			return fmt.Errorf("%q has no screen", v)
		}
		p.on[strings.NewReplacer(`\r`, "\r", `\t`, "\t", `\e`, "\x1b", `\c`, "\x03").Replace(key)] = screen
		return nil
	})
	flags.IntVar(&p.part, "part", 100, "how much of the input is drawn, in percent")
	flags.DurationVar(&p.stall, "stall", 0, "how long it stands still in the middle of the first text")
	flags.BoolVar(&p.deaf, "deaf", false, "Enter does nothing")
	flags.DurationVar(&p.every, "tick", 0, "how often a clock above the input moves")
	if flags.Parse(args) != nil {
		return 2
	}
	if err := p.play(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

type player struct {
	record, screen string
	on             map[string]string
	deaf           bool
	part           int
	stall, every   time.Duration

	text    []rune
	sent    []string
	pasting bool
	shown   bool // a recorded screen, not the input
	ticks   int
}

func (p *player) play() error {
	termios, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err != nil {
		return err
	}
	raw := *termios
	raw.Lflag &^= unix.ICANON | unix.ECHO | unix.ISIG
	raw.Iflag &^= unix.ICRNL
	if err := unix.IoctlSetTermios(0, unix.TCSETS, &raw); err != nil {
		return err
	}
	defer func() { _ = unix.IoctlSetTermios(0, unix.TCSETS, termios) }()
	log, err := os.OpenFile(p.record, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	if p.screen != "" {
		if err := p.paint(p.screen); err != nil {
			return err
		}
	} else {
		fmt.Print("\x1b[?2004h")
		p.draw()
	}
	input := make(chan []byte)
	go func() {
		defer close(input)
		for {
			chunk := make([]byte, 4096)
			n, err := os.Stdin.Read(chunk)
			if n > 0 {
				input <- chunk[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	var tick <-chan time.Time
	if p.every > 0 {
		ticker := time.NewTicker(p.every)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-tick:
			p.ticks++
			if !p.shown {
				p.draw()
			}
		case data, more := <-input:
			if !more {
				return nil
			}
			if _, err := log.Write(data); err != nil {
				return err
			}
			if end, err := p.take(string(data)); end || err != nil {
				return err
			}
		}
	}
}

// take handles what was typed.
func (p *player) take(data string) (end bool, err error) {
	for data != "" {
		before := data
		for key, screen := range p.on {
			if !strings.HasPrefix(data, key) {
				continue
			}
			data = data[len(key):]
			if screen == "box" {
				p.shown = false
				clear(p.on)
				fmt.Print("\x1b[?2004h")
				p.draw()
				break
			}
			if screen == "" {
				fmt.Print("\x1b[2J\x1b[H\x1b[?25h")
				return true, nil
			}
			return false, p.paint(screen)
		}
		if data == before {
			data = p.key(data)
		}
	}
	if !p.shown {
		p.draw()
	}
	return false, nil
}

// key takes one key into the input, and returns what follows it.
func (p *player) key(data string) (rest string) {
	switch {
	case p.shown:
		return data[1:]
	case strings.HasPrefix(data, "\x1b[200~"):
		p.pasting = true
		return data[6:]
	case strings.HasPrefix(data, "\x1b[201~"):
		p.pasting = false
		return data[6:]
	case data[0] == '\r' && !p.pasting:
		if !p.deaf {
			p.sent, p.text = append(p.sent, string(p.text)), nil
		}
		return data[1:]
	case data[0] == 0x15: // Ctrl+U
		p.text = p.text[:p.line()]
		return data[1:]
	case data[0] == 0x7f: // Backspace
		p.text = p.text[:max(len(p.text)-1, 0)]
		return data[1:]
	}
	c, size := utf8.DecodeRuneInString(data)
	if c == '\r' { // within a paste, as most terminals send it
		c = '\n'
	}
	p.text = append(p.text, c)
	if p.stall > 0 && len(p.text) == 8 {
		p.draw()
		time.Sleep(p.stall)
		p.stall = 0
	}
	return data[size:]
}

// line is where the last line of the text begins.
func (p *player) line() int {
	at := len(p.text)
	for at > 0 && p.text[at-1] != '\n' {
		at--
	}
	return at
}

func (p *player) paint(path string) error {
	recorded, err := Read(path)
	if err != nil {
		return err
	}
	p.shown = true
	_, err = os.Stdout.Write(recorded.Paint())
	return err
}

// draw draws an input like Claude's.
func (p *player) draw() {
	p.shown = false
	cols := 80
	if size, err := unix.IoctlGetWinsize(1, unix.TIOCGWINSZ); err == nil && size.Col > 4 {
		cols = int(size.Col)
	}
	rule := strings.Repeat("─", cols)
	var b strings.Builder
	b.WriteString("\x1b[?25l\x1b[2J\x1b[H")
	if p.every > 0 {
		fmt.Fprintf(&b, "✻ Pondering… (%ds)\r\n", p.ticks)
	}
	for _, line := range p.sent {
		fmt.Fprintf(&b, "sent %d characters\r\n", utf8.RuneCountInString(line))
	}
	b.WriteString(rule + "\r\n❯ ")
	column := 2
	for _, c := range p.text[:len(p.text)*p.part/100] {
		wide := 1
		if c >= 0x1100 {
			wide = 2
		}
		if c == '\n' || column+wide > cols {
			b.WriteString("\r\n  ")
			column = 2
		}
		if c != '\n' {
			b.WriteRune(c)
			column += wide
		}
	}
	b.WriteString("\r\n" + rule + "\r\n  ? for shortcuts")
	_, _ = os.Stdout.WriteString(b.String())
}
