package trust

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/identity"
)

// IdentityFileName is the name of the identity's file in the state folder. The
// file exists from a node's first invite or join until it leaves its crew.
const IdentityFileName = "identity.pem"

// LoadIdentity reads the identity at path. An absent one is fs.ErrNotExist; one
// that cannot be believed is a *RefusedError, and the file stays.
func LoadIdentity(path string) (*identity.Identity, error) {
	data, err := atomicfile.Read(path, identity.MaxPEMSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, &RefusedError{Path: path, Reason: err}
	}
	id, err := identity.Unmarshal(data)
	if err != nil {
		return nil, &RefusedError{Path: path, Reason: err}
	}
	return id, nil
}

// EnsureIdentity reads the identity at path, or draws one and stores it before
// it returns it.
func EnsureIdentity(path string, random io.Reader, now time.Time) (*identity.Identity, error) {
	id, err := LoadIdentity(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return id, err
	}
	if id, err = identity.Generate(random, now); err != nil {
		return nil, fmt.Errorf("cannot mint an identity: %w", err)
	}
	data, err := id.Marshal()
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Write(path, data); err != nil {
		return nil, err
	}
	return id, nil
}

// DiscardIdentity deletes the identity at path. It is for a node that left its
// crew: the key names it in no other one.
func DiscardIdentity(path string) error { return atomicfile.Remove(path) }
