package lead

import (
	"time"

	"collie/node/api"
)

// Bounds of what one member can cost its lead, the other members and the
// phones.
const (
	// memberRate is how much text a second is taken from a member, over all of
	// its answers, and memberBurst how much at once. The rest waits in the flow
	// control of the link.
	memberRate  = 8 << 20
	memberBurst = 1 << 20
	// eventRate is how many events a second change the herd of a member, and
	// eventBurst how many at once. An honest member gathers what waits.
	eventRate  = 50
	eventBurst = 100
	// maxCards bounds the cards that are listed of one pane.
	maxCards = 20
	// maxPeers bounds the sessions of one member that others may write to.
	maxPeers = 200
	// maxListed bounds the recipes of a member and the options of one row or recipe:
	// a recipe has a handful, which a person reads.
	maxListed = 32
	// maxAsked is how many machines are asked at once what they are busy with: few
	// enough that the answers of a large crew do not come all together.
	maxAsked = 16
	// maxDrafts bounds the panes of a member of which is known what a phone typed and
	// did not submit.
	maxDrafts = api.MaxPanes
	// maxRawBytes bounds a short text before it is masked; see remote.name.
	maxRawBytes = 16 << 10
)

const (
	// quiet is how long a member's stream may say nothing before it counts as
	// gone: two of its beats and a little.
	quiet = 12 * time.Second
	// An exchange with a member that ended early is begun again after a pause,
	// which doubles from retryFirst to retryMost while it goes on ending.
	retryFirst = time.Second
	retryMost  = 30 * time.Second
	// storeEvery is the time between two writes of the day's load: what a crash costs.
	storeEvery = 15 * time.Minute
	// lookEvery is how old a reading may be for somebody who looks: below the 5 s
	// in which a page asks again.
	lookEvery = 4 * time.Second
	// herdPace is how long changes of the herd are gathered before a phone is
	// told of them, so that a busy crew costs each phone a few events a second.
	herdPace = 100 * time.Millisecond
)
