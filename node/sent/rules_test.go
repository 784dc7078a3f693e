package sent

import (
	"strings"
	"testing"

	"collie/node/mask"
)

func TestLinesThatAreKept(t *testing.T) {
	t.Parallel()
	rules := NewRules(mask.New())
	for _, line := range []string{
		"make test", "git push --force-with-lease origin HEAD:main", "ls -la --color=auto", "cd ~/src && make -j4 | tee log",
		"mysql -pPASS", "dd if=/dev/zero of=disk bs=1M", `git commit -m "fix: a = b"`, "git clone git@github.com:owner/name.git",
		"curl https://example.org:8443/a?b=c", "curl https://ana@example.org/", "grep -rn 'x == y' .", "[ $x = y ] && echo same", "set -euo pipefail",
		"for f in *.go; do gofmt -l $f; done", "echo \"$HOME\"", "pwd", "if true; then make; fi\nmake install", "printf '%s\\n' é日本",
		"awk -F, '{ print $1 }' x.csv", "test a == b", "npm run build --prefix=web", "psql -h localhost -c 'select 1 where x=1'",
		strings.Repeat("é", MaxChars),
	} {
		if !rules.Keeps(line) {
			t.Errorf("not kept: %.80q", line)
		}
	}
}

func TestLinesOfWhichNothingIsLeft(t *testing.T) {
	t.Parallel()
	rules := NewRules(mask.New())
	for name, lines := range map[string][]string{
		"a leading blank": {" make", "\tmake", "\u00a0make", "\u200bmake", "make\n deploy", "\u2003make", "\ufeffmake"},
		"a variable": {
			"X=abc deploy", "x=abc", "X+=abc", "X[1]=abc", "export AWS_ACCESS_KEY=abc", "declare -x X=1", "readonly x=1", "local x=1", "typeset x=1",
			"env x=1 make", "sudo x=1 make", "make; x=1", "make && X=1 make", "make & x=1", "a | x=1 b", "(x=1)", "$(x=1)", "echo `x=1`", "{ x=1; }",
			"if x=1; then y; fi", "! x=1", "time x=1 y", "exec x=1", "make\nx=1", "make CC=gcc", "docker run -e X=1 image", "docker run --env=x=1 image",
			"docker run -e x=1 image", "docker run -ex=1 image", "docker build --build-arg=V=1 .", "cmake -DX=1 .", `env "X=1" make`, `"X=1" make`, `sh -c 'x=1 make'`,
			`bash -c "export x=1"`, `ssh host 'cd /srv && X=1 make'`, `eval "x=1"`, `sh -c "sh -c 'x=1'"`, "set -x NAME value", "set -gx NAME value", "setenv NAME value",
			"read x", "read x <<< abc", "printf -v x abc", "let x=1", ": ${X:=abc}", "echo ${x=abc}", "$env:NAME = 'abc'", "$x=1", "$x = 1", "alias d='x=1 deploy'", `X=" a`,
			"set NAME=value", `X\=1 X=1`, "kubectl set env deploy/x FOO=bar",
		},
		"a password in an address": {
			"git clone https://user:pass@host/x", "curl http://:pass@host", "psql postgres://u:p@h/db", "curl //user:pass@host", "curl https://user:pa/ss@host", `curl https://us"er:pa"ss@host`,
		},
		"a word": {
			"cat my-password.txt", "echo SECRET", "vault read tokens", "curl -H 'Authorization: x'", "curl -H 'X: Bearer x'", "passwd", "ssh-keygen -N passphrase",
			"echo pass''word", `echo sec\ret`, "echo to\u200bken", "aws configure set aws_api_key x", "x --api-key y", "echo credentials",
		},
		"what the mask knows":         {"echo ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "echo ghp_" + "a1B2c3D4e5''F6g7H8i9J0k1L2m3N4o5P6q7R8"},
		"more than 4096 characters":   {strings.Repeat("x", MaxChars+1), strings.Repeat("é", MaxChars+1)},
		"nothing":                     {""},
		"control characters":          {"ls\x1b[A", "ls\r", "a\x00b"},
		"bytes that are no character": {"ls \xff"},
	} {
		for _, line := range lines {
			if rules.Keeps(line) {
				t.Errorf("%s: %.80q is kept", name, line)
			}
		}
	}
	if (Rules{}).Keeps("make") {
		t.Error("rules without a mask keep a line")
	}
}

func FuzzKeeps(f *testing.F) {
	for _, seed := range []string{"make test", "X=1 make", `sh -c "a 'b' \" c"`, "a $(b `c`) {d;}", "curl https://u:p@h", "'", `"\`, "printf -v x y", "\xff"} {
		f.Add(seed)
	}
	rules := NewRules(mask.New())
	f.Fuzz(func(t *testing.T, text string) {
		if !rules.Keeps(text) {
			return
		}
		for _, worse := range []string{" " + text, "X=1 " + text, text + " ; X=1", text + " token"} {
			// A quote that is open, or a backslash at the end, may take in what is added behind.
			if rules.Keeps(worse) && !strings.ContainsAny(text, `'"\`) {
				t.Errorf("%q is kept, and so is %q", text, worse)
			}
		}
	})
}

func BenchmarkKeeps(b *testing.B) {
	rules := NewRules(mask.New())
	for name, line := range map[string]string{"short": "git push origin main", "longest": strings.Repeat("echo 'a b' | ", 315)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				rules.Keeps(line)
			}
		})
	}
}
