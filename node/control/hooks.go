package control

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
