package launch

// Bounds of launchers.
const (
	// MaxRows bounds the rows of launchers.toml, and MaxAdded those that phones
	// may add on one machine.
	MaxRows  = 100
	MaxAdded = 20
	// MaxNameChars, MaxCommandChars and MaxFolderBytes bound one row.
	MaxNameChars    = 48
	MaxCommandChars = 1000
	MaxFolderBytes  = 4096
	// MaxLineChars bounds a one-off line, and MaxRecent how many are remembered.
	MaxLineChars = 200
	MaxRecent    = 12

	// maxAddedFile bounds the rows that phones added, on every machine.
	maxAddedFile = 500
)
