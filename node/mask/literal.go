package mask

import "strings"

// A literal is a piece of text that a secret may stand beside. kind and row say
// what to do about it.
type literal struct {
	text string // lower case if fold is set
	fold bool   // upper and lower case are one
	kind kind
	row  int
	// longer are the literals that begin with this one: the longest decides.
	longer []string
}

type kind uint8

const (
	prefixKind kind = iota
	middleKind
	nameKind
	jwtKind
	urlKind
	codedURLKind
	bearerKind
	basicKind
	commandKind
	cookieKind
	signatureKind
	pgpassKind
	puttyKind
	dumpKind
	codesKind
	beginKind
	endKind
)

// literals finds every literal in one pass. For each, the pair of neighbouring
// bytes that is rarest in ordinary text is its anchor; a table over all pairs
// tells in one look whether a position can be the anchor of something.
//
// An Aho-Corasick automaton does the same, but has to walk its table for each
// byte through a dependent load, and needs both cases of every name.
type literals struct {
	bucket  [1 << 16]uint16 // by pair; 0: no literal has its anchor here
	buckets [][]anchored
}

type anchored struct {
	literal *literal
	at      int // where in the literal its anchor is
	// beside is where the byte next to the anchor is, counted from the anchor's last:
	// most texts that have the anchor, and no more of the literal, differ there. any
	// are the bits of it that do not count.
	beside    int
	want, any byte
}

// anchor returns a literal with its anchor at a place.
func anchor(l *literal, at int) anchored {
	a := anchored{literal: l, at: at, any: 0xff, want: 0xff}
	behind, before := at+2, at-1
	switch {
	case behind < len(l.text) && (before < 0 || weigh(l.text[behind]) <= weigh(l.text[before])):
		a.beside, a.want, a.any = 1, l.text[behind], 0
	case before >= 0:
		a.beside, a.want, a.any = -2, l.text[before], 0
	}
	if l.fold && isLetter(a.want) {
		a.any = 0x20
	}
	return a
}

func newLiterals(all []literal) *literals {
	l := &literals{buckets: make([][]anchored, 1)}
	for i := range all {
		for j := range all {
			if len(all[j].text) > len(all[i].text) && all[i].kind == prefixKind && strings.HasPrefix(all[j].text, all[i].text) {
				all[i].longer = append(all[i].longer, all[j].text)
			}
		}
		at := rarest(all[i].text)
		for _, first := range cases(all[i].text[at], all[i].fold) {
			for _, second := range cases(all[i].text[at+1], all[i].fold) {
				l.add(first, second, anchor(&all[i], at))
			}
		}
	}
	return l
}

func (l *literals) add(first, second byte, a anchored) {
	pair := int(first)<<8 | int(second)
	if l.bucket[pair] == 0 {
		l.bucket[pair] = uint16(len(l.buckets))
		l.buckets = append(l.buckets, nil)
	}
	l.buckets[l.bucket[pair]] = append(l.buckets[l.bucket[pair]], a)
}

func cases(b byte, fold bool) []byte {
	if fold && isLetter(b) {
		return []byte{b, b &^ 0x20}
	}
	return []byte{b}
}

// commonest holds the bytes of ordinary terminal text, the commonest first.
const commonest = " etaoinsrlcdpmuhgfbyvw.-_/k,0123456789:x()\"=;TESAICRNPDOMLqjz"

// weigh says how common a byte is.
func weigh(b byte) int {
	if i := strings.IndexByte(commonest, b); i >= 0 {
		return len(commonest) - i
	}
	return 1
}

// rarest returns where in text the pair stands that ordinary text has least.
func rarest(text string) int {
	const words = 4 // so much commoner are the pairs that words are made of
	best, least := 0, 1<<30
	for i := range len(text) - 1 {
		w := weigh(text[i]) * weigh(text[i+1])
		if isLetter(text[i]) && isLetter(text[i+1]) && common[pair(text[i], text[i+1])] || text[i:i+2] == "--" {
			w *= words
		}
		if w < least {
			best, least = i, w
		}
	}
	return best
}

// stands reports whether the literal is at text[at].
func (l *literal) stands(text []byte, at int) bool {
	if at < 0 || at+len(l.text) > len(text) {
		return false
	}
	if !l.fold {
		return string(text[at:at+len(l.text)]) == l.text
	}
	for i := range len(l.text) {
		b := text[at+i]
		if b >= 'A' && b <= 'Z' {
			b |= 0x20
		}
		if b != l.text[i] {
			return false
		}
	}
	return true
}
