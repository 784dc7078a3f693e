package control

import "time"

// Bounds of the socket.
const (
	maxConnections = 512
	// maxCallsOfPane is how many calls the agents of one pane may wait for at once,
	// and maxCallsOfAgents those of all panes: the rest is the operator's.
	maxCallsOfPane   = 32
	maxCallsOfAgents = maxConnections - 64

	maxHeaderBytes = 16 << 10
	headerTimeout  = 5 * time.Second
	bodyTimeout    = 10 * time.Second
	idleTimeout    = 5 * time.Second // between two calls on one connection
	writeTimeout   = 10 * time.Second

	// stopTimeout is how long a change may go on once the server closes, and
	// abandonTimeout how long a call may take to notice that it was ended.
	stopTimeout    = 2 * time.Second
	abandonTimeout = 2 * time.Second

	// dialTimeout is how long a client tries while the node is busy taking others.
	dialTimeout = 5 * time.Second
	dialRetry   = 10 * time.Millisecond

	// answerTimeout bounds a client's wait: a call may wait for a message or a
	// receipt for a minute.
	answerTimeout = 2 * time.Minute
)

// Bounds of a hook's call.
const (
	// HookWait is how long a hook that only tells something waits for the node.
	HookWait = 2 * time.Second
	// HoldWait is the longest that one that asks waits for a tap; the node may end
	// it sooner.
	HoldWait = 10 * time.Minute
	// MaxHookText bounds each text of an event.
	MaxHookText = 32 << 10
)
