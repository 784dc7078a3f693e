package node

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/control"
	"collie/node/pane"
	"collie/node/schedule"
	"collie/node/walky"
	"collie/node/webhook"
)

// post takes what came through a door of this machine, once it is in the audit
// log.
func (n *Node) post(ctx context.Context, p walky.Post) (receipt walky.Receipt, err error) {
	posted := error(nil)
	entry := audit.Entry{Action: "walky.post", Pane: p.To.Pane, Via: p.Door.String(), What: audit.ID(p.ID)}
	err = n.Admitted(entry, func() error {
		receipt, posted = n.Walky.Post(ctx, p)
		return walkyError(posted)
	})
	if posted != nil { // the doors know the station's own words
		err = posted
	}
	return receipt, err
}

func (n *Node) channelRoutes() []control.Route {
	return []control.Route{
		{Method: http.MethodGet, Path: "/channels", Handle: n.channelList},
		{Method: http.MethodPost, Path: "/channels", Handle: n.channelAdd},
		{Method: http.MethodPost, Path: "/channels/:name/remove", Handle: n.channelRemove},
	}
}

func (n *Node) channelList(context.Context, *control.Call) (any, error) {
	all, err := n.Hooks.List()
	if err != nil {
		return nil, doorError(err)
	}
	channels := []control.Channel{}
	for _, c := range all {
		channels = append(channels, control.Channel{
			Name: c.Name, Kind: "webhook", Format: string(c.Format), To: c.Target(), SecretBytes: len(c.Secret), CreatedAt: control.Time(c.CreatedAt),
			DoorOutcome: n.lastThrough(walky.Door{Kind: walky.Webhook, Name: c.Name}, c.CreatedAt),
		})
	}
	return channels, nil
}

func (n *Node) channelAdd(ctx context.Context, call *control.Call) (any, error) {
	var request control.ChannelAdd
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	id, token, _ := strings.Cut(request.To, "#")
	if !n.hasPane(id) {
		return nil, doorError(fmt.Errorf("%w: %q", webhook.ErrTarget, id))
	}
	if err := n.admits(ctx, walky.Address{Pane: id, Token: token}); err != nil {
		return nil, err
	}
	secret, shown, err := n.Hooks.ParseSecret(webhook.Format(request.Format), request.Secret)
	if err != nil {
		return nil, doorError(err)
	}
	var c webhook.Channel
	err = n.Admitted(audit.Entry{Action: "channel.add", Via: "cli", What: audit.ID(request.Name)}, func() (err error) {
		c, err = n.Hooks.Add(request.Name, webhook.Format(request.Format), request.To, secret)
		return doorError(err)
	})
	if err != nil {
		return nil, err
	}
	if request.Secret != "" {
		shown = "" // whoever gave it has it
	}
	return control.ChannelAdded{Name: c.Name, Path: "/hook/" + c.Name, Secret: control.Text(shown)}, nil
}

func (n *Node) channelRemove(_ context.Context, call *control.Call) (any, error) {
	name := call.Param("name")
	err := n.Admitted(audit.Entry{Action: "channel.remove", Via: "cli", What: audit.ID(name)}, func() error {
		return doorError(n.Hooks.Remove(name))
	})
	return control.OK{OK: err == nil}, err
}

func (n *Node) agendaRoutes() []control.Route {
	return []control.Route{
		{Method: http.MethodGet, Path: "/schedules", Handle: n.scheduleList},
		{Method: http.MethodPost, Path: "/schedules", Handle: n.scheduleAdd},
		{Method: http.MethodPost, Path: "/schedules/:name/remove", Handle: n.scheduleRemove},
		{Method: http.MethodGet, Path: "/wakes", Anyone: true, Handle: n.wakeList},
		{Method: http.MethodPost, Path: "/wakes", Anyone: true, Handle: n.wakeBook},
		{Method: http.MethodPost, Path: "/wakes/:id/cancel", Anyone: true, Handle: n.wakeCancel},
	}
}

func (n *Node) scheduleList(context.Context, *control.Call) (any, error) {
	all, err := n.Agenda.List(schedule.Schedule)
	if err != nil {
		return nil, doorError(err)
	}
	now, schedules := n.now(), []control.Schedule{}
	for _, e := range all {
		schedules = append(schedules, control.Schedule{
			Name: e.Name, Cron: e.Cron, To: target(e.To), Text: e.Text, NextAt: control.Time(e.Next(now)), CreatedAt: control.Time(e.Booked),
			DoorOutcome: n.lastThrough(walky.Door{Kind: walky.Schedule, Name: e.Name}, e.Booked),
		})
	}
	return schedules, nil
}

// hasPane says whether a pane is there now: no other one will ever have its id,
// so whoever names another has mistyped it.
func (n *Node) hasPane(id string) bool {
	return slices.ContainsFunc(n.Panes.List(), func(info pane.Info) bool { return string(info.ID) == id })
}

// admits refuses a target that could be told nothing now, with the code of a message
// to it: whoever opens a door is there to mend that, and later nobody is.
func (n *Node) admits(ctx context.Context, to walky.Address) error {
	reason, err := n.Walky.Admits(ctx, to)
	if err != nil || reason == "" {
		return err
	}
	sentence := map[string]string{
		walky.ReasonOff:       "walky is off on this machine (COLLIE_WALKY=off), so nothing would be said",
		walky.ReasonNoSession: "no agent runs in " + to.Pane + ", so nothing would be said there",
		walky.ReasonGone:      target(to) + " is no session that is there now, so nothing would be said to it",
	}[reason]
	return api.Refusal(http.StatusConflict, (&walky.RefusedError{Reason: reason}).Code(), sentence)
}

// lastThrough is what became of the newest message of a door, since it was opened.
func (n *Node) lastThrough(door walky.Door, since time.Time) control.DoorOutcome {
	last, ok := n.Walky.Last(door, since)
	if !ok {
		return control.DoorOutcome{}
	}
	return control.DoorOutcome{LastAt: control.Time(last.At), LastState: control.Text(last.State), LastReason: control.Text(last.Reason)}
}

// target writes the address of a schedule, which may be for any session in a
// pane.
func target(to walky.Address) string { return strings.TrimSuffix(to.String(), "#") }

func (n *Node) scheduleAdd(ctx context.Context, call *control.Call) (any, error) {
	var request control.ScheduleAdd
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	id, token, _ := strings.Cut(request.To, "#")
	if !n.hasPane(id) {
		return nil, doorError(fmt.Errorf("%w: %q", schedule.ErrTarget, id))
	}
	if err := n.admits(ctx, walky.Address{Pane: id, Token: token}); err != nil {
		return nil, err
	}
	var e schedule.Entry
	err := n.Admitted(audit.Entry{Action: "schedule.add", Pane: id, Via: "cli", What: audit.Text(request.Name + ": " + request.Text)}, func() (err error) {
		e, err = n.Agenda.Add(request.Name, request.Cron, walky.Address{Pane: id, Token: token}, request.Text)
		return doorError(err)
	})
	if err != nil {
		return nil, err
	}
	return control.Booked{Name: e.Name, NextAt: control.Time(e.Next(n.now()))}, nil
}

func (n *Node) scheduleRemove(_ context.Context, call *control.Call) (any, error) {
	name := call.Param("name")
	err := n.Admitted(audit.Entry{Action: "schedule.remove", Via: "cli", What: audit.ID(name)}, func() error {
		return doorError(n.Agenda.Remove(name))
	})
	return control.OK{OK: err == nil}, err
}

func (n *Node) wakeList(ctx context.Context, call *control.Call) (any, error) {
	own, err := n.ownSession(ctx, call)
	if err != nil {
		return nil, err
	}
	all, err := n.Agenda.List(schedule.Wake)
	if err != nil {
		return nil, doorError(err)
	}
	wakes := []control.Wake{}
	for _, e := range all {
		if own == (walky.Address{}) || e.To == own {
			wakes = append(wakes, control.Wake{ID: e.Name, To: e.To.String(), At: control.Time(e.At), Text: e.Text})
		}
	}
	return wakes, nil
}

// errNoSession refuses a wake of whoever is no session.
var errNoSession = api.Refusal(http.StatusForbidden, "wake_no_session", "only an agent session books a wake, and for itself")

func (n *Node) wakeBook(ctx context.Context, call *control.Call) (any, error) {
	var request control.WakeBook
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	own, err := n.sessionOf(ctx, call.Caller.Pane)
	if err != nil {
		return nil, err
	}
	if err := n.admits(ctx, own); err != nil {
		return nil, err
	}
	var e schedule.Entry
	entry := audit.Entry{Action: "wake.book", Pane: own.Pane, Via: "cli", What: audit.Text(request.Text)}
	err = n.admittedCall(call, entry, func() error {
		at := time.Time(request.At)
		if at.IsZero() {
			at = n.now().Add(time.Duration(request.AfterMs) * time.Millisecond)
		}
		ended, err := n.Walky.Ended(ctx)
		if err != nil {
			return err
		}
		e, err = n.Agenda.Book(own, at, request.Text, ended)
		return doorError(err)
	})
	if err != nil {
		return nil, err
	}
	return control.Booked{Name: e.Name, NextAt: control.Time(e.At)}, nil
}

func (n *Node) wakeCancel(ctx context.Context, call *control.Call) (any, error) {
	own, err := n.ownSession(ctx, call)
	if err != nil {
		return nil, err
	}
	id := call.Param("id")
	entry := audit.Entry{Action: "wake.cancel", Pane: own.Pane, Via: "cli", What: audit.ID(id)}
	err = n.admittedCall(call, entry, func() error { return doorError(n.Agenda.Cancel(own, id)) })
	return control.OK{OK: err == nil}, err
}

// ownSession is whose wakes a caller may see: an agent its own, the operator, as
// the zero address, all.
func (n *Node) ownSession(ctx context.Context, call *control.Call) (walky.Address, error) {
	if call.Operator() {
		return walky.Address{}, nil
	}
	return n.sessionOf(ctx, call.Caller.Pane)
}

// sessionOf is the agent session in a pane now.
func (n *Node) sessionOf(ctx context.Context, pane string) (walky.Address, error) {
	if pane == "" {
		return walky.Address{}, errNoSession
	}
	tokens, err := n.tokens(ctx)
	if err != nil {
		return walky.Address{}, err
	}
	token, ok := tokens[pane]
	if !ok {
		return walky.Address{}, errNoSession
	}
	return walky.Address{Pane: pane, Token: token}, nil
}

// doorError gives the refusals of channels and schedules their stable codes.
func doorError(err error) error {
	for _, known := range []struct {
		is     error
		status int
		code   string
	}{
		{webhook.ErrUnavailable, http.StatusServiceUnavailable, "channels_unavailable"},
		{schedule.ErrUnavailable, http.StatusServiceUnavailable, "schedules_unavailable"},
		{webhook.ErrUnknown, http.StatusNotFound, "channel_not_found"},
		{webhook.ErrExists, http.StatusConflict, "channel_exists"},
		{webhook.ErrTooMany, http.StatusConflict, "too_many_channels"},
		{webhook.ErrName, http.StatusBadRequest, "bad_channel"},
		{webhook.ErrFormat, http.StatusBadRequest, "bad_channel"},
		{webhook.ErrSecret, http.StatusBadRequest, "bad_channel"},
		{webhook.ErrTarget, http.StatusBadRequest, "bad_channel"},
		{schedule.ErrUnknown, http.StatusNotFound, "schedule_not_found"},
		{schedule.ErrExists, http.StatusConflict, "schedule_exists"},
		{schedule.ErrTooMany, http.StatusConflict, "too_many_schedules"},
		{schedule.ErrName, http.StatusBadRequest, "bad_schedule"},
		{schedule.ErrCron, http.StatusBadRequest, "bad_schedule"},
		{schedule.ErrText, http.StatusBadRequest, "bad_schedule"},
		{schedule.ErrTime, http.StatusBadRequest, "bad_schedule"},
		{schedule.ErrTarget, http.StatusBadRequest, "bad_schedule"},
	} {
		if errors.Is(err, known.is) {
			return api.Refusal(known.status, known.code, err.Error())
		}
	}
	return err
}
