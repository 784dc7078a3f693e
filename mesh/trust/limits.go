package trust

import "time"

// Bounds of a crew. A file or a change outside of them is refused whole.
const (
	// MaxMembers bounds the members of one lead.
	MaxMembers = 256
	// MaxIDs bounds the member ids that one crew ever mints: those in use and
	// those that are retired.
	MaxIDs = 4096
	// MaxAddresses bounds the addresses of one node.
	MaxAddresses = 8
	// MaxAddressLen bounds one address in bytes.
	MaxAddressLen = 262
	// MaxIDLen bounds a member id in bytes.
	MaxIDLen = 63
	// MaxLabel bounds a label in characters.
	MaxLabel = 48
	// MaxCrewName bounds the name of a crew in characters.
	MaxCrewName = 48
	// MaxLiveInvites bounds the invites that can be used at one time.
	MaxLiveInvites = 8
	// InviteLife is how long an invite can be used.
	InviteLife = 10 * time.Minute
	// ConfirmWithin is how long a member that joined may take until its first
	// hello; after it the entry goes.
	ConfirmWithin = time.Minute
	// RotateWithin is how long a secret that was replaced is remembered for
	// those who are owed the new one.
	RotateWithin = time.Minute

	// flushFirst and flushMost are between two tries to write what the disk
	// refused; each wait is twice the one before.
	flushFirst = time.Second
	flushMost  = 30 * time.Second

	// inviteMemory is how long an invite that has expired is still told from
	// one that never was.
	inviteMemory = 10 * time.Minute
	// maxInvites bounds live invites and remembered ones together.
	maxInvites    = 64
	maxGeneration = 1 << 62
)
