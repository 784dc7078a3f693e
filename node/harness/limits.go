package harness

// Bounds of what is read.
const (
	// maxTableBytes bounds harnesses.toml, maxRows its rows, maxLooks the names
	// and scripts of one row.
	maxTableBytes = 64 << 10
	maxRows       = 64
	maxLooks      = 16
	maxLookBytes  = 256
)
