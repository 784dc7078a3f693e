package control

// Channel is a row of collie channel list.
type Channel struct {
	Name        string `json:"name"`
	Kind        string `json:"kind"` // webhook
	Format      string `json:"format"`
	To          string `json:"to"` // a pane, or one instance in it
	SecretBytes int    `json:"secretBytes"`
	CreatedAt   Time   `json:"createdAt"`
	DoorOutcome
}

// DoorOutcome is what became of the newest message of a channel or a schedule, as
// far as the journal holds one: all null without.
type DoorOutcome struct {
	LastAt     Time `json:"lastAt"`
	LastState  Text `json:"lastState"`
	LastReason Text `json:"lastReason"` // of a refusal
}

// Last is the outcome as a cell of a table.
func (o DoorOutcome) Last() string {
	switch {
	case o.LastState == "":
		return "-"
	case o.LastReason == "":
		return o.LastAt.String() + " " + string(o.LastState)
	}
	return o.LastAt.String() + " " + string(o.LastState) + ": " + string(o.LastReason)
}

// ChannelAdd opens a channel. Without a secret one is drawn.
type ChannelAdd struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	To     string `json:"to"`
	Secret string `json:"secret,omitempty"`
}

// ChannelAdded is the document of collie channel add. The secret is in it when it
// was drawn, this one time.
type ChannelAdded struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Secret Text   `json:"secret"`
}

// Schedule is a row of collie schedule list.
type Schedule struct {
	Name      string `json:"name"`
	Cron      string `json:"cron"`
	To        string `json:"to"`
	Text      string `json:"text"`
	NextAt    Time   `json:"nextAt"`
	CreatedAt Time   `json:"createdAt"`
	DoorOutcome
}

// ScheduleAdd books a schedule.
type ScheduleAdd struct {
	Name string `json:"name"`
	Cron string `json:"cron"`
	To   string `json:"to"`
	Text string `json:"text"`
}

// Booked is the document of collie schedule add and of collie wake.
type Booked struct {
	Name   string `json:"name"`
	NextAt Time   `json:"nextAt"`
}

// Wake is a row of collie wake list.
type Wake struct {
	ID   string `json:"id"`
	To   string `json:"to"`
	At   Time   `json:"at"`
	Text string `json:"text"`
}

// WakeBook books a wake, at a time or after a while.
type WakeBook struct {
	At      Time   `json:"at,omitzero"`
	AfterMs int64  `json:"afterMs,omitempty"`
	Text    string `json:"text"`
}
