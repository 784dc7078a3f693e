package trust

import (
	"errors"

	"collie/crypto/atomicfile"
	"collie/crypto/identity"
)

// ErrRestored says that this node's state came out of a backup, and that no peer
// has shown since how far the crew has counted.
var ErrRestored = errors.New("this machine's state was restored from a backup: this waits until another machine of the crew has been reached")

// RestoredFile returns a crew file as it is put back from a backup. Until Shown
// nobody is named by it, nothing handed over, and no takeover made or obeyed.
// Devices that were inherited come back only with keepDevices: one may have been
// revoked since. A deputy's bundle, which lists devices and members of then, does
// not come back at all: the lead brings another one.
func RestoredFile(data []byte, keepDevices bool) ([]byte, error) {
	crew, err := decode(data)
	if err != nil {
		return nil, err
	}
	next := crew.clone()
	next.Restored, next.Bundle = true, nil
	if next.Inherited != nil && !keepDevices {
		next.Inherited = &Inheritance{}
	}
	return atomicfile.EncodeJSON(version, next)
}

// Shown notes that a peer, with both factors right, spoke of a generation that
// this node is not behind. It returns old itself where that says nothing new.
func Shown(old *Crew, fp identity.Fingerprint, generation uint64) (*Crew, error) {
	if old == nil {
		return nil, ErrSolo
	}
	grade := old.Grade(fp)
	if !old.Restored || grade != GradeLead && grade != GradeMember || generation == 0 || generation > old.Generation {
		return old, nil
	}
	next := old.clone()
	next.Restored = false
	return next, nil
}
