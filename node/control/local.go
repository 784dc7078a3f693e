package control

// LocalCommands are the commands that change something of this machine without the
// running node. It is asked all the same: it knows the operator from an agent, and
// writes down what is done.
var LocalCommands = []string{
	"backup", "restore", "crew add", "hooks install", "hooks uninstall", "skill install", "skill uninstall",
}

// A Local is what one of them is about to do.
type Local struct {
	Command string `json:"command"`
	// Arguments are its arguments and the names of its flags, never what a flag says.
	Arguments string `json:"arguments"`
}
