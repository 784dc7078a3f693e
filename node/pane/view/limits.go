package view

import "time"

const (
	// MaxHistory is the most scrollback lines in one answer.
	MaxHistory = 1000

	// frameInterval is the least time between two frames of one watcher.
	frameInterval = time.Second / 60
	// echoSettle is how long after a frame that promised an echo the promise is
	// looked at once more: turning the echo off makes no output.
	echoSettle = 50 * time.Millisecond
	// redrawPatience is how long a program that announced a redraw (private mode
	// 2026) may take until a picture is shown anyway.
	redrawPatience = 100 * time.Millisecond
)
