package attach

const (
	// MaxInputBytes is the most input in one line to the node.
	MaxInputBytes = 64 << 10
	// MaxLineBytes bounds one line either way: the largest screen, in JSON.
	MaxLineBytes = 16 << 20
	// maxDetachKeys and maxDetachBytes bound what lets go of a pane.
	maxDetachKeys  = 8
	maxDetachBytes = 64
)
