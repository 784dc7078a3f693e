package backup

import "collie/crypto/atomicfile"

// Bounds of a backup. What is beyond them is refused, on the way out and back.
const (
	// MaxFile bounds one file in bytes.
	MaxFile = atomicfile.MaxJSON
	// MaxFiles bounds their number.
	MaxFiles = 64
	// MaxContent bounds all of them together, and MaxSealed the sealed file.
	MaxContent = 32 << 20
	MaxSealed  = MaxContent + 1<<20
)
