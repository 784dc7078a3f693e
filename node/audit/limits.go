package audit

import "time"

// Bounds of the log.
const (
	// DefaultMaxBytes is the size at which the current file is rotated.
	DefaultMaxBytes = 8 << 20
	// Keep is how long a rotated file is kept, counted from its last line.
	Keep = 90 * 24 * time.Hour
	// maxAge is how old the first line of the current file may be before that is
	// rotated, so that no line stays much longer than Keep.
	maxAge = 7 * 24 * time.Hour
	// MaxWhatChars bounds the preview of a content.
	MaxWhatChars = 80
	// MaxTail bounds what Tail returns.
	MaxTail = 10_000

	// maxWordBytes bounds every other text of an entry.
	maxWordBytes = 256
	// maxLineBytes bounds a line: seven words and a preview, every byte of
	// them escaped as six, and the fixed parts.
	maxLineBytes = 16 << 10
	// tailWindow is how far back the end of a file is read at first.
	tailWindow = 64 << 10
	// pruneEvery is how often a long-running log looks for files to remove.
	pruneEvery = 24 * time.Hour
)
