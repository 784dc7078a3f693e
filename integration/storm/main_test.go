// Package storm_test sends a hundred thousand messages through one lead while
// machines are killed.
package storm_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
