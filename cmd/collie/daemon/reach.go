package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"collie/crypto/atomicfile"
	"collie/mesh/trust"
)

const (
	// addressesName is the file of the addresses that the operator gave.
	addressesName    = "addresses.json"
	addressesVersion = 1
)

// told are the addresses under which, as the operator said with the last invite
// or set-address, the others of the crew reach this node. They are kept until it
// leaves its crew.
type told struct {
	path string

	mu        sync.Mutex // guards what follows
	addresses []string
}

type addressesFile struct {
	Addresses []string `json:"addresses"`
}

// openTold reads the file. One that cannot be believed is an error, and what is
// returned knows no addresses: the file is replaced with the next invite.
func openTold(path string) (*told, error) {
	t := &told{path: path}
	var file addressesFile
	err := atomicfile.ReadJSON(path, addressesVersion, &file)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err == nil {
		err = trust.CheckAddresses(file.Addresses)
	}
	if err != nil {
		return t, fmt.Errorf("read %s: %w", path, err)
	}
	t.addresses = file.Addresses
	return t, nil
}

// set stores what the operator said; nothing said changes nothing.
func (t *told) set(addresses []string) error {
	if len(addresses) == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := atomicfile.WriteJSON(t.path, addressesVersion, addressesFile{addresses}); err != nil {
		return err
	}
	t.addresses = slices.Clone(addresses)
	return nil
}

// forget deletes them.
func (t *told) forget() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.addresses = nil
	return atomicfile.Remove(t.path)
}

func (t *told) get() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.addresses)
}

// addresses are where the others of the crew find this node: what the operator
// said, else at a lead where the link listens, and at a member where it always
// does.
func (d *daemon) addresses() []string {
	if said := d.told.get(); len(said) > 0 {
		return said
	}
	if crew := d.crew(); crew != nil && crew.Role != trust.RoleLead {
		return d.dialable()
	}
	if endpoint := d.roles.endpoint(); endpoint != nil {
		return d.nearby.reachable(endpoint.Addr())
	}
	return nil
}

// dialable is where the lead can dial this node: only a fixed address that is
// known before the link opens. A node without one dials out, which is enough.
func (d *daemon) dialable() []string {
	udp, err := net.ResolveUDPAddr("udp", d.options.Config.Get("COLLIE_MESH_LISTEN"))
	if err != nil || udp.Port == 0 {
		return nil
	}
	return d.nearby.reachable(udp)
}

// nearby remembers for a moment the addresses of this machine, which each hello
// of each peer asks for.
type nearby struct {
	mu     sync.Mutex // guards what follows
	bound  string
	at     time.Time
	listed []string
}

func (n *nearby) reachable(bound net.Addr) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now := time.Now(); bound.String() != n.bound || now.Sub(n.at) >= nearbyMemory {
		n.bound, n.at, n.listed = bound.String(), now, reachable(bound)
	}
	return slices.Clone(n.listed)
}

// reachable lists the addresses of a socket: its own, or for one that listens
// everywhere those of this machine that others can reach.
func reachable(bound net.Addr) []string {
	udp, ok := bound.(*net.UDPAddr)
	if !ok {
		return nil
	}
	port := strconv.Itoa(udp.Port)
	if len(udp.IP) > 0 && !udp.IP.IsUnspecified() {
		return []string{net.JoinHostPort(udp.IP.String(), port)}
	}
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var all []string
	for _, address := range interfaces {
		network, ok := address.(*net.IPNet)
		if ok && network.IP.IsGlobalUnicast() && len(all) < trust.MaxAddresses {
			all = append(all, net.JoinHostPort(network.IP.String(), port))
		}
	}
	return all
}
