//go:build race

package pane_test

// floodBytes is what a flooding program writes in a test; the emulator is some
// ten times slower under the race detector.
const floodBytes = 10_000_000
