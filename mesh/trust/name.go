package trust

import (
	"errors"
	"fmt"
	"strings"
)

// Named refusals of a name.
var (
	// ErrLabelTaken says that another node of the crew has a label.
	ErrLabelTaken = errors.New("another machine of the crew is called that: choose another label")
	// ErrAmbiguous says that a label is of several nodes.
	ErrAmbiguous = errors.New("several machines of the crew are called that: say the member id (collie crew status)")
	// ErrThisNode says that a command about a member names the node itself.
	ErrThisNode = errors.New("that is this machine itself, which leads")
)

// Resolve returns the id of the node that a person means: an id, or a label that
// one node alone has, whatever its case. It refuses with ErrNoMember and
// ErrAmbiguous.
func (c *Crew) Resolve(name string) (id string, err error) {
	var called []string
	for node, label := range c.labels {
		if node == name {
			return name, nil
		}
		if strings.EqualFold(label, name) {
			called = append(called, node)
		}
	}
	switch len(called) {
	case 0:
		return "", fmt.Errorf("%w: %q", ErrNoMember, name)
	case 1:
		return called[0], nil
	}
	return "", fmt.Errorf("%w: %q", ErrAmbiguous, name)
}

// labels goes through the nodes that a crew knows, with their labels.
func (c *Crew) labels(yield func(id, label string) bool) {
	if c == nil || !yield(c.SelfID, c.SelfLabel) || c.Lead != nil && !yield(c.Lead.ID, c.Lead.Label) {
		return
	}
	for _, m := range c.Members {
		if !yield(m.ID, m.Label) {
			return
		}
	}
}

// checkLabelFree refuses a label that another node than one has. Who has not
// confirmed yet has none, or a try to join that broke off would keep it.
func (c *Crew) checkLabelFree(id, label string) error {
	for node, taken := range c.labels {
		m, _ := c.Member(node)
		if node != id && m.State != StateUnconfirmed && strings.EqualFold(taken, label) {
			return fmt.Errorf("%w: %q is %s", ErrLabelTaken, label, node)
		}
	}
	return nil
}
