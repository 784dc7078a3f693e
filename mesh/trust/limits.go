package trust

import (
	"time"

	"collie/crypto/statement"
)

// Bounds of a crew. A file or a change outside of them is refused whole.
const (
	// MaxMembers bounds the members of one lead. What 500 cost it is measured
	// (integration, BenchmarkLargeCrew), and at their largest so many are half of
	// what a file may hold.
	MaxMembers = 512
	// MaxIDs bounds the member ids that one crew ever mints: those in use and
	// those that are retired.
	MaxIDs = 4096
	// MaxAddresses bounds the addresses of one node.
	MaxAddresses = 8
	// MaxAddressLen bounds one address in bytes.
	MaxAddressLen = 262
	// MaxIDLen bounds a member id in bytes.
	MaxIDLen = statement.MaxMember
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

	// WarrantLife is how long a warrant lives after it was refreshed.
	WarrantLife = 30 * 24 * time.Hour
	// WarrantRefresh is the least time between two refreshes.
	WarrantRefresh = time.Hour
	// WarrantAhead is how far ahead of the verifier's clock a refresh may be.
	WarrantAhead = 10 * time.Minute
	// MaxChain bounds the changes of lead that are remembered, and those that a
	// peer may show.
	MaxChain = 64
	// ApprovalLife is how long an approved promotion can be claimed.
	ApprovalLife = 10 * time.Minute
	// MaxDevices bounds the paired devices of a bundle.
	MaxDevices = 200
	// MaxDoorURL bounds the URL of a standby door in bytes.
	MaxDoorURL = 256

	// maxDeviceLabel bounds a device's label in bytes: 48 characters of UTF-8.
	maxDeviceLabel = 192
	// maxSignedBundle bounds a signed bundle in bytes: its content in base64 and
	// its statement.
	maxSignedBundle = (statement.MaxBundle+2)/3*4 + 2*statement.MaxSize

	// maxEnded bounds the deputies that were ended and are remembered.
	maxEnded = 16
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
