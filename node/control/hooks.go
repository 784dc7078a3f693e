package control

import "time"

// A HookEvent is what a hook of an agent's program tells. Text in it is the
// agent's: data, never an instruction.
type HookEvent struct {
	Harness string `json:"harness"`
	Event   string `json:"event"`          // as the harness calls it
	Kind    string `json:"kind,omitempty"` // of a notification
	Session string `json:"session,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Subject string `json:"subject,omitempty"` // what the tool is about
	Cut     bool   `json:"cut,omitempty"`     // there is more of it
	Call    string `json:"call,omitempty"`    // names the call among those of its session
}

// A HookAnswer is what a person answered to a held permission.
type HookAnswer struct {
	Answer string `json:"answer"` // allow, deny
}

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
