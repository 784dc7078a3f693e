package control

// CrewDeputy is who may take over, as collie crew status says it.
type CrewDeputy struct {
	MemberID    string `json:"memberId"`
	Generation  uint64 `json:"generation"`
	RefreshedAt Time   `json:"refreshedAt"`
	Door        Text   `json:"door"`
	// Owed says that the deputy has yet to hear what stands now: a takeover at
	// this moment would bring back a device or a member that was removed.
	Owed bool `json:"owed"`
}

// CrewEnded is a deputy that is one no more and has not confirmed it: it could
// take over until its warrant is dead.
type CrewEnded struct {
	MemberID   string `json:"memberId"`
	Generation uint64 `json:"generation"` // in which it ended
	Until      Time   `json:"until"`
}

// DeputyRequest names a deputy, or with Revoke nobody.
type DeputyRequest struct {
	MemberID string `json:"memberId,omitempty"`
	Door     string `json:"door,omitempty"`
	Revoke   bool   `json:"revoke,omitempty"`
}

// Deputy is the document of collie crew deputy.
type Deputy struct {
	Generation uint64         `json:"generation"`
	Deputy     Text           `json:"deputy"`
	Members    []DeputyMember `json:"members"`
}

// DeputyMember says whether a member has confirmed that it holds the warrant.
type DeputyMember struct {
	MemberID string `json:"memberId"`
	Stored   bool   `json:"stored"`
}

// ApproveRequest lets a member take the lead, or with Cancel nobody.
type ApproveRequest struct {
	MemberID string `json:"memberId,omitempty"`
	Cancel   bool   `json:"cancel,omitempty"`
}

// Approved is the document of collie crew approve-promote, and its part of
// collie crew status.
type Approved struct {
	MemberID  string `json:"memberId"`
	ExpiresAt Time   `json:"expiresAt"`
}

// PromoteRequest makes this member the lead; Force founds a crew of its own.
type PromoteRequest struct {
	Force bool `json:"force,omitempty"`
}

// Promoted is the document of collie promote. Rejoin is of a forced one: what
// every other member has to run.
type Promoted struct {
	CrewID     string   `json:"crewId"`
	Generation uint64   `json:"generation"`
	URL        string   `json:"url"`
	Rejoin     []string `json:"rejoin,omitempty"`
}
