package chat

import "time"

// Bounds of what is read of a log and kept of it.
const (
	// maxReadBytes is how much of a log is read: its end, when it is longer.
	maxReadBytes = 32 << 20
	// maxLineBytes is the longest line that is read; a longer one is skipped and
	// counted. A line with pictures is long.
	maxLineBytes = 16 << 20
	chunkBytes   = 256 << 10
	// tailBytes is what is compared to know that a log is still the same one.
	tailBytes = 64
	// tailRead is how much of a log's end is read to know how it ends.
	tailRead = 256 << 10

	// MaxTurns and maxTurnsBytes bound the turns of one log that are kept, the
	// newest.
	MaxTurns      = 4000
	maxTurnsBytes = 6 << 20
	maxPageBytes  = 1 << 20 // of one page of several turns
	// MaxTextBytes, and the others, cut what is longer.
	MaxTextBytes    = 64 << 10
	MaxNameBytes    = 100
	MaxSubjectBytes = 2 << 10
	MaxResultBytes  = 8 << 10
	MaxTools        = 200 // of one turn
	MaxImages       = 16  // of one turn
	MaxImageBytes   = 5 << 20
	minImageText    = 40 // of its base64, to be looked at

	// maxLogs is how many logs are kept read; the one that was not asked for the
	// longest goes.
	maxLogs = 12
)

// Bounds of the search for a log.
const (
	maxDescriptors  = 4096
	maxEntries      = 4096 // of one folder
	maxDays         = 14   // of Codex's folders, one a day
	maxSmallBytes   = 256 << 10
	maxProjectBytes = 4 << 20
	maxHeadBytes    = 1 << 20 // of a log, to see whose it is
	// slack is how far two clocks of one machine may be apart: a process's start is
	// known to about a second.
	slack = 2 * time.Second
)

// Bounds of what is read of a database of sessions.
const (
	readWait         = 5 * time.Second // of one page, whatever the file is like
	busyMilliseconds = "200"
	batchRows        = 128 // messages that are looked at together
	maxBatches       = 32
	maxMessageBytes  = 1 << 20 // of a message's own row; a longer one is skipped
	maxParts         = 1000    // of one message
	maxImageNames    = 1024
)
