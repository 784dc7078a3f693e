package house_test

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// admitters are the files that say in the audit log that a write is accepted. Each
// also says when it then did not end as asked; everybody else calls one of them
// (node.Admitted, node.Reported, standby's audited), and cannot forget it.
var admitters = []string{
	"cmd/collie/cli/backup.go", "node/attachlog.go", "node/auditlog.go", "node/terminal.go", "standby/standby.go", "standby/takeover.go",
}

var accepts = regexp.MustCompile(`Outcome(:| =)\s+"accepted"`)

func TestAWriteIsAcceptedOnlyWhereItsFailureIsWrittenDownToo(t *testing.T) {
	goFiles(t, func(path string, text []byte, _ *ast.File) {
		if strings.HasSuffix(path, "_test.go") || slices.Contains(admitters, path) {
			return
		}
		if accepts.Match(text) {
			t.Errorf("%s says by itself that a write is accepted", path)
		}
	})
}
