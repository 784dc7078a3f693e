package caller

import "os"

// SelfInPane reports whether this process is in a pane, of whichever node.
func SelfInPane() (bool, error) {
	self, err := Proc{}.Process(os.Getpid())
	if err != nil {
		return false, err
	}
	chain, err := readChain(Proc{}, self.PID, self.StartTime)
	if err != nil {
		return false, err
	}
	return held(chain), nil
}

// held reports whether a holder is on a chain.
func held(chain []Process) bool {
	for _, p := range chain {
		if p.holder() {
			return true
		}
	}
	return false
}
