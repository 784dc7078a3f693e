package api

import (
	"time"

	"collie/node/uploads"
)

// Bounds of what is read and kept.
const (
	MaxRequestBytes  = 1 << 20 // one JSON request
	MaxAnswerBytes   = 8 << 20 // one JSON answer, one event
	MaxPanes         = 1000    // panes that are listed of one machine
	MaxReplyBytes    = 256 << 10
	MaxKeys          = 256 // named keys and characters in one request
	MaxHistoryRows   = 2000
	MaxNameBytes     = 200 // titles, labels, harness names
	MaxPathBytes     = 4096
	MaxWalkyMessages = 200
	MaxSubjectBytes  = 8 << 10 // what a question is about
	MaxOwnBytes      = 4 << 10 // of an answer of one's own
	MaxOptions       = 20      // of a question
	MaxFolderEntries = 1000
	MaxFolders       = 200       // that Browse lists
	FilePageBytes    = 256 << 10 // of a file's text, as it is shown
	MaxChatTurns     = 100
	MaxChatTextBytes = 80 << 10 // of one turn, with what a mask may add
	MaxChatTools     = 200
	MaxChatImages    = 16
	MaxBlobBytes     = 5 << 20
	MaxUploadBytes   = uploads.MaxBytes // one uploaded file
	MaxLaunchers     = 200              // rows of launchers of one machine
	MaxRecent        = 12               // one-off lines, all that a machine keeps
	maxRecipes       = 32
	MaxSentLines     = 500 // sent lines, all that a machine keeps
	MaxSentBytes     = 4 << 20
	// ScreenBytes is how long the hash of a prompt region is, in base64url.
	ScreenBytes = 24
)

// Budgets of one exchange with another machine.
const (
	ReadBudget  = 5 * time.Second
	WriteBudget = 10 * time.Second
	// treeBudget bounds the making of a worktree, which writes out every file of a
	// commit.
	treeBudget = 28 * time.Second
	// uploadBudget bounds an upload as a whole, uploadStall the wait for more of it:
	// a phone may be on a slow line.
	uploadBudget = 5 * time.Minute
	uploadStall  = 30 * time.Second
)

// What is answered when nobody says how much: a screen or a few.
const (
	defaultHistoryRows = 200
	defaultChatTurns   = 30
)

// How many streams one set of handlers serves at once, how many of them one device
// may have, and how many may show one pane: fewer than its holder has places, so
// that they keep nobody from typing into it.
const (
	maxStreams         = 192
	maxStreamsOfDevice = 48
	maxStreamsOfPane   = 32
)

// How many JSON values one answer of another machine may have, by what it is
// about. Two bytes of JSON can stand for an object of hundreds, so the bytes
// alone bound no memory.
const (
	maxHerdValues   = 150_000 // MaxPanes workspaces, tabs and panes with their cards
	maxScreenValues = 1 << 20 // MaxAnswerBytes of runs of eight characters
	maxWalkyValues  = 20 * MaxWalkyMessages
	maxFolderValues = 8 * MaxFolderEntries
	maxChatValues   = MaxChatTurns * (12 + 6*MaxChatTools)
	maxPlainValues  = 100 // answers without a list
)

// maxShownPage bounds a page of a file after a further mask: a mark takes three
// bytes.
const maxShownPage = 3 * FilePageBytes

// FileAboveBytes is how much of a text goes along before a page of it, to a lead
// alone.
const (
	FileAboveBytes = 16 << 10
	maxShownAbove  = 3 * FileAboveBytes
)

// maxShownDiff bounds a diff in the same way.
const maxShownDiff = 3 << 20

// maxProblemBytes bounds what a refusal says about the request.
const maxProblemBytes = 200
