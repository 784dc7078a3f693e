//go:build !race

package pane_test

// floodBytes is what a flooding program writes in a test.
const floodBytes = 100_000_000
