package tmux

import "time"

const (
	// maxClients is how many sessions are followed: each that has one of maxPanes.
	// A client costs the server clientFiles open files, of which spareFiles are
	// left to it: a person can open panes and sessions whatever Collie does.
	maxClients  = maxPanes
	clientFiles = 3
	spareFiles  = 200
	// maxPanes is how many panes are shown.
	maxPanes = 500
	// maxLineBytes bounds one line from tmux, maxReplyBytes all lines that answer
	// one command: the whole scrollback of a wide pane, in colours.
	maxLineBytes  = 16 << 20
	maxReplyBytes = 64 << 20
	// maxWaiting is how many commands may wait on one control client.
	maxWaiting = 4096
	// scrollback is how many lines are kept of each pane.
	scrollback = 10_000
	// maxReasonBytes bounds what is repeated of a refusal of tmux.
	maxReasonBytes = 300
	// inputChunk is how many bytes one send-keys command types.
	inputChunk = 256
	// floodBytes is how much output of one pane is read in floodWindow. A pane that
	// writes more is paused for floodPause; what it shows then is captured.
	floodBytes = 512 << 10
	// maxSeeds is how often a pane is captured again because it wrote meanwhile.
	maxSeeds = 5
	// nameBytes bounds the name of a session or a window.
	nameBytes = 256
	// maxLinger is how much is kept of what a tmux said when it failed.
	maxLinger = 4 << 10
)

const (
	floodWindow = 100 * time.Millisecond
	floodPause  = 100 * time.Millisecond
	// startTimeout bounds the start of a control client, requestTimeout one command.
	startTimeout   = 5 * time.Second
	requestTimeout = 5 * time.Second
	// seatTimeout bounds the question who sits at a tmux that is not Collie's.
	seatTimeout = 2 * time.Second
	// closeTimeout is how long a control client may take to let go.
	closeTimeout = time.Second
	// openTimeout bounds Open's wait for the first look.
	openTimeout = 10 * time.Second
	// retry is the wait after a server could not be reached although its socket
	// was made anew, and retries how often that is tried.
	retry   = 2 * time.Second
	retries = 5
	// activityInterval is the least time between two notes that a pane writes.
	activityInterval = 5 * time.Second
	// settle is how long nothing may have moved before a client is started; see
	// Mux.connecting.
	settle = time.Second
	// tellTimeout is how long tmux may take to tell the exit code of a program that
	// has ended. One of 3.3 forgets it now and then, if that was quick.
	tellTimeout = 3 * time.Second
	// placeholder is how long a pane without its program may stand.
	placeholder = "60"
)
