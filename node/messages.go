package node

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/control"
	"collie/node/trust"
	"collie/node/walky"
)

func (n *Node) walkyRoutes() []control.Route {
	return []control.Route{
		{Method: http.MethodGet, Path: "/walky/who", Anyone: true, Handle: n.walkyWho},
		{Method: http.MethodPost, Path: "/walky/send", Anyone: true, Handle: n.walkySend},
		{Method: http.MethodPost, Path: "/walky/reply", Anyone: true, Handle: n.walkyReply},
		{Method: http.MethodGet, Path: "/walky/inbox", Anyone: true, Handle: n.walkyInbox},
		{Method: http.MethodGet, Path: "/walky/next", Anyone: true, Handle: n.walkyNext},
		{Method: http.MethodPost, Path: "/walky/read/:id", Anyone: true, Handle: n.walkyRead},
		{Method: http.MethodPost, Path: "/walky/cancel/:id", Anyone: true, Handle: n.walkyCancel},
		{Method: http.MethodGet, Path: "/walky/log", Anyone: true, Handle: n.walkyLog},
	}
}

// sender is who a caller on the control socket is in a message.
func sender(call *control.Call) walky.Sender {
	s := walky.Sender{Pane: call.Caller.Pane, Level: call.Caller.Level}
	if s.Pane == "" {
		s.Label = s.Level.String()
	}
	return s
}

func (n *Node) walkyWho(ctx context.Context, call *control.Call) (any, error) {
	peers, err := n.Walky.Who(ctx, sender(call))
	if peers == nil && err != nil {
		return nil, walkyError(err)
	}
	sessions := []control.WalkySession{}
	for _, p := range peers {
		sessions = append(sessions, control.WalkySession{
			Address: p.Address.String(), Host: p.Address.Machine, Pane: p.Address.Pane, Token: p.Address.Token,
			Label: control.Text(p.Label), Harness: harnessName(p.Harness), Status: p.Status, You: p.You,
		})
	}
	return sessions, nil
}

func (n *Node) walkySend(ctx context.Context, call *control.Call) (any, error) {
	var request control.WalkySend
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	to, err := walky.ParseAddress(request.To)
	if err != nil {
		return nil, walkyError(err)
	}
	return n.walkyPost(ctx, call, to, request)
}

func (n *Node) walkyReply(ctx context.Context, call *control.Call) (any, error) {
	var request control.WalkySend
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	to, err := n.Walky.ReplyAddress(ctx, sender(call), request.ReplyTo)
	if err != nil {
		return nil, walkyError(err)
	}
	return n.walkyPost(ctx, call, to, request)
}

// walkyPost sends a message and waits a while for more than its acceptance.
func (n *Node) walkyPost(ctx context.Context, call *control.Call, to walky.Address, request control.WalkySend) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, min(max(time.Duration(request.WaitMs)*time.Millisecond, 0), maxReceiptWait))
	defer cancel()
	from := sender(call)
	var receipt walky.Receipt
	err := n.notedCall(call, audit.Entry{Action: "walky.send", Pane: from.Pane, Host: to.Machine, Via: "cli"}, func() (err error) {
		receipt, err = n.Walky.Send(ctx, from, n.ownAddress(to), request.Body, request.ReplyTo)
		return walkyError(err)
	})
	if err != nil {
		return nil, err
	}
	return receiptDocument(receipt), nil
}

// ownAddress takes this machine's own id out of an address.
func (n *Node) ownAddress(to walky.Address) walky.Address {
	if self := n.self.Load(); self != nil && to.Machine == *self {
		to.Machine = ""
	}
	return to
}

// SetRoute says how this machine reaches the others of its crew; nil while it
// is solo.
func (n *Node) SetRoute(route walky.Route) {
	if route == nil {
		n.self.Store(nil)
	} else {
		self := route.SelfMember()
		n.self.Store(&self)
	}
	n.Walky.SetRoute(route)
}

func receiptDocument(r walky.Receipt) control.WalkyReceipt {
	reason := r.Reason
	if r.Wait > 0 {
		reason += "; try again in " + r.Wait.Round(time.Second).String()
	}
	return control.WalkyReceipt{ID: r.ID, State: string(r.State), Reason: control.Text(reason)}
}

func (n *Node) walkyInbox(ctx context.Context, call *control.Call) (any, error) {
	inbox, err := n.Walky.Inbox(ctx, n.reader(call))
	if err != nil {
		return nil, walkyError(err)
	}
	items := []control.WalkyItem{}
	for _, item := range inbox {
		items = append(items, itemDocument(item))
	}
	return items, nil
}

// walkyNext names the oldest message that its reader has not read, once there is
// one, or none when the time to wait is over. An agent waits for its own; the
// operator, also in a pane, for those of every session here.
func (n *Node) walkyNext(ctx context.Context, call *control.Call) (any, error) {
	ms, err := strconv.ParseUint(call.Query.Get("waitMs"), 10, 31)
	if err != nil {
		return nil, api.ErrBadRequest.With("waitMs is a number of milliseconds")
	}
	ctx, cancel := context.WithTimeout(ctx, min(time.Duration(ms)*time.Millisecond, control.MaxInboxWait))
	defer cancel()
	items, err := n.Walky.Unread(ctx, n.reader(call), call.Query.Get("after"))
	switch {
	case errors.Is(err, context.DeadlineExceeded): // it ran out while the panes were looked at
		return control.WalkyNext{}, nil
	case err != nil:
		return nil, walkyError(err)
	case len(items) == 0:
		return control.WalkyNext{}, nil
	}
	return control.WalkyNext{ID: control.Text(items[0].ID)}, nil
}

// reader is who a caller is when it reads: the operator reads as the person
// whose machine this is, also from a shell in a pane.
func (n *Node) reader(call *control.Call) walky.Sender {
	s := sender(call)
	if call.Operator() {
		s.Pane = ""
	}
	return s
}

func itemDocument(item walky.InboxItem) control.WalkyItem {
	return control.WalkyItem{
		ID: item.ID, From: item.From.String(), FromLabel: item.FromLabel, At: control.Time(item.At),
		Trust: item.Trust.String(), Read: item.Read, ReplyTo: control.Text(item.ReplyTo), Bytes: item.Bytes, Mark: item.Mark.String(),
	}
}

func (n *Node) walkyRead(ctx context.Context, call *control.Call) (any, error) {
	letter, err := n.Walky.Read(ctx, n.reader(call), call.Param("id"))
	if err != nil {
		return nil, walkyError(err)
	}
	rendered, err := n.Walky.Render(letter)
	if err != nil {
		return nil, err
	}
	return control.WalkyMessage{
		WalkyItem: itemDocument(letter.InboxItem), Body: letter.Body, Verified: letter.Verified,
		AttestedBy: control.Text(letter.AttestedBy), Rendered: rendered,
	}, nil
}

func (n *Node) walkyCancel(ctx context.Context, call *control.Call) (any, error) {
	from := sender(call)
	var receipt walky.Receipt
	entry := audit.Entry{Action: "walky.cancel", Pane: from.Pane, Via: "cli", What: audit.ID(call.Param("id"))}
	err := n.admittedCall(call, entry, func() (err error) {
		receipt, err = n.Walky.Cancel(ctx, from, call.Param("id"))
		return walkyError(err)
	})
	if err != nil {
		return nil, err
	}
	return receiptDocument(receipt), nil
}

func (n *Node) walkyLog(_ context.Context, call *control.Call) (any, error) {
	entries := []control.WalkyEntry{}
	for _, e := range n.Walky.Log() {
		if !call.Operator() && !concerns(e, call.Caller.Pane) {
			continue
		}
		entries = append(entries, control.WalkyEntry{
			ID: e.ID, Direction: string(e.Direction), From: e.From.String(), To: target(e.To),
			At: control.Time(e.At), State: string(e.State), Reason: control.Text(e.Reason), Mark: e.Mark.String(), ReplyTo: control.Text(e.ReplyTo),
		})
	}
	return entries, nil
}

// concerns reports whether a message went from or to a pane of this machine.
func concerns(e walky.LogEntry, pane string) bool {
	return pane != "" && (e.From == walky.Address{Pane: pane, Token: e.From.Token} || e.To == walky.Address{Pane: pane, Token: e.To.Token})
}

// cards returns, by pane, the messages that were not read, and what its session
// answered to a person on a phone.
func (n *Node) cards() map[string][]api.Card {
	cards := map[string][]api.Card{}
	for _, item := range n.Walky.Waiting(maxCards) {
		pane := item.To.Pane
		cards[pane] = append(cards[pane], api.Card{Kind: "walky", ID: item.ID, From: item.From.String(), At: item.At.UnixMilli()})
	}
	delete(cards, "") // what is for a person is the card of the pane that it is from
	for _, answer := range n.Walky.Answers(n.now().Add(-answersFor)) {
		if pane := answer.From.Pane; answer.State == walky.Delivered && len(cards[pane]) < maxCards {
			cards[pane] = append(cards[pane], api.Card{Kind: "walky", ID: answer.ID, From: answer.From.String(), At: answer.At.UnixMilli()})
		}
	}
	return cards
}

// tokens returns, by pane, the instance of each agent session.
func (n *Node) tokens(ctx context.Context) (map[string]string, error) {
	peers, err := n.Walky.Peers(ctx, walky.Sender{})
	if err != nil {
		return nil, err
	}
	tokens := map[string]string{}
	for _, peer := range peers {
		tokens[peer.Address.Pane] = peer.Address.Token
	}
	return tokens, nil
}

// Walky lists the messages of a pane, or of the whole machine, for a phone.
func (l *Local) Walky(_ context.Context, pane string) (api.Walky, error) {
	answer := api.Walky{Messages: []api.WalkyMessage{}}
	for _, card := range l.node.Walky.Cards(pane, api.MaxWalkyMessages) {
		body, masked := l.node.maskText(card.Body, "walky")
		label, labelMasked := l.node.maskText(card.FromLabel, "walky")
		answer.Messages = append(answer.Messages, api.WalkyMessage{
			ID: card.ID, Direction: string(card.Direction), From: card.From.String(), FromLabel: label, To: card.To.String(),
			At: card.At.UnixMilli(), State: string(card.State), Reason: card.Reason,
			Trust: card.Trust.String(), Mark: card.Mark.String(), ReplyTo: card.ReplyTo, Body: body, Masked: masked || labelMasked,
		})
	}
	return answer, nil
}

// WalkySend sends a message from a phone: the operator's, for this one request,
// because the front door has seen the token of the phone that the context names.
func (l *Local) WalkySend(ctx context.Context, request api.WalkySend) (api.WalkySent, error) {
	to, err := walky.ParseAddress(request.To)
	if err != nil {
		return api.WalkySent{}, api.ErrWalkyRefused.With(err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, api.ReadBudget)
	defer cancel()
	device := api.Device(ctx)
	if device == "" { // a message that no phone vouches for would be a participant's
		return api.WalkySent{}, api.ErrNotAllowed
	}
	from := walky.Sender{Label: "phone " + device, Device: device, Level: trust.Operator}
	var receipt walky.Receipt
	err = l.node.Admitted(audit.Entry{Action: "walky.send", Device: device, Host: to.Machine, Via: Via(ctx)}, func() (err error) {
		if receipt, err = l.node.Walky.Send(ctx, from, l.node.ownAddress(to), request.Body, request.ReplyTo); err != nil {
			return api.ErrWalkyRefused.With(err.Error())
		}
		return nil
	})
	if err != nil {
		return api.WalkySent{}, err
	}
	return api.WalkySent{ID: receipt.ID, State: string(receipt.State), Reason: receipt.Reason}, nil
}

// walkyError gives a refusal of the station its stable code.
func walkyError(err error) error {
	code := walky.Code(err)
	if code == "" {
		return err
	}
	refused := *api.ErrWalkyRefused
	refused.Code, refused.Message = code, err.Error()
	return &refused
}
