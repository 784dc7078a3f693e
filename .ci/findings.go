// Command findings reads what govulncheck -format=json prints and says what of
// it this program can reach. It fails for a module that go.mod could upgrade;
// the standard library is that of the Go on this machine, so a finding there is
// told and fails nothing.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// standardLibrary is how govulncheck names the module of the standard library.
const standardLibrary = "stdlib"

// A finding is one known vulnerability, with the way from this program to it.
type finding struct {
	OSV          string `json:"osv"`
	FixedVersion string `json:"fixed_version"`
	Trace        []struct {
		Module   string `json:"module"`
		Version  string `json:"version"`
		Package  string `json:"package"`
		Function string `json:"function"`
	} `json:"trace"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "findings:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var library, modules []string
	scanned := false
	for decoder := json.NewDecoder(in); ; {
		var message struct {
			Config  *struct{} `json:"config"`
			Finding *finding  `json:"finding"`
		}
		err := decoder.Decode(&message)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read govulncheck's answer: %w", err)
		}
		scanned = scanned || message.Config != nil
		f := message.Finding
		if f == nil || len(f.Trace) == 0 || f.Trace[0].Function == "" {
			continue // required or imported, and never called
		}
		at := f.Trace[0]
		line := fmt.Sprintf("%s in %s %s (%s), fixed in %s", f.OSV, at.Module, at.Version, at.Package, orNone(f.FixedVersion))
		if at.Module == standardLibrary {
			library = append(library, line)
		} else {
			modules = append(modules, line)
		}
	}
	if !scanned {
		return errors.New("govulncheck said nothing")
	}
	library, modules = sorted(library), sorted(modules)
	for _, line := range library {
		fmt.Fprintln(out, "told only, since it comes with this machine's Go:", line)
	}
	for _, line := range modules {
		fmt.Fprintln(out, "to be upgraded:", line)
	}
	fmt.Fprintf(out, "reachable: %d in the standard library, %d in modules\n", len(library), len(modules))
	if len(modules) > 0 {
		return errors.New("a module has a reachable vulnerability")
	}
	return nil
}

func sorted(lines []string) []string {
	slices.Sort(lines)
	return slices.Compact(lines)
}

func orNone(version string) string {
	if version == "" {
		return "no version yet"
	}
	return version
}
