// Package mask replaces secrets of a recognisable shape before text leaves the
// machine. Each hidden column becomes a mark, U+2022, so that columns and lines
// stay where they are.
//
// It is a mitigation, not a guarantee. Five tables say what it knows: secrets by
// how they begin (families), by what is in their middle (markeds), by the name
// beside them (names), by the program that is given it (commands), and by what they
// stand in (structures: URLs, private keys, credentials). Each row has an example and a counter-example. Bare hashes, hex, base64, UUIDs
// and lone passwords are left alone on purpose: a pattern for them would hide
// ordinary text on every screen.
//
// What holds for every text:
//
//   - The result has the same width and the same lines.
//   - Masking the result again changes nothing, byte for byte.
//   - Escape sequences stay as they are; only text inside a string sequence
//     (OSC: a title, a link) is masked, on its own. A secret is found across
//     escape sequences and across rows that wrapped.
//   - The prefix that tells whose secret it is stays readable.
//   - The work is linear in the text, and nothing is allocated where nothing is
//     hidden.
//
// Three limits are known. Bytes that are not UTF-8 within a secret stay, since
// terminals do not agree on their width. Where lines were wrapped by width
// alone, a secret that ends with its row takes the first word of the next row
// with it. And where a program wraps its own text, rows are joined at a frame, at
// the edge of the screen, or at two blanks that stand in both rows; columns with one blank
// between them look like one text, and of those with more a secret is only found if what it
// begins with stands whole in its first row.
package mask

import (
	"bytes"
	"slices"
	"sync"
)

// Version is the version of the tables and rules. It goes into the ETag of
// every masked answer, so that a copy made under older rules is never vouched
// for.
const Version = 7

// A Mask holds the compiled tables. It does not change and is safe for
// concurrent use. Strings of answers go through [Answer], frames through a
// mirror; both take a nil Mask where masking is off.
type Mask struct {
	literals *literals
	// prefixes are the literals that a token can begin with, by first byte.
	prefixes [256][]*literal
	// programs are the rows of commands for each name of a program.
	programs [][]*command
	zero     *zeroWidth
	scratch  sync.Pool
}

// New compiles the tables.
func New() *Mask {
	var all []literal
	for _, structure := range structures {
		for _, text := range structure.literals {
			all = append(all, literal{text: text, fold: structure.fold, kind: structure.kind})
		}
	}
	for row := range markeds {
		for _, marker := range append(codedSpellings(markeds[row].marker), markeds[row].marker) {
			all = append(all, literal{text: marker, kind: middleKind, row: row})
		}
	}
	for row := range families {
		for _, prefix := range families[row].prefixes {
			for _, spelling := range append(codedSpellings(prefix), prefix) {
				all = append(all, literal{text: spelling, kind: prefixKind, row: row})
			}
		}
	}
	programs, numbers := [][]*command(nil), map[string]int{}
	for row := range commands {
		for _, program := range commands[row].programs {
			n, found := numbers[program]
			if !found {
				n = len(programs)
				numbers[program], programs = n, append(programs, nil)
				all = append(all, literal{text: program, kind: commandKind, row: n})
			}
			programs[n] = append(programs[n], &commands[row])
		}
	}
	for row := range names {
		for _, spelling := range names[row].spellings() {
			all = append(all, literal{text: spelling, fold: true, kind: nameKind, row: row})
		}
	}
	m := &Mask{literals: newLiterals(all), programs: programs, zero: newZeroWidth()}
	for i := range all {
		if l := &all[i]; l.kind == prefixKind || l.kind == jwtKind {
			m.prefixes[l.text[0]] = append(m.prefixes[l.text[0]], l)
		}
	}
	m.scratch.New = func() any { return &scratch{examiner: examiner{mask: m}} }
	return m
}

// Options say where a text stands.
type Options struct {
	// Width is the number of columns at which lines were wrapped, 0 if they
	// were not. A line of exactly Width columns may go on in the next one.
	Width int
	// Surface says where the text is shown: "terminal" (also the meaning of ""
	// and of any unknown name), "chat", "diff", "file", "title", "push",
	// "walky" or "sent". In a file, a title and a push no line begins with the
	// + or - of a diff; everywhere else one may. A title has the cursor at its
	// end, since a program may still be writing it, or it was cut there.
	Surface string
	// Cursor is where the next character goes: its byte offset in the text
	// plus one; 0 is no cursor. See [Options.At].
	Cursor int
}

// At returns the options with the cursor at a byte offset in the text. What may
// be a secret that ends there is hidden from its first character on, until the
// cursor has moved away.
func (o Options) At(offset int) Options {
	o.Cursor = offset + 1
	return o
}

// markers reports whether a line may begin with the sign of a diff.
func (o Options) markers() bool {
	return o.Surface != "file" && o.Surface != "title" && o.Surface != "push"
}

// Text masks text that may hold escape sequences and newlines. Where nothing is
// hidden it returns the text itself and false.
func (m *Mask) Text(text string, o Options) (masked string, found bool) {
	s := m.take()
	defer m.give(s)
	s.view.source = append(s.view.source, text...)
	if !s.examine(o) {
		return text, false
	}
	s.out = render(s.out[:0], s.view.source, s.hidden)
	if bytes.Equal(s.out, s.view.source) { // only bytes that are not UTF-8
		return text, false
	}
	return string(s.out), true
}

// Append appends the masked text to dst. The text may hold bytes that are not
// UTF-8; they stay as they are.
func (m *Mask) Append(dst, text []byte, o Options) (masked []byte, found bool) {
	s := m.take()
	defer m.give(s)
	s.view.source = append(s.view.source, text...)
	if !s.examine(o) {
		return append(dst, text...), false
	}
	masked = render(dst, s.view.source, s.hidden)
	return masked, !bytes.Equal(masked[len(dst):], text)
}

// A scratch is the working memory of one call.
type scratch struct {
	view     view
	examiner examiner
	hidden   []span // of the source, sorted, without overlap
	out      []byte
	rows     []int
	gaps     []int
	ends     []int // where in the source rows are being written to
	soft     []joint
	bars     [2][]bar    // of two rows
	strips   []strip     // of a row
	chains   [][]joint   // the cells of texts in columns
	open     map[int]int // the chain whose last cell begins there
	divided  []int       // rows that have such columns in common with the next, rising
	torn     []int       // where rows begin whose text began in a row that is gone
}

func (m *Mask) take() *scratch {
	s := m.scratch.Get().(*scratch)
	s.view.reset()
	s.examiner.view, s.examiner.spans, s.examiner.work = &s.view, s.examiner.spans[:0], 0
	s.hidden, s.rows, s.gaps, s.torn = s.hidden[:0], s.rows[:0], s.gaps[:0], s.torn[:0]
	s.ends, s.examiner.ends, s.soft = s.ends[:0], s.examiner.ends[:0], s.soft[:0]
	s.examiner.hits = s.examiner.hits[:0]
	clear(s.open)
	s.chains, s.divided = s.chains[:0], s.divided[:0]
	return s
}

func (m *Mask) give(s *scratch) {
	if cap(s.view.source) <= maxKept && cap(s.out) <= maxKept {
		m.scratch.Put(s)
	}
}

// examine loads the source and finds what is hidden in it.
func (s *scratch) examine(o Options) (found bool) {
	s.read(o)
	return s.settle()
}

// read loads the source and examines it.
func (s *scratch) read(o Options) {
	s.view.load(s.examiner.mask.zero, o.Width, s.gaps, s.soft)
	for _, cells := range s.chains {
		s.view.chain(s.examiner.mask.zero, cells)
	}
	s.examiner.markers = o.markers()
	cursor := -1
	if o.Cursor == 0 && o.Surface == "title" {
		o = o.At(len(s.view.source))
	}
	if o.Cursor > 0 {
		cursor = s.view.offset(min(o.Cursor-1, len(s.view.source)))
	}
	for _, at := range s.ends {
		s.examiner.ends = append(s.examiner.ends, s.view.offset(at))
	}
	from := 0
	for i, to := range s.view.sections {
		s.examiner.section(from, to, cursor)
		if i == 0 {
			for _, at := range s.torn {
				s.examiner.remnant(s.view.offset(at))
			}
		}
		from, cursor, s.examiner.ends = to, -1, s.examiner.ends[:0]
	}
}

// settle puts together what was found.
func (s *scratch) settle() (found bool) {
	if len(s.examiner.spans) == 0 {
		return false
	}
	var parts []span
	for _, h := range s.examiner.spans {
		parts = s.view.origins(parts, h.from, h.to)
	}
	slices.SortFunc(parts, func(a, b span) int { return a.from - b.from })
	for _, p := range parts {
		if last := len(s.hidden) - 1; last >= 0 && p.from <= s.hidden[last].to {
			s.hidden[last].to = max(s.hidden[last].to, p.to)
			continue
		}
		s.hidden = append(s.hidden, p)
	}
	return len(s.hidden) > 0
}
