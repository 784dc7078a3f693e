package integration_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"collie/integration/harness"
	"collie/node/control"
)

// A shown program is one that a person uses from the phone.
type shownProgram struct {
	name       string
	needs      string // the program itself
	cols, rows int
	command    string // for sh
	files      map[string]string
	steps      []programStep
	least      []int // for each step of a recording, the bytes of output before there is anything to compare
}

// A programStep waits until the page shows something, and then types.
type programStep struct{ until, keys string }

const enter, escape = "\r", "\u001b"

var shownPrograms = []shownProgram{
	{name: "vim", needs: "vim", cols: 80, rows: 24, command: "vim -u NONE -c 'set nocp nu ruler laststatus=2 hlsearch' -c 'syntax on' main.go", steps: []programStep{
		{"package main", ":vsplit README.md" + enter},
		{"README.md  ", "ggOnew 端末 😀 é" + escape},
		{"new 端末", "/small" + enter},
		{"/small", ":q!" + enter},
	}},
	{name: "htop", needs: "htop", cols: 100, rows: 30, command: "htop -d 20", steps: []programStep{{"F10Quit", "t"}, {"F5List", "I"}, {"F5List", ""}}},
	{name: "less", needs: "less", cols: 80, rows: 24, command: "less -R long.txt", steps: []programStep{{"001", " "}, {"031", "/wide 端末" + enter}, {"wide 端末", "-S" + enter}, {">", ""}}},
	{name: "tmux", needs: "tmux", cols: 100, rows: 30, command: "env SHELL=/bin/sh PS1='$ ' tmux -S inner -f tmux.conf new-session sh", steps: []programStep{
		{"0:sh", "`%"},
		{"│", "ls -la --color" + enter},
		{"main.go", "`\""},
		{"├", "seq 1 99" + enter},
		{"99", "`[" + "`z"},
		{"99", ""},
		{"", "q`&y"},
	}},
	{name: "git", needs: "git", cols: 80, rows: 24, command: "sh -c 'git log --graph --color --all --stat | cat; git -c color.ui=always diff | cat; git -c color.ui=always add -p'", steps: []programStep{
		{"Stage this hunk", "?" + enter},
		{"print help", "y" + enter},
	}},
	{name: "npm", needs: "npm", cols: 80, rows: 24, command: "sh -c 'npm init -y && npm install --no-audit --no-fund ./dependency && npm ls; npm help 2>&1 | head -20; cat'", steps: []programStep{{"All commands", ""}}},
}

// The same bytes go to the phone's page and to tmux, and both must show the same.
func TestProgramsLookOnThePhoneAsInTmux(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "atlas", "COLLIE_LABEL=atlas").Start()
	b := harness.OpenBrowser(t)
	code := harness.JSON[control.PairCode](m, "pair").Code
	b.Do("pair", chromedp.Navigate(m.URL+"/#pair="+code), chromedp.WaitVisible(`input[name=code]`), chromedp.Click(`form button[type=submit]`))
	b.Until("paired", "!document.querySelector('input[name=code]')")
	tmux := harness.StartTmux(t)
	for _, p := range slices.Concat(shownPrograms, shownAgents) {
		p.show(t, m, b, tmux)
	}
	columnsLineUp(t, m, b)
	linksAskFirst(t, m, b)
	for _, problem := range b.Problems() {
		if strings.Contains(problem, "409 (Conflict)") {
			continue // the first Escape on a dialog that no adapter understands
		}
		t.Errorf("the page had an error: %s", problem)
	}
}

func (p shownProgram) show(t *testing.T, m *harness.Machine, b *harness.Browser, tmux *harness.Tmux) {
	dir := project(t)
	put(t, dir, p.files)
	if _, err := exec.LookPath(p.needs); err != nil {
		p = p.replay(t, dir)
	}
	// script keeps what the program writes, and passes it on as it is.
	output := filepath.Join(dir, "output")
	id := harness.JSON[control.ID](m, "pane", "new", "--cwd", dir, "--label", p.name, "--cols", fmt.Sprint(p.cols), "--rows", fmt.Sprint(p.rows),
		"--", "script", "--quiet", "--flush", "--return", "--command", "exec "+p.command, output).ID
	t.Cleanup(func() {
		m.Run("", "pane", "close", id)
		_ = exec.Command("tmux", "-S", filepath.Join(dir, "inner"), "kill-server").Run() // most have none
	})
	b.Do("open the pane", chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`location.hash = "#/pane/%s"`, id)), chromedp.WaitVisible(`[data-toggle=type]`))
	for i, step := range p.steps {
		b.Until(step.until, fmt.Sprintf("[...document.querySelectorAll('.screen.live, .problem')].some((shown) => shown.textContent.includes(%q))", step.until))
		least := 0
		if p.least != nil {
			least = p.least[i]
		}
		p.compare(t, b, tmux, output, least)
		if step.keys != "" {
			// Type mode ends by itself when the program starts another.
			b.Do("type mode", chromedp.Evaluate[chromedp.Void](`document.querySelector("#type-field") || document.querySelector("[data-toggle=type]").click()`))
			b.Until("the field is ready", "document.querySelector('#type-field')?.value")
			b.Do("type "+step.keys, chromedp.SendKeys(`#type-field`, step.keys))
		}
	}
	b.Do("no more typing", chromedp.Evaluate[chromedp.Void](`document.querySelector(".type-line button")?.click()`))
	shots(b, "program-"+p.name)
}

// columnsLineUp holds that a character behind text of any kind stands in its
// column on the page, whatever the fonts have.
func columnsLineUp(t *testing.T, m *harness.Machine, b *harness.Browser) {
	t.Helper()
	var output strings.Builder
	samples := []string{
		"ascii", "naïve é e\u0301 o\u0308\u0302", "端末 画面", "한글 \u1112\u1161\u11ab", "ＦＵＬＬ ﾊﾝｶｸ", "🚀 ✅ ⏺ ● ▸ ✔ ⠋",
		"👩\u200d💻 👍🏽 🇪🇺 1\ufe0f\u20e3", "❤\ufe0f ❤ ☀\ufe0f", "┌─┬─┐ ░▒▓█ ▀▄", "नि ไทย עברית", "𝒜 ℵ ∑ … — “”", "\x1b[1;4;53m太字 bold\x1b[m",
	}
	for _, sample := range samples {
		output.WriteString(sample + "\x1b[40G|\x1b[44m端\x1b[m|\r\n")
	}
	openOutput(t, m, b, "columns", output.String())
	b.Until("all rows", fmt.Sprintf("[...document.querySelectorAll('.screen.live .row')].filter((row) => row.textContent.endsWith('|')).length === %d", len(samples)))
	const where = `JSON.stringify([...document.querySelectorAll(".screen.live .row")].filter((row) => row.textContent.endsWith("|")).map((row) => {
		const places = [];
		const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
		for (let node = texts.nextNode(); node; node = texts.nextNode()) {
			for (let i = 0; i < node.data.length; i++) {
				if (node.data[i] !== "|") continue;
				const range = document.createRange();
				range.setStart(node, i);
				range.setEnd(node, i + 1);
				places.push(range.getBoundingClientRect().left);
			}
		}
		return places;
	}))`
	var places [][]float64
	if err := json.Unmarshal([]byte(b.Evaluate(where)), &places); err != nil {
		t.Fatal(err)
	}
	for i, sample := range samples {
		for bar := range 2 {
			if off := places[i][bar] - places[0][bar]; off < -0.5 || off > 0.5 {
				t.Errorf("behind %q, bar %d stands %.2f pixels off its column", sample, bar, off)
			}
		}
	}
	shots(b, "columns")
}

// linksAskFirst holds that a link of a program opens only what it says, and only
// after that was shown.
func linksAskFirst(t *testing.T, m *harness.Machine, b *harness.Browser) {
	t.Helper()
	openOutput(t, m, b, "links", "see \x1b]8;;https://example.org/docs?page=1\x1b\\https://bank.example\x1b]8;;\x1b\\ or "+
		"\x1b]8;;javascript:alert(1)\x1b\\this\x1b]8;;\x1b\\\r\n")
	b.Do("the link", chromedp.WaitVisible(`.screen.live a`), chromedp.Click(`.screen.live a`), chromedp.WaitVisible(`dialog .address`))
	for what, want := range map[string]string{
		"document.querySelectorAll('.screen.live a').length":        "1",
		"document.querySelector('.screen.live a').textContent":      "https://bank.example",
		"document.querySelector('.screen.live a').rel":              "noopener noreferrer",
		"document.querySelector('dialog .address').textContent":     "https://example.org/docs?page=1",
		"document.querySelector('.screen.live .row').textContent":   "see https://bank.example or this",
		"document.documentElement.scrollWidth <= window.innerWidth": "true",
	} {
		if got := b.Evaluate(what); got != want {
			t.Errorf("%s is %q, want %q", what, got, want)
		}
	}
	shots(b, "link")
	b.Do("cancel", chromedp.Click(`dialog button[type=button]`))
	b.Until("the question is gone", "!document.querySelector('dialog')")
}

// openOutput opens a pane in which a program has printed something.
func openOutput(t *testing.T, m *harness.Machine, b *harness.Browser, name, output string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "text"), []byte(output), 0o600); err != nil {
		t.Fatal(err)
	}
	id := harness.JSON[control.ID](m, "pane", "new", "--cwd", dir, "--label", name, "--cols", "60", "--rows", "20",
		"--", "sh", "-c", "stty raw -echo; cat text; exec sleep 1000").ID
	t.Cleanup(func() { m.Run("", "pane", "close", id) })
	b.Do("open the pane", chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`location.hash = "#/pane/%s"`, id)), chromedp.WaitVisible(`[data-toggle=type]`))
	b.Until("its name", fmt.Sprintf("document.querySelector('h1').textContent === %q", name))
}

// shots takes a picture in each look, without what moves between them.
func shots(b *harness.Browser, name string) {
	for _, look := range []string{"dark", "light"} {
		b.Dark(look == "dark")
		b.Until("the look stands", "document.getAnimations().every((a) => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)")
		b.Shot(name + "-" + look)
	}
}

// compare waits until the page shows all that the program wrote so far, and that
// looks as in tmux.
func (p shownProgram) compare(t *testing.T, b *harness.Browser, tmux *harness.Tmux, output string, least int) {
	t.Helper()
	var page, want []string
	defer func() {
		if t.Failed() {
			t.Logf("page:\n%s\n\ntmux:\n%s", strings.Join(page, "\n"), strings.Join(want, "\n"))
		}
	}()
	harness.Eventually(t, p.name+" looks on the page as in tmux", func() bool {
		before := written(t, output)
		if len(before) < least {
			return false
		}
		rows := b.Evaluate(`JSON.stringify([...document.querySelectorAll(".screen.live .row")].map((row) => row.textContent.replace(/ +$/, "")))`)
		page = nil
		if err := json.Unmarshal([]byte(rows), &page); err != nil {
			t.Fatal(err)
		}
		if after := written(t, output); !bytes.Equal(before, after) {
			return false // the page may show some of what came in between
		}
		want = tmux.Rows(p.cols, p.rows, before)
		return slices.Equal(page, want)
	})
}

// written returns what the program wrote, without script's own first line.
func written(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, output, _ := bytes.Cut(data, []byte("\n"))
	return output
}

// replay is a program that prints the most of a recording of this one, which is
// not installed, and goes on with each key. Some leave a blank screen at their end.
func (p shownProgram) replay(t *testing.T, dir string) shownProgram {
	t.Helper()
	file, err := os.Open(fmt.Sprintf("../node/terminal/testdata/recordings/%s-%dx%d.vt.gz", p.name, p.cols, p.rows))
	if err != nil {
		t.Fatalf("%s is not installed and was not recorded: %v", p.needs, err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	output, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	// In as many parts as there are keys below, each cut between two sequences.
	const keys = "down"
	most := len(output) * 19 / 20
	p.steps, p.least = nil, nil
	begin, parts := 0, map[string]string{}
	for i := range len(keys) + 1 {
		end := most * (i + 1) / (len(keys) + 1)
		end += bytes.IndexByte(output[end:], '\x1b')
		parts[fmt.Sprintf("recording.%d", i)] = string(output[begin:end])
		begin = end
		p.least, p.steps = append(p.least, end), append(p.steps, programStep{keys: (keys + " ")[i : i+1]})
	}
	p.steps[len(keys)].keys = ""
	put(t, dir, parts)
	p.command = `sh -c 'stty raw -echo; for part in recording.*; do cat $part; dd bs=1 count=1 status=none of=/dev/null; done; exec sleep 1000'`
	return p
}

// put writes files below a folder.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// project makes a small git repository for the programs.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var long strings.Builder
	for i := range 120 {
		fmt.Fprintf(&long, "%03d \x1b[3%dmcolour\x1b[0m wide 端末 é%s\n", i+1, i%8, strings.Repeat(" word", i%17))
	}
	put(t, dir, map[string]string{
		"README.md":               "# demo\n\nA *small* project with 端末 and emoji 🚀.\n",
		"main.go":                 "package main\n\nimport \"fmt\"\n\n// demo prints: 画面を描く.\nfunc main() {\n\tfmt.Println(\"demo\", 3.14, true)\n}\n",
		"long.txt":                long.String(),
		"tmux.conf":               "set -g prefix `\nset -g status-right ''\n",
		"dependency/package.json": `{"name": "dependency", "version": "1.2.3"}`,
		".gitignore":              "output\nrecording.*\ninner\nhome\n",
	})
	made := exec.CommandContext(t.Context(), "sh", "-ec", `
git init -q -b main
git add .
git commit -qm 'first: a demo'
git checkout -qb feature
echo more >>README.md
git commit -qam 'feature: more 📝'
git checkout -q main
sed -i 's/3.14/2.71/' main.go
git commit -qam 'e'
git merge -q --no-edit feature
sed -i 's/demo/演示/' main.go
`)
	made.Dir = dir
	made.Env = append(os.Environ(), "HOME="+dir, "GIT_AUTHOR_NAME=Demo", "GIT_AUTHOR_EMAIL=demo@example.org",
		"GIT_COMMITTER_NAME=Demo", "GIT_COMMITTER_EMAIL=demo@example.org")
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("git: %v: %s", err, out)
	}
	return dir
}
