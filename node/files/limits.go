package files

// Bounds of one look.
const (
	// MaxEntries is how many names of a folder are listed.
	MaxEntries = 1000
	// maxNames is how many are read to find those.
	maxNames = 20_000
	// MaxTextBytes is how much of a file is read, from its beginning.
	MaxTextBytes = 8 << 20
	// MaxFolders is how many folders Browse offers.
	MaxFolders = 200

	maxPathBytes = 4096
	maxDepth     = 64 // folders of one path
	maxLinks     = 16 // links that are followed on one path
	// maxOwn is how many files of Collie's own folders are compared with a file
	// that has more than one name. Beyond it such a file is refused.
	maxOwn = 5000
	// maxReads is how often a file is read that is being written to.
	maxReads = 3
	// A text has few bytes that are not UTF-8: fewOdd, and one in oddShare.
	fewOdd   = 2
	oddShare = 10
)
