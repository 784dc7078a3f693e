package lead

import (
	"context"
	"errors"
	"net/http"

	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/audit"
	"collie/node/link"
	"collie/node/walky"
)

// Routes are what members may call on their lead. Who calls is read from the
// link, never from the body.
func (l *Lead) Routes(crew Crew) []link.Route {
	r := &router{lead: l, crew: crew}
	return []link.Route{
		fromMember(r, "/walky/send", r.take),
		fromMember(r, "/walky/who", r.who),
		fromMember(r, "/walky/recall", r.recall),
		fromMember(r, "/leave", r.left),
	}
}

// fromMember is a route that one member calls.
func fromMember[In, Out any](r *router, path string, do func(context.Context, trust.Member, In) (Out, error)) link.Route {
	return link.Route{
		Method: http.MethodPost, Path: path, Grades: []trust.Grade{trust.GradeMember},
		Handle: link.Exchange(r.lead.log, func(ctx context.Context, in In) (out Out, err error) {
			from, err := r.caller(ctx)
			if err != nil {
				return out, err
			}
			return do(ctx, from, in)
		}),
	}
}

// who lists the sessions that a member may write to on other machines.
func (r *router) who(ctx context.Context, from trust.Member, _ struct{}) (api.WalkyPeers, error) {
	own, err := r.lead.node.Walky.Peers(ctx, walky.Sender{})
	if err != nil {
		return api.WalkyPeers{}, err
	}
	return api.WalkyPeers{Peers: append(own, r.lead.herd.peers(from.ID)...)}, nil
}

// left takes a member out that says that it goes.
func (r *router) left(_ context.Context, from trust.Member, _ struct{}) (api.Done, error) {
	err := r.lead.node.Admitted(audit.Entry{Action: "crew.leave", Host: from.ID, Via: "crew"}, func() error {
		err := r.crew.Store.Update(func(old *trust.Crew) (*trust.Crew, error) {
			return trust.RemoveMember(old, from.ID, r.crew.Identity, r.lead.now())
		})
		if errors.As(err, new(*trust.UnsavedError)) {
			r.lead.log.Error("a member left, which is not stored yet", "member", from.ID, "error", err)
			err = nil // it has left; what is owed is between this lead and its disk
		}
		return err
	})
	return api.Done{OK: err == nil}, err
}
