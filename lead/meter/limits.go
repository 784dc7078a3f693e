package meter

import "time"

// Bounds of what is remembered.
const (
	// Step is the time between two points, and Points how many are kept: a day.
	Step   = time.Minute
	Points = 24 * 60

	// MaxMachines bounds the machines that are remembered.
	MaxMachines = 1000
	// maxID bounds a machine's id in the file, and maxFile the file: 28 bytes a point.
	maxID   = 255
	maxFile = 64 + MaxMachines*(3+maxID+28*Points)
	// MaxRules bounds the rules of alerts.toml.
	MaxRules = 50

	minDuration = time.Minute
	maxDuration = 24 * time.Hour
)
