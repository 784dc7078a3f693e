package mask

// Bounds of what one candidate may look at. They keep the work linear in the
// text: everything that is not bounded here is read at most a fixed number of
// times.
const (
	// maxQuoted is how far a closing quote is looked for, in bytes. A quoted
	// value without one ends at its line.
	maxQuoted = 4096
	// maxArmour is how far behind a BEGIN line the END line of a private key
	// is looked for, in bytes. An RSA key of 16384 bits takes 13 KiB.
	maxArmour = 64 << 10
	// maxAuthority bounds the user, password and host of a URL, in bytes.
	maxAuthority = 1024
	// maxBlanks is how many blanks may stand between a name, its sign and its
	// value.
	maxBlanks = 32
	// maxJudged is how much of a value is looked at to tell a secret from
	// code, in bytes.
	maxJudged = 256
	// maxContext is how far to the left of a candidate its surroundings are
	// read, in bytes.
	maxContext = 48
	// maxCommand is how far the options of a program are looked for, and the parts
	// of an address to the left of a signature, in bytes.
	maxCommand = 512
	// maxPrinted is how many programs that write into one pipe are looked at.
	maxPrinted = 3
	// maxCodes is how far the codes below a heading are looked for, in bytes, and mostCodes
	// how many lines of them.
	maxCodes, mostCodes = 1024, 20
	// maxCookies is how many cookies of one header are judged.
	maxCookies = 100
	// maxKept bounds the working memory that is kept for the next call, in
	// bytes of text.
	maxKept = 8 << 20

	// leastValue is the columns from which a named value is hidden.
	leastValue = 8
	// leastPassword is the characters from which a password is hidden where one has
	// to stand, in a URL or behind an option: a:b@ is how people write about one.
	leastPassword = 3
	// leastArmour is the columns from which a line can be the first of a key
	// whose END is not there.
	leastArmour = 16
	// leastBox is the columns of a screen from which a program may have wrapped its
	// text by itself, and mostMargin the columns that it leaves free at the edge.
	leastBox, mostMargin = 20, 3
	// maxHits is how many beginnings of secrets are looked at for a column that they may be in.
	maxHits = 2000
	// maxBars is how many vertical lines of a row are looked at.
	maxBars = 64
	// leastGlued is the bytes of base64 from which a line between BEGIN and END
	// is one of a key that has other text beside it.
	leastGlued = 40
	// leastRemnant is the columns from which the rest of a word whose beginning
	// is gone is hidden.
	leastRemnant = 8
	// leastArmourLine is the columns of a line of a key (RFC 7468).
	leastArmourLine = 64
	// leastBearer is the columns from which a credential after the word Bearer
	// is hidden where nothing else says that it is one.
	leastBearer = 16
)
