package phoned

import "time"

// Bounds of a book.
const (
	// maxNotes is how many texts are remembered, the newest ones. The whole file is
	// written with each: that many take half a megabyte.
	maxNotes = 2000
	// keptFor is how long one is remembered: as long as the audit log is.
	keptFor = 90 * 24 * time.Hour
	// maxFormBytes is how much of a text counts: a log may have cut a longer one.
	maxFormBytes = 32 << 10
	// maxDevice is longer than any label of a device, in bytes.
	maxDevice = 256
)

// A turn fits a text that was typed from around before it was taken, for the clock
// of the program, until takenWithin later: an agent at work takes what it is told
// once it is done.
const (
	around      = time.Minute
	takenWithin = time.Hour
)
