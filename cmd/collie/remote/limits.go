package remote

import "time"

const (
	// connectTimeout is until the other end's shell answers: a person may have
	// to confirm a host key, type a passphrase or touch a key meanwhile.
	connectTimeout = 2 * time.Minute
	// answerTimeout is until one order was carried out.
	answerTimeout = 30 * time.Second
	// joinTimeout is until a join was carried out; the node there waits for
	// the lead itself.
	joinTimeout = time.Minute
	// stallTimeout is how long a copy may stand still.
	stallTimeout = 30 * time.Second
	// startTimeout is until a node that was started answers.
	startTimeout = 30 * time.Second
	// reachTimeout is until the lead reaches the new member.
	reachTimeout = 30 * time.Second
	// pollPause is between two looks at something that is awaited.
	pollPause = 200 * time.Millisecond
	// endTimeout is until ssh ends once its work is done.
	endTimeout = 3 * time.Second

	// maxOutput bounds what one order may write, noise before it included.
	maxOutput = 256 << 10
	// maxLine bounds one line of it.
	maxLine = 64 << 10
	// maxErrorOutput is how much of ssh's own words is kept, from the end.
	maxErrorOutput = 4 << 10
	// maxSaid bounds a sentence of the other machine that is shown.
	maxSaid = 300
	// copyPiece is how much of the program is sent at once.
	copyPiece = 64 << 10
)
