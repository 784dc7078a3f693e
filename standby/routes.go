package standby

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/link"
)

// A route is one row of the table: what a peer of a grade may call.
type route struct {
	path   string
	grades []trust.Grade
	link   func(*Standby) link.Route
	serve  func(ctx context.Context, s *Standby, from mesh.Peer, in json.RawMessage) (any, error)
}

// routesOf returns the table of a role.
func routesOf(role trust.Role) []route {
	switch role {
	case trust.RoleLead:
		return []route{newRoute(RouteHandover, trust.GradeMember, (*Standby).claimed)}
	case trust.RoleMember:
		return []route{
			newRoute(RouteWarrant, trust.GradeLead, (*Standby).warranted),
			newRoute(RouteBundle, trust.GradeLead, (*Standby).bundled),
			newRoute(RouteHandover, trust.GradeLead, (*Standby).handed),
			// A deputy that was ended is a witness to the one now, which may not know of it.
			newRoute(RouteTakeover, trust.GradeDeputy, (*Standby).askedByDeputy).also(trust.GradeWitness),
		}
	}
	return nil
}

// also lets another grade call a route.
func (r route) also(grade trust.Grade) route {
	r.grades = append(r.grades, grade)
	return r
}

func newRoute[In, Out any](path string, grade trust.Grade, do func(*Standby, context.Context, mesh.Peer, In) (Out, error)) route {
	return route{
		path: path, grades: []trust.Grade{grade},
		link: func(s *Standby) link.Route {
			return link.Route{Method: http.MethodPost, Path: path, Handle: link.Exchange(s.Log, func(ctx context.Context, in In) (out Out, err error) {
				from, known := mesh.PeerFrom(ctx)
				if !known {
					return out, api.ErrInternal
				}
				return do(s, ctx, from, in)
			})}
		},
		serve: func(ctx context.Context, s *Standby, from mesh.Peer, data json.RawMessage) (any, error) {
			var in In
			if err := api.ParseStrict(data, &in); err != nil {
				return nil, err
			}
			return do(s, ctx, from, in)
		},
	}
}

// Routes are what peers may call on a node in a role, besides the routes of lead
// or member.
func (s *Standby) Routes(role trust.Role) []link.Route {
	var rows []link.Route
	for _, r := range routesOf(role) {
		row := r.link(s)
		row.Grades = r.grades
		rows = append(rows, row)
	}
	return rows
}

// Serve answers one call of a peer as the link would, for a network that a test
// stands in for: the caller is graded by the live store, and what its grade may
// not call gets the error of the bare 401, which is false for known.
func (s *Standby) Serve(ctx context.Context, caller identity.Fingerprint, path string, in json.RawMessage) (out json.RawMessage, known bool, err error) {
	crew := s.Store.Crew()
	id, grade := crew.Pin(caller)
	if crew == nil || grade == trust.GradeNone {
		return nil, false, nil
	}
	for _, r := range routesOf(crew.Role) {
		if r.path != path || !slices.Contains(r.grades, grade) {
			continue
		}
		answer, err := r.serve(ctx, s, mesh.Peer{Fingerprint: caller, Grade: grade, MemberID: id}, in)
		if err != nil {
			return nil, true, api.AsError(err)
		}
		out, err = json.Marshal(answer)
		return out, true, err
	}
	return nil, false, nil
}
