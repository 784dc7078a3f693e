package harness

import (
	"slices"

	"collie/node/grid"
)

// A Screen is what an adapter reads.
type Screen struct {
	Rows   []grid.Row // the scrollback's last rows, when there are any, then the screen's
	Cols   int
	Cursor grid.Cursor // its row is one of Rows
	Title  string
}

// A Layout says what a harness draws. Its functions look at a view of the screen
// and at nothing else.
type Layout struct {
	// Dialog finds the question that owns the input. Where it does not return a
	// prompt it may still say that something owns the input.
	Dialog func(v *view) (p *Prompt, owned bool)
	// Box finds the input.
	Box func(v *view) *Input
	// Working reports whether the program is at work. in is nil when no input is seen.
	Working func(v *view, in *Input) bool
	// Always and Deny are how the options begin or go on that answer for the
	// future too, and that say no. Skip are options that ask for text.
	Always []string
	Deny   []string
	Skip   []string
	// Menus reports lists with one marked row as something that owns the input,
	// for programs of which nothing else is known.
	Menus bool
}

// A Reading is what an adapter makes of a screen.
type Reading struct {
	Status Status
	// Why the status is believed, as one clause.
	Why string
	// Prompt is the question that is asked and understood.
	Prompt *Prompt
	// Owned says that something other than a free input takes the keys: a
	// question, also one that is not understood.
	Owned bool
	// Input is the box that takes text; nil when none is seen.
	Input *Input
	// Boxed says that the program has such a box when it takes text.
	Boxed bool
}

// A Prompt is a question.
type Prompt struct {
	Question string
	// Subject is what it is about: the command, the file, the change.
	Subject string
	Options []Option
	// Field is where the text of an own answer goes; nil where there is none.
	Field *Field
	// Cut says that the subject begins above what could be read, or that the
	// program itself left some of it out.
	Cut bool

	first, last int // its rows
	from        Screen
	by          *Adapter
}

// Hidden is the question as the same screen shows it once hide has put marks in
// the place of what nobody is to see; a mask reads rows better than texts. It is
// nil when the screen does not ask the same way then.
func (p *Prompt) Hidden(hide func([]grid.Row) []grid.Row) *Prompt {
	s := p.from
	s.Rows = hide(s.Rows)
	hidden := p.by.Read(s).Prompt
	if hidden == nil || len(hidden.Options) != len(p.Options) {
		return nil
	}
	return hidden
}

// An Option is an answer.
type Option struct {
	ID     string // in the order of the screen, "1" and on
	Label  string
	Detail string
	Always bool // it answers for the future, too
	Deny   bool
	Marked bool // the program shows it as chosen at present
	Box    bool // several may be chosen, and its key ticks it or takes that back
	Ticked bool
	Own    bool // it takes a text, in the prompt's Field

	// Key answers at once. Without one Next and Back move the mark, and Enter
	// takes the marked one.
	Key        string
	Next, Back string
}

// An Input is where text goes.
type Input struct {
	Text string // that was typed; blanks may stand where rows were joined

	first, last int
}

// Free reports whether nothing was typed.
func (in *Input) Free() bool { return in != nil && in.Text == "" }

// Has reports whether a row of the screen is one of the input's.
func (in *Input) Has(row int) bool { return in != nil && row >= in.first && row <= in.last }

// Rows is how many rows of the screen the input takes.
func (in *Input) Rows() int { return in.last - in.first + 1 }

// Read reads a screen.
func (a *Adapter) Read(s Screen) Reading {
	v := newView(s)
	l := a.Screen
	r := Reading{Status: Unknown, Why: "its screen is not understood", Boxed: l.Box != nil}
	if a.Name == ShellName {
		r.Status, r.Why = Shell, "no agent runs in it"
	}
	if l.Menus {
		if r.Owned = v.menu(); r.Owned && a.Agent() {
			r.Why = "it shows a list that is not understood"
		}
	}
	if l.Dialog != nil {
		if r.Prompt, r.Owned = l.Dialog(v); r.Owned {
			r.Status, r.Why = Blocked, "it asks a question"
			r.Prompt.judge(l)
			if r.Prompt != nil {
				s.Rows = slices.Clone(s.Rows) // the caller goes on with its own
				r.Prompt.from, r.Prompt.by = s, a
			}
			return r
		}
	}
	if l.Box == nil {
		return r
	}
	r.Input = l.Box(v)
	switch {
	case l.Working(v, r.Input):
		r.Status, r.Why = Working, "its screen says so"
	case r.Input != nil:
		r.Status, r.Why = Idle, "its input waits"
	}
	return r
}

// Key is what of a question has to be the same for an answer to count. What was
// marked, and everything that moves by itself, is outside of it.
func (p *Prompt) Key() string {
	key := p.Question + "\x00" + p.Subject
	for _, o := range p.Options {
		key += "\x00" + o.ID + "\x00" + o.Label + "\x00" + o.Detail
		if o.Ticked {
			key += "\x00ticked"
		}
	}
	return key
}

// Option returns an option by its id.
func (p *Prompt) Option(id string) (Option, bool) {
	for _, o := range p.Options {
		if o.ID == id {
			return o, true
		}
	}
	return Option{}, false
}

// Marked returns the place of the option that is chosen at present, or -1.
func (p *Prompt) Marked() int {
	for i, o := range p.Options {
		if o.Marked {
			return i
		}
	}
	return -1
}

// Region is the text that an answer or a reply is meant for, and whether the
// reading knows one. Clocks and spinners are outside of it.
func (r Reading) Region() (string, bool) {
	switch {
	case r.Prompt != nil:
		return "prompt\x00" + r.Prompt.Key(), true
	case r.Owned:
		return "", false
	case r.Input != nil:
		return "input\x00" + r.Input.Text, true
	}
	return "", false
}
