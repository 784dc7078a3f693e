package mask

import "strings"

// wordy reports whether a value is made of words and names: letters in humps
// and pairs that somebody could say, with a few figures behind them.
func wordy(value []byte) bool {
	letters, humps, figures, pairs, said := 0, 0, 0, 0, 0
	previous := byte(' ')
	for _, b := range value {
		switch {
		case in(b, digit):
			if !in(previous, digit) {
				figures = 0
			}
			if figures++; figures > 3 {
				return false
			}
		case isLetter(b):
			if in(previous, digit) && b >= 'a' {
				return false
			}
			if b < 'a' && (previous >= 'a' || !isLetter(previous)) {
				humps++
			}
			if isLetter(previous) {
				pairs++
				if common[pair(previous, b)] {
					said++
				}
			}
			letters++
		case !strings.ContainsRune(between, rune(b)):
			return false
		}
		previous = b
	}
	return humps*3 <= letters+3 && said*100 >= pairs*leastSaid && !encoded(value)
}

// encoded reports whether a value is as long as a key in base64 and has all that
// this is written in: no name is like that.
func encoded(value []byte) bool {
	const least = 32
	figure, lower, capital := false, false, false
	for _, b := range value {
		switch {
		case b >= 'a' && b <= 'z':
			lower = true
		case b >= 'A' && b <= 'Z':
			capital = true
		case in(b, digit):
			figure = true
		case b != '/' && b != '+' && b != '=':
			return false
		}
	}
	return len(value) >= least && figure && lower && capital
}

// leastSaid is the share, of a hundred, of a value's pairs of letters that are
// common, from which it is taken for words. English has about 85, letters at
// random have 25.
const leastSaid = 50

// between are the characters that stand between words, in prose and in code.
const between = "_-./:,;()'\\\"[]|<>= "

func pair(a, b byte) int { return int((a|0x20)-'a')*26 + int((b|0x20)-'a') }

// common are the pairs of letters that make up most of English and of what
// programs are written in.
var common = func() (table [26 * 26]bool) {
	const pairs = "thheineranreonatenndtiesorteofedisitalarsttontngsehaasouiolevecomedehiriroicneearacelichll" +
		"bemasiomurcaeltalansdifohopeecprnoctusacotiltrlyncetutsssorsunlowageiewheewiemadolrtpowena" +
		"ulnitsmoowpaimmiaishirsuidosiviaamficivipligtuevldrympfeblabghtyopwosaayexkefrooavagifapgr" +
		"odbosprddoucbueiovbyrmepttocfaefcurnscgidayocrcldugaquueffbaeylsvaumppuauplugoruugckpuok"
	for i := 0; i+1 < len(pairs); i += 2 {
		table[pair(pairs[i], pairs[i+1])] = true
	}
	return table
}()
