package standby

import "time"

// Bounds in time.
const (
	// ArmBeatsLeast is the least silence that arms a door, in beats: less would
	// take a lead that was started again for one that is gone.
	ArmBeatsLeast = 6
	// witnessSlack is how much less silence than the deputy's a witness may have
	// seen, in beats: the lead's last beat reached each at another moment.
	witnessSlack = 2
	// leadPatience is how long a lead may take to answer the deputy's one
	// question, and for how long a try that failed counts.
	leadPatience = 5 * time.Second
	// aheadPatience is the same for the tries before a tap, one after the other:
	// with askEvery it is less, so that there is always one that counts.
	aheadPatience = 4 * time.Second
	// askEvery is how often an armed deputy looks whether to try again.
	askEvery = 500 * time.Millisecond
	// probePatience bounds the asking of the witnesses, all together.
	probePatience = 3 * time.Second
	// callPatience bounds any other call of a peer.
	callPatience = 5 * time.Second
	// endPatience is how long the deputy may take to confirm that it is no more,
	// before another one is named or the crew is handed over: less than who claims
	// the lead waits.
	endPatience = 3 * time.Second
	// openPatience bounds the wait for the front door after the decision.
	openPatience = 20 * time.Second
	// GatePatience is how long a lead that starts waits for its members' word
	// before it opens the front door.
	GatePatience = 5 * time.Second
	// strandAfter is for how long a new lead may turn a former one away, for its
	// secret, until that counts as the last word.
	strandAfter = 10 * time.Second
	// tapMemory is how long a tap that was carried out is answered again.
	tapMemory = 10 * time.Minute
)

// maxCalls bounds the calls that are under way at one time.
const maxCalls = 64
