package walky

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"collie/node/trust"
	"collie/node/walky/journal"
)

// An InboxItem is a message for a session of this machine, without its body.
type InboxItem struct {
	ID        string
	From      Address
	FromLabel string // cleaned, and free of anything that looks like a mark
	To        Address
	At        time.Time // taken by this machine
	Trust     trust.Level
	Mark      trust.Mark
	Read      bool
	ReplyTo   string
	Bytes     int // of the body as it was sent
}

// A Letter is a message with its body, cleaned.
type Letter struct {
	InboxItem
	Body string
	// Verified names the checks that the message passed: those of the crew link,
	// or CheckCaller when it was sent on this machine.
	Verified []string
	// AttestedBy is the member id of the lead that attested the sender, or empty.
	AttestedBy string
}

// CheckCaller stands for a sender whose process was known from the kernel, on
// this machine; no key was involved.
const CheckCaller = "local caller"

// Inbox returns the messages for the instance in the pane of reader, the
// operator's first and then the oldest; for the operator outside of panes those
// for every session of this machine, and for a participant there none.
func (s *Station) Inbox(ctx context.Context, reader Sender) ([]InboxItem, error) {
	return s.inbox(ctx, reader, byRank, func(*message) bool { return true })
}

// inbox is Inbox in another order, of those that are wanted.
func (s *Station) inbox(ctx context.Context, reader Sender, order func(a, b *message) int, wanted func(*message) bool) ([]InboxItem, error) {
	me, err := s.self(ctx, reader)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var items []InboxItem
	for _, m := range s.those(order, func(m *message) bool {
		return m.readable() && (reader.readsAll() || m.isFor(me)) && wanted(m)
	}) {
		items = append(items, m.item())
	}
	return items, nil
}

// Waiting returns the messages that were not read, in the order of Inbox and at most
// so many of each pane: every change of a pane asks for them, however many there are.
func (s *Station) Waiting(most int) []InboxItem {
	s.mu.Lock()
	defer s.mu.Unlock()
	var items []InboxItem
	of := map[string]int{}
	for _, m := range s.those(byRank, func(m *message) bool { return m.readable() && m.shown.State != Read }) {
		if of[m.to.Pane]++; of[m.to.Pane] <= most {
			items = append(items, m.item())
		}
	}
	return items
}

// those returns the messages that are wanted, in an order. mu is held.
func (s *Station) those(order func(a, b *message) int, wanted func(*message) bool) []*message {
	var all []*message
	for _, m := range s.messages {
		if wanted(m) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, order)
	return all
}

// Unread returns the messages of Inbox that were not read, once there is one:
// those that came after the message of an id, where there is one. The operator
// reads without a session, so what was there before does not become read: theirs is
// the next that comes, and by the id of that they go on, the oldest first. When ctx ends first there is none, which is no error.
func (s *Station) Unread(ctx context.Context, reader Sender, after string) ([]InboxItem, error) {
	var last *message
	if after != "" {
		var err error
		if last, _, err = s.forReader(ctx, reader, after); err != nil {
			return nil, err
		}
	} else if reader.readsAll() {
		last = s.newest()
	}
	order := byRank
	if reader.readsAll() { // goes on from the first of these: none may be before that
		order = byTime
	}
	for {
		s.mu.Lock()
		arrived := s.arrived
		s.mu.Unlock()
		items, err := s.inbox(ctx, reader, order, func(m *message) bool {
			return m.shown.State != Read && (last == nil || byTime(m, last) > 0)
		})
		if err != nil || len(items) > 0 {
			return items, err
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return nil, nil
		case <-s.ctx.Done():
			return nil, ErrClosed
		}
	}
}

// newest is the message that may be read and came last, or nil.
func (s *Station) newest() *message {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.those(byTime, (*message).readable)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// Read returns a message and, when the instance or the person that it is for reads,
// records that it was read. The operator outside of panes may look at any message
// of this machine and changes nothing by it, but for an answer to a person.
func (s *Station) Read(ctx context.Context, reader Sender, id string) (Letter, error) {
	m, me, err := s.forReader(ctx, reader, id)
	if err != nil {
		return Letter{}, err
	}
	body, proof, err := s.body(m)
	if err != nil {
		return Letter{}, err
	}
	if m.isFor(me) || m.to.isPerson() {
		s.settle(m, change{State: Read})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	letter := Letter{InboxItem: m.item(), Body: trust.CleanText(body, s.limits.BodyBytes), Verified: []string{m.check()}}
	if proof != nil {
		letter.Verified, letter.AttestedBy = proof.Checks, proof.AttestedBy
	}
	return letter, nil
}

// body reads what a message says, and its proof, back from the journal.
func (s *Station) body(m *message) (string, *Proof, error) {
	line, err := s.journal.Read(m.id)
	if err != nil {
		return "", nil, err
	}
	_, o, err := readOpening(line)
	if err == nil && sha256.Sum256([]byte(o.Body)) != m.digest {
		err = fmt.Errorf("%w: body of message %s", journal.ErrDamaged, m.id)
	}
	return o.Body, o.Proof, err
}

// Render returns the letter as an agent is to read it: fenced, under a header
// that says who sent it and what was verified.
func (s *Station) Render(l Letter) (string, error) {
	header := []trust.Field{
		{Name: "id", Value: l.ID},
		{Name: "from", Value: l.From.String()},
		{Name: "label", Value: l.FromLabel},
		{Name: "at", Value: l.At.UTC().Format(time.RFC3339)},
		{Name: "verified", Value: strings.Join(l.Verified, ", ")},
	}
	if l.AttestedBy != "" {
		header = append(header, trust.Field{Name: "attested-by", Value: l.AttestedBy})
	}
	if l.ReplyTo != "" {
		header = append(header, trust.Field{Name: "reply-to", Value: l.ReplyTo})
	}
	text, err := trust.Render(s.random, trust.Event{Level: l.Trust, Mark: l.Mark, Header: header, Content: l.Body})
	if err != nil {
		return "", fmt.Errorf("cannot show message %s: %w", l.ID, err)
	}
	return text, nil
}

// ReplyAddress returns where a reply to a message goes, for the session that
// the message was for: to the session that sent it, or to whoever wrote it on a
// phone.
func (s *Station) ReplyAddress(ctx context.Context, reader Sender, id string) (Address, error) {
	m, _, err := s.forReader(ctx, reader, id)
	if err != nil {
		return Address{}, err
	}
	if m.from.isPerson() && m.door.Kind != Phone {
		return Address{}, ErrNoReply
	}
	return m.from, nil
}

// forReader finds a message that reader may see.
func (s *Station) forReader(ctx context.Context, reader Sender, id string) (m *message, me Address, err error) {
	if !isID(id) {
		return nil, me, fmt.Errorf("%w: %q", ErrID, clip(id))
	}
	if me, err = s.self(ctx, reader); err != nil {
		return nil, me, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m = s.messages[id]
	switch {
	case m == nil || !m.isRecorded():
		return nil, me, fmt.Errorf("%w: %s", ErrNotFound, id)
	case !reader.readsAll() && !m.isFor(me) && (me.isPerson() || me != m.from):
		return nil, me, fmt.Errorf("%w: %s", ErrNotYours, id)
	case !m.readable():
		return nil, me, fmt.Errorf("%w: %s (%s)", ErrNoInbox, m.unread(), m.shown.State)
	case !reader.readsAll() && !m.isFor(me):
		return nil, me, fmt.Errorf("%w: %s", ErrNotYours, id)
	}
	return m, me, nil
}

// self is the address of a caller of this machine.
func (s *Station) self(ctx context.Context, caller Sender) (Address, error) {
	if caller.Pane == "" {
		return Address{}, nil
	}
	sessions, err := s.observe(ctx)
	if err != nil {
		return Address{}, err
	}
	me, _, err := senderAddress(sessions, caller)
	return me, err
}

// readable says that a session of this machine may read the message: what was
// typed whole needs no reading. mu is held.
func (m *message) readable() bool {
	if !m.local() || !m.isRecorded() || m.door.whole() {
		return false
	}
	switch m.shown.State {
	case Accepted, Held, Delivered, Read, Unknown:
		return true
	}
	return false
}

// unread says why nobody reads the message here. mu is held.
func (m *message) unread() string {
	switch {
	case m.direction == Out:
		return "it was sent from here to " + m.to.Machine
	case m.direction == Through:
		return "it went through here to " + m.to.Machine
	case m.door.whole() && m.shown.State != Refused:
		return "the text of a schedule is typed, so there is nothing to read"
	}
	return "it never reached the session that it was for"
}

// isFor says whether a session is the one that the message is for. A caller outside
// of panes has the address of a person and is none for that: it may have left a pane.
func (m *message) isFor(me Address) bool { return !me.isPerson() && me == m.to }

// item is what the inbox shows of a message. mu is held.
func (m *message) item() InboxItem {
	return InboxItem{
		ID: m.id, From: m.from, FromLabel: m.shownLabel(), To: m.to, At: m.at,
		Trust: m.door.level(), Mark: m.mark(), Read: m.shown.State == Read, ReplyTo: m.replyTo, Bytes: m.length,
	}
}

// mark is what a person sees beside the text of a message. mu is held.
func (m *message) mark() trust.Mark {
	if m.marked.IsZero() {
		m.marked = m.makeMark()
	}
	return m.marked
}

func (m *message) makeMark() trust.Mark {
	if kind, known := doors[m.door.Kind]; known {
		return kind.mark(m.door.Name)
	}
	host := m.from.Machine
	if host == "" {
		host = "local"
	}
	return trust.WalkyMark(host, m.from.Pane)
}

// check names what this machine knows of a message that no key was involved in.
func (m *message) check() string {
	if kind, known := doors[m.door.Kind]; known {
		return kind.check
	}
	return CheckCaller
}

// shownLabel is what the sender calls itself, without anything that looks like a
// mark: the mark stands beside it.
func (m *message) shownLabel() string { return trust.NeutralizeMarks(m.label) }

// byRank puts what may instruct first, and then the oldest.
func byRank(a, b *message) int {
	if x, y := a.door.level(), b.door.level(); x.MayInstruct() != y.MayInstruct() {
		return cmp.Compare(y, x)
	}
	return byTime(a, b)
}

// byTime puts the oldest first.
func byTime(a, b *message) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.id, b.id)) }
