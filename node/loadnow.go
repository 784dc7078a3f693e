package node

import (
	"context"

	"collie/node/api"
	"collie/node/load"
)

// Load reads what this machine is busy with.
func (l *Local) Load(context.Context) (load.Reading, error) {
	reading, err := load.Read()
	if err != nil {
		l.node.log.Debug("the load of this machine cannot be read", "error", err)
		return load.Reading{}, api.ErrLoadUnavailable.With(err.Error())
	}
	return reading, nil
}
