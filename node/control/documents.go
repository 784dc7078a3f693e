package control

import (
	"encoding/json"
	"time"
)

// A Time is written as RFC 3339 in UTC with milliseconds. The zero time is
// null.
type Time time.Time

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// String returns the written form, empty for the zero time.
func (t Time) String() string {
	if time.Time(t).IsZero() {
		return ""
	}
	return time.Time(t).UTC().Format(timeLayout)
}

// MarshalJSON writes the time, or null.
func (t Time) MarshalJSON() ([]byte, error) {
	if time.Time(t).IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(t.String())
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Time) UnmarshalJSON(data []byte) error {
	var text *string
	if err := json.Unmarshal(data, &text); err != nil || text == nil {
		*t = Time{}
		return err
	}
	parsed, err := time.Parse(timeLayout, *text)
	*t = Time(parsed)
	return err
}

// Text is a string of which the empty one is written as null.
type Text string

// MarshalJSON writes the string, or null. Null is read as the empty string by
// encoding/json itself.
func (t Text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

// Status is the document of collie status.
type Status struct {
	Version   string         `json:"version"`
	PID       int            `json:"pid"`
	StartedAt Time           `json:"startedAt"`
	Mode      string         `json:"mode"` // solo, lead, member, deposed
	StateDir  string         `json:"stateDir"`
	HTTP      StatusHTTP     `json:"http"`
	Mesh      StatusMesh     `json:"mesh"`
	Standby   StatusStandby  `json:"standby"`
	Crew      *StatusCrew    `json:"crew"`
	Masking   bool           `json:"masking"`
	Trouble   []StatusNotice `json:"trouble,omitempty"`
}

// StatusHTTP says where the front door is.
type StatusHTTP struct {
	URL Text `json:"url"`
}

// StatusMesh says where the crew link listens.
type StatusMesh struct {
	Listen Text `json:"listen"`
}

// StatusStandby says how the standby door is.
type StatusStandby struct {
	URL   Text   `json:"url"`
	State string `json:"state"`
}

// StatusCrew says which crew the node is in.
type StatusCrew struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	MemberID   string `json:"memberId"`
	Lead       string `json:"lead"`
	Deputy     Text   `json:"deputy"`
	Generation uint64 `json:"generation"`
}

// StatusNotice is something that is off until a person mends it.
type StatusNotice struct {
	What string `json:"what"`
	Fix  string `json:"fix"`
}

// PairCode is the document of collie pair.
type PairCode struct {
	Code      string `json:"code"`
	URL       string `json:"url"`
	ExpiresAt Time   `json:"expiresAt"`
}

// PairRequest asks for a pairing code; Lifetime is like 30d, or empty.
type PairRequest struct {
	Lifetime string `json:"lifetime,omitempty"`
}

// Device is a row of collie devices list.
type Device struct {
	Label      string `json:"label"`
	CreatedAt  Time   `json:"createdAt"`
	LastSeenAt Time   `json:"lastSeenAt"`
	ExpiresAt  Time   `json:"expiresAt"`
	Expired    bool   `json:"expired"`
}

// Pane is a row of collie pane list.
type Pane struct {
	ID        string `json:"id"`
	Workspace string `json:"workspace"`
	Tab       string `json:"tab"`
	Title     string `json:"title"`
	Label     Text   `json:"label"`
	Harness   string `json:"harness"`
	Status    string `json:"status"`
	Why       string `json:"why"`    // the status is believed, as one clause
	Source    string `json:"source"` // of that: hook, log, screen, process
	Since     Time   `json:"since"`
	Cols      int    `json:"cols"`
	Rows      int    `json:"rows"`
	Command   string `json:"command"`
	Cwd       string `json:"cwd"`
	PID       int    `json:"pid"`
	// ExitCode is the program's once it has ended: -1 where nobody tells.
	ExitCode *int `json:"exitCode"`
}

// PaneNew asks for a pane.
type PaneNew struct {
	Cwd     string   `json:"cwd,omitempty"`
	Label   string   `json:"label,omitempty"`
	Harness string   `json:"harness,omitempty"`
	Cols    int      `json:"cols,omitempty"`
	Rows    int      `json:"rows,omitempty"`
	Command []string `json:"command,omitempty"`
}

// ID is an answer that names what was made.
type ID struct {
	ID string `json:"id"`
}

// PaneScreen is the document of collie pane show.
type PaneScreen struct {
	ID     string   `json:"id"`
	Cols   int      `json:"cols"`
	Rows   int      `json:"rows"`
	Cursor Cursor   `json:"cursor"`
	Lines  []string `json:"lines"`
}

// Cursor is where the cursor of a screen is, counted from 0.
type Cursor struct {
	Row     int  `json:"row"`
	Col     int  `json:"col"`
	Visible bool `json:"visible"`
}

// PaneSend types a text into a pane.
type PaneSend struct {
	Text  string `json:"text"`
	Enter bool   `json:"enter,omitempty"`
}

// PaneKeys presses keys in a pane.
type PaneKeys struct {
	Keys []string `json:"keys"`
}

// PaneRename names a pane.
type PaneRename struct {
	Label string `json:"label"`
}

// PaneClose ends a pane and what runs in it.
type PaneClose struct {
	// Idle closes it only while no program runs in it (program_runs).
	Idle bool `json:"idle,omitempty"`
}

// OK is the answer of a write that has nothing else to say.
type OK struct {
	OK bool `json:"ok"`
	// Pending is the deputy that has yet to hear of what was taken away: a
	// takeover before that would bring it back.
	Pending Text `json:"pending,omitempty"`
}

// Invite is the document of collie crew invite.
type Invite struct {
	Token       string   `json:"token"`
	Addresses   []string `json:"addresses"`
	Fingerprint string   `json:"fingerprint"`
	ExpiresAt   Time     `json:"expiresAt"`
	Join        string   `json:"join"`
}

// InviteRequest asks for an invite; the addresses are where members find the
// lead.
type InviteRequest struct {
	Addresses []string `json:"addresses,omitempty"`
}

// JoinRequest asks to join the crew behind an address.
type JoinRequest struct {
	Address string `json:"address"`
	Token   string `json:"token"`
	Label   string `json:"label,omitempty"`
}

// Joined is the document of collie crew join.
type Joined struct {
	CrewID   string `json:"crewId"`
	CrewName string `json:"crewName"`
	MemberID string `json:"memberId"`
	Lead     string `json:"lead"`
}

// Rename asks for another label of a member, or without one for another name of
// the crew.
type Rename struct {
	MemberID string `json:"memberId,omitempty"`
	Label    string `json:"label"`
}

// Addresses asks to find a node of the crew at these addresses; none forgets
// what was said before. The answer of collie crew set-address lists all that are
// dialled now.
type Addresses struct {
	MemberID  string   `json:"memberId,omitempty"`
	Addresses []string `json:"addresses"`
}

// Reconnected is the document of collie reconnect: the node that was found, and
// where it is dialled.
type Reconnected struct {
	Lead      string   `json:"lead"`
	Addresses []string `json:"addresses"`
}

// Rotated is the document of collie crew rotate.
type Rotated struct {
	SecretGeneration uint64          `json:"secretGeneration"`
	Members          []RotatedMember `json:"members"`
}

// RotatedMember says whether a member holds the new secret, and if it does not,
// why.
type RotatedMember struct {
	MemberID  string `json:"memberId"`
	Delivered bool   `json:"delivered"`
	Reason    Text   `json:"reason"`
}

// CrewStatus is the document of collie crew status.
type CrewStatus struct {
	Crew     CrewRole     `json:"crew"`
	Deputy   *CrewDeputy  `json:"deputy"`
	Unheard  []CrewEnded  `json:"unheard"`
	Handover *Approved    `json:"handover"`
	Members  []CrewMember `json:"members"`
}

// CrewRole is this node's place in its crew.
type CrewRole struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Role       string `json:"role"`
	MemberID   string `json:"memberId"`
	Generation uint64 `json:"generation"`
}

// CrewMember is one node of the crew as this one sees it.
type CrewMember struct {
	MemberID          string   `json:"memberId"`
	Label             string   `json:"label"`
	Role              string   `json:"role"`
	State             string   `json:"state"`
	Hint              Text     `json:"hint"`
	Reason            Text     `json:"reason"`
	LastSeenAt        Time     `json:"lastSeenAt"`
	RTTMs             *int64   `json:"rttMs"`
	Via               Text     `json:"via"`
	Build             Text     `json:"build"`
	BuildDiffers      bool     `json:"buildDiffers"` // from this node's
	SecretCurrent     bool     `json:"secretCurrent"`
	WarrantGeneration *uint64  `json:"warrantGeneration"`
	Addresses         []string `json:"addresses"`
}

// WalkySession is a row of collie walky who.
type WalkySession struct {
	Address string `json:"address"`
	Host    string `json:"host"`
	Pane    string `json:"pane"`
	Token   string `json:"token"`
	Label   Text   `json:"label"`
	Harness string `json:"harness"`
	Status  string `json:"status"`
	You     bool   `json:"you"`
}

// WalkySend sends a message; WaitMs is how long to wait for its receipt.
type WalkySend struct {
	To      string `json:"to"`
	Body    string `json:"body"`
	ReplyTo string `json:"replyTo,omitempty"`
	WaitMs  int64  `json:"waitMs,omitempty"`
}

// WalkyReceipt is the document of collie walky send and cancel.
type WalkyReceipt struct {
	ID     string `json:"id"`
	State  string `json:"state"`
	Reason Text   `json:"reason"`
}

// WalkyItem is a row of collie walky inbox.
type WalkyItem struct {
	ID        string `json:"id"`
	From      string `json:"from"`
	FromLabel string `json:"fromLabel"`
	At        Time   `json:"at"`
	Trust     string `json:"trust"`
	Read      bool   `json:"read"`
	ReplyTo   Text   `json:"replyTo"`
	Bytes     int    `json:"bytes"`
	Mark      string `json:"mark"`
}

// MaxInboxWait is how long one call of the next message waits at most.
const MaxInboxWait = time.Minute

// WalkyNext names the oldest message that was not read, or none.
type WalkyNext struct {
	ID Text `json:"id"`
}

// WalkyMessage is the document of collie walky inbox ID. Rendered is what is
// printed without --json: the body in its fence.
type WalkyMessage struct {
	WalkyItem
	Body       string   `json:"body"`
	Verified   []string `json:"verified"`
	AttestedBy Text     `json:"attestedBy"`
	Rendered   string   `json:"rendered,omitempty"`
}

// WalkyEntry is a row of collie walky log.
type WalkyEntry struct {
	ID        string `json:"id"`
	Direction string `json:"direction"` // in, out, through
	From      string `json:"from"`
	To        string `json:"to"`
	At        Time   `json:"at"`
	State     string `json:"state"`
	Reason    Text   `json:"reason"`
	Mark      string `json:"mark"`
	ReplyTo   Text   `json:"replyTo"`
}

// Doctor is the document of collie doctor.
type Doctor struct {
	Verdict string  `json:"verdict"` // ok, warn, fail
	Checks  []Check `json:"checks"`
}

// Check is one row of collie doctor.
type Check struct {
	ID      string `json:"id"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
	Fix     Text   `json:"fix"`
}
