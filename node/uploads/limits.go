package uploads

import "time"

// Bounds of what is kept.
const (
	// MaxBytes bounds one file, MaxTotalBytes and MaxFiles all of them.
	MaxBytes      = 32 << 20
	MaxTotalBytes = 512 << 20
	MaxFiles      = 500
	// Age is how long a file is kept.
	Age = 7 * 24 * time.Hour

	// maxComing is how many may be on their way at once.
	maxComing = 8
	// maxEntries is how many names of the folder are looked at.
	maxEntries = 4 * MaxFiles
	// maxNameBytes is how much of a sender's name is kept.
	maxNameBytes = 80
	// sniffBytes is how much of a file tells its type.
	sniffBytes = 512
)
