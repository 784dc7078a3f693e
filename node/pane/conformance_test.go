package pane_test

import (
	"testing"

	"collie/node/pane"
	"collie/node/pane/conformance"
)

func TestBuiltinConforms(t *testing.T) {
	t.Parallel()
	conformance.Run(t, func(t testing.TB) conformance.Open {
		folder := newFolder(t)
		return func(t testing.TB) pane.Multiplexer { return openIn(t, folder) }
	})
}
