package cli

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"collie/node/api"
	"collie/node/caller"
	"collie/node/control"
)

// A right says who may run a command.
type right int

const (
	// anyone: an agent too. Where such a command speaks to the node, that shows and
	// does for an agent what is the agent's.
	anyone right = iota + 1
	// operator: the node refuses everybody else.
	operator
	// operatorHere: the operator alone, and the command does without the node, which
	// is asked before anything is done.
	operatorHere
)

// rights are those of all commands. A command that is not listed is refused.
var rights = map[string]right{
	"up": anyone, "demo": anyone, // a node of its own: one that runs keeps its state folder
	"status": anyone, "doctor": anyone, "config": anyone, "version": anyone, "mask": anyone, "completion": anyone, "help": anyone,
	"pair": operator, "devices list": operator, "devices revoke": operator, "devices set-expiry": operator, "devices clear-expiry": operator,
	"pane list": anyone, "pane show": anyone,
	"pane new": operator, "pane send": operator, "pane keys": operator, "pane attach": operator, "pane rename": operator, "pane close": operator,
	"crew status": anyone, "crew add": operatorHere,
	"crew invite": operator, "crew join": operator, "crew leave": operator, "crew rotate": operator, "crew rename": operator, "crew remove": operator,
	"crew set-address": operator, "crew deputy": operator, "crew approve-promote": operator, "promote": operator, "reconnect": operator,
	"walky who": anyone, "walky send": anyone, "walky reply": anyone, "walky inbox": anyone, "walky cancel": anyone, "walky log": anyone,
	"wake": anyone, "wake list": anyone, "wake cancel": anyone,
	"channel add webhook": operator, "channel list": operator, "channel remove": operator,
	"schedule add": operator, "schedule list": operator, "schedule remove": operator,
	"sent list": operator, "sent forget": operator, "sent clear": operator,
	"audit tail": operator, "audit verify": operator,
	"backup": operatorHere, "restore": operatorHere,
	"hooks status": anyone, "hooks install": operatorHere, "hooks uninstall": operatorHere,
	"skill status": anyone, "skill install": operatorHere, "skill uninstall": operatorHere,
	"_hook": anyone, "_hold": anyone, // what a harness starts, and the holder of a pane
	"__complete": anyone, "__completeNoDesc": anyone, // what a shell asks for the rest of a word
}

// nameOf is a command without the program's name.
func nameOf(command *cobra.Command) string {
	_, name, _ := strings.Cut(command.CommandPath(), " ")
	return name
}

// admit is the one place that decides whether a command that does without the node
// may run. The node that runs is asked; where none does, whatever is in a pane is
// refused, because nobody is there who could tell the operator from an agent.
func (a *app) admit(command *cobra.Command, args []string) error {
	name := nameOf(command)
	switch {
	case command.HasSubCommands() && !command.HasParent(), rights[name] == anyone, rights[name] == operator:
		return nil
	case rights[name] != operatorHere && command.HasSubCommands():
		return nil // it only says that it needs a command
	case rights[name] != operatorHere:
		return api.ErrNotAllowed.With("nobody has said who may run " + name)
	}
	asked, err := a.askNodes(command.Context(), control.Local{Command: name, Arguments: argumentsOf(command, args)})
	if err != nil || asked {
		return err
	}
	inside, err := caller.SelfInPane()
	if err == nil && inside {
		err = api.ErrNotAllowed.With("this process is in a pane, and no node runs that could tell you from an agent")
	}
	return err
}

// argumentsOf are the arguments of a command, and the names of its flags.
func argumentsOf(command *cobra.Command, args []string) string {
	words := append([]string{}, args...)
	command.Flags().Visit(func(f *pflag.Flag) { words = append(words, "--"+f.Name) })
	return strings.Join(words, " ")
}

// askNodes asks the node of the settings and, in a pane, the pane's own: whoever
// names another one there is no further from it. asked says that one answered.
func (a *app) askNodes(ctx context.Context, local control.Local) (asked bool, err error) {
	node, err := a.node()
	if err != nil {
		return false, err
	}
	nodes := []*control.Client{node}
	if socket := os.Getenv("COLLIE_SOCKET"); socket != "" && namesNode() {
		nodes = append(nodes, control.Dial(filepath.Dir(socket)))
	}
	for _, node := range nodes {
		var ok control.OK
		switch err := node.Call(ctx, http.MethodPost, "/local", local, &ok); {
		case errors.Is(err, control.ErrNoNode), errors.Is(err, api.ErrNotFound): // or one of an earlier build
		case err != nil:
			return true, err
		default:
			asked = true
		}
	}
	return asked, nil
}
