package caller

import (
	"errors"
	"fmt"
	"io/fs"
)

var errMoved = errors.New("a process on the chain ended or got another parent")

// readChain returns a process and its ancestors, itself first, as they stood
// at one moment. It ends at init, at a process whose parent is outside the PID
// namespace, or below one that this user may not see.
func readChain(processes Processes, pid int, startTime uint64) ([]Process, error) {
	for range maxWalks {
		chain, err := walk(processes, pid, startTime)
		if err == nil {
			err = unmoved(processes, chain)
		}
		if !errors.Is(err, errMoved) {
			return chain, err
		}
	}
	return nil, ErrUnsettled
}

func walk(processes Processes, pid int, startTime uint64) ([]Process, error) {
	p, err := processes.Process(pid)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && (p.Ended || p.StartTime != startTime):
		return nil, ErrEnded
	case err != nil:
		return nil, fmt.Errorf("look up the calling process: %w", err)
	}
	chain := []Process{p}
	for p.Parent != 0 {
		if len(chain) > MaxChain {
			return nil, ErrTooDeep
		}
		p, err = processes.Process(p.Parent)
		if errors.Is(err, fs.ErrNotExist) {
			break // gone, which unmoved finds out, or hidden
		}
		if err != nil {
			return nil, fmt.Errorf("look up an ancestor of the calling process: %w", err)
		}
		chain = append(chain, p)
	}
	return chain, nil
}

// unmoved reads the chain again. A process has the same parent as before only
// if that parent has lived all the while, so each parent that was read is the
// true one and none is a later process with its number.
func unmoved(processes Processes, chain []Process) error {
	for i, p := range chain {
		now, err := processes.Process(p.PID)
		switch {
		case err == nil && p.same(now) && p.Parent == now.Parent && !(i == 0 && now.Ended):
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("look up the calling process again: %w", err)
		case i == 0 && (err != nil || now.Ended || !p.same(now)):
			return ErrEnded
		default:
			return errMoved
		}
	}
	return nil
}
