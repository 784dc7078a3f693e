package caller

// InPane reports whether a process is in a pane, of whichever node: below a
// holder, or one itself. It is for who serves no callers of its own and so can
// place nobody; a holder that was killed tells nothing any more.
func (c Credentials) InPane() (bool, error) {
	chain, err := readChain(Proc{}, c.PID, c.StartTime)
	if err != nil {
		return false, err
	}
	if held(chain) {
		return true, nil
	}
	return false, c.alive()
}
