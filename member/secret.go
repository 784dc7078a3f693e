package member

import (
	"errors"

	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/audit"
	"collie/node/link"
)

// takeSecret replaces the crew secret by the one that the lead tells. A disk or
// an audit log that refuses does not stop it: the secret before is no good any
// more, and without the new one this machine would be out of its crew.
func (m *Member) takeSecret(crew Crew, told link.NewSecret) (api.Done, error) {
	err := m.node.Reported(audit.Entry{Action: "crew.secret", Via: "crew"}, func() error {
		err := crew.Store.Update(func(old *trust.Crew) (*trust.Crew, error) {
			return trust.TakeSecret(old, told.Secret, told.SecretGeneration)
		})
		switch {
		case errors.As(err, new(*trust.UnsavedError)):
			m.log.Error("the new crew secret counts, but is not stored yet", "error", err)
			return nil
		case errors.Is(err, trust.ErrOldSecret), errors.Is(err, trust.ErrInvalid):
			return api.ErrBadRequest.With(err.Error())
		}
		return err
	})
	return api.Done{OK: err == nil}, err
}
