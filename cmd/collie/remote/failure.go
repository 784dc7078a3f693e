package remote

import (
	"errors"
	"strings"

	"collie/node/trust"
)

// Why a machine could not be added.
var (
	// ErrTarget: the target is none that may be given to ssh.
	ErrTarget = errors.New("that is no ssh target")
	// ErrNotLead: the node of this machine cannot add any.
	ErrNotLead = errors.New("only a lead adds machines")
	// ErrNoSSH: this machine has no ssh client.
	ErrNoSSH = errors.New("the ssh program cannot be run")
	// ErrUnreachable: ssh did not get through, or the connection broke.
	ErrUnreachable = errors.New("ssh ended")
	// ErrSilent: no answer came in time.
	ErrSilent = errors.New("no answer came in time")
	// ErrTooMuch: more was written than any answer has.
	ErrTooMuch = errors.New("its output does not end")
	// ErrAnswer: what was answered makes no sense.
	ErrAnswer = errors.New("its answer cannot be read")
	// ErrForeign: this program does not run on that kind of machine.
	ErrForeign = errors.New("this program does not run there")
	// ErrVersion: that machine has another version, which was to stay.
	ErrVersion = errors.New("another version is installed there")
	// ErrCopy: the program could not be copied.
	ErrCopy = errors.New("the program was not copied")
	// ErrStart: the node there did not start.
	ErrStart = errors.New("its node did not start")
	// ErrItself: the target is the node that adds.
	ErrItself = errors.New("that is this node itself")
	// ErrOtherCrew: that machine is in a crew already.
	ErrOtherCrew = errors.New("it is in another crew")
	// ErrRemoved: it counts itself to this crew, and the lead does not.
	ErrRemoved = errors.New("it still takes itself for a member")
	// ErrRefused: a command on that machine failed.
	ErrRefused = errors.New("it refused")
	// ErrNotReached: it is a member now, and the lead does not reach it.
	ErrNotReached = errors.New("it is a member, but the lead does not reach it")
)

// A Failure is why the work ended: Reason is one of the errors above, What says
// more in clean text of one line, Next what to do about it. Exit is the exit
// code of a command on the other machine that failed, else 0.
type Failure struct {
	Target string
	Reason error
	What   string
	Next   string
	Exit   int
}

func (f *Failure) Error() string {
	text := f.Reason.Error()
	if f.Target != "" {
		text = f.Target + ": " + text
	}
	if f.What != "" {
		text += ": " + f.What
	}
	return text
}

func (f *Failure) Unwrap() error { return f.Reason }

// said finds in the output of a collie what it says went wrong, and its hint.
// Of any other output it is the last line that says something.
func said(output string) (what, hint string) {
	for line := range strings.Lines(output) {
		line = trust.Clean(strings.TrimRight(line, "\r\n"), maxSaid)
		switch text, ours := strings.CutPrefix(line, "collie: "); {
		case ours:
			what, hint = text, ""
		case strings.HasPrefix(line, "hint: "):
			hint = strings.TrimPrefix(line, "hint: ")
		}
	}
	if what == "" {
		what = lastLine(output)
	}
	return what, hint
}

func lastLine(output string) (last string) {
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(trust.Clean(line, maxSaid)); line != "" {
			last = line
		}
	}
	return last
}
