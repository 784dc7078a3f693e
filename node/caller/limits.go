package caller

import "time"

// Bounds of what is read about a process and its ancestors.
const (
	// MaxChain bounds the ancestors of a process. A deeper one is refused: it
	// could hide a holder above the bound.
	MaxChain = 256
	// maxWalks bounds how often a chain is read again because a process on it
	// ended meanwhile.
	maxWalks = 8
	// maxStatBytes bounds /proc/PID/stat and status; the kernel's are below 3 KiB.
	maxStatBytes = 4 << 10
	// maxArgsBytes bounds the command line that is kept of a process.
	maxArgsBytes = 4 << 10
	// clockTicks is how many ticks of a start time are a second. Linux shows
	// user space 100 on every architecture that Go knows (USER_HZ).
	clockTicks = 100
	// typedBefore is how long before a command, in clock ticks, its last key was
	// pressed at most: tmux tells it in whole seconds.
	typedBefore = 3 * clockTicks
	// programDelay is the most that a holder takes to start its program.
	programDelay = 15 * time.Second
	// openingTimeout is how long a caller waits for its pane to be listed.
	openingTimeout = 5 * time.Second
)

// Bounds of a look at what runs below a process.
const (
	maxThreads = 1024
	// maxBelow bounds the processes that are looked at for an agent. What has
	// more below it may have one.
	maxBelow = 4096
	// maxInFront bounds those that are looked at for what has the foreground: it is
	// near the pane's program, and is looked for as often as a screen changes.
	maxInFront      = 128
	maxChildren     = 1024
	maxEnvironBytes = 1 << 20
)
