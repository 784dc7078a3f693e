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

const (
	// maxDialogRows bounds how far up the options of a question are looked for,
	// and maxOptionRows how many rows one option has.
	maxDialogRows = 60
	maxOptionRows = 6
	// SubjectRows is how much scrollback is worth reading with a screen on which
	// a question begins above the first row.
	SubjectRows = 200
)

// maxFooterRows bounds the rows of state around an input.
const maxFooterRows = 10
