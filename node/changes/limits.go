package changes

import "time"

// Bounds of what git may say.
const (
	// MaxChanges is how many changed paths are listed.
	MaxChanges     = 1000
	maxStatusBytes = 1 << 20
	maxDiffBytes   = 512 << 10
	maxSmallBytes  = 64 << 10 // of a question about names
	maxErrorBytes  = 4 << 10
	// maxExcludeBytes bounds the repository's own list of ignored files.
	maxExcludeBytes = 256 << 10
	// maxBranchBytes is what a person may call a branch: it becomes a folder's name.
	maxBranchBytes = 100
	// maxSharedIndexes is how often a hundred names of a git folder are looked
	// through for pieces of a split index.
	maxSharedIndexes = 16
	// readContext is how many lines around a change git is asked for, so that a
	// mask sees where a long secret begins; showContext is how many are shown.
	readContext = "80"
	showContext = 3
	// memoryLimit is the largest piece of memory that git may ask for at once.
	memoryLimit = "268435456"
)

const (
	// lookBudget bounds a status or a diff, all runs together; it is below what
	// a lead waits for its member.
	lookBudget = 4 * time.Second
	// treeBudget bounds the making of a worktree.
	treeBudget = 25 * time.Second
	// undoBudget bounds what takes a half-made worktree away.
	undoBudget = 10 * time.Second
	// killWait is how long a killed git may hold its output open.
	killWait = time.Second
)
