//go:build ignore

// Record runs programs on a terminal of this repository's own emulator, drives
// them with keys, and keeps what they wrote: the recordings beside it. It needs
// the programs, root (for a host of its own name and a list of processes without
// other people's), and for the agents a folder with their npm packages:
//
//	go run node/terminal/testdata/recordings/record.go [-agents FOLDER] NAME…
//
// What a program finds is made for it: a user demo on a host demo, and a small
// git repository in /home/demo/project.
package main

import (
	"compress/gzip"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"

	"collie/node/terminal"
)

// A step waits for text on the screen, then for a quiet moment, and types.
type step struct{ until, keys string }

type recording struct {
	name       string
	cols, rows int
	program    string
	steps      []step
}

const (
	escape = "\x1b"
	enter  = "\r"
	ctrlC  = "\x03"
	down   = "\x1b[B"

	anything = "anything" // a text that is not blank, and a longer moment
)

var recordings = []recording{
	{"vim-splits", 80, 24, "vim -u NONE -c 'set nocp nu ruler laststatus=2 hlsearch incsearch' -c 'syntax on' main.go", []step{
		{"package main", ":vsplit README.md" + enter},
		{"README.md", ":split notes.txt" + enter},
		{"notes.txt", "ggOa new line 端末 😀 é" + escape},
		{"a new line", "yyppp3dd"},
		{"", "\x17l"}, // the next window
		{"", "/func" + enter},
		{"", "nn"},
		{"", ":%s/demo/演示/g" + enter},
		{"演示", "V3j>"},
		{"", "u"},
		{"", ":set list wrap" + enter},
		{"", "Go\tthe end of a line that is longer than the window is wide, so that it wraps" + escape},
		{"wraps$", ":help" + enter},
		{"help.txt", "\x06\x06\x02"},
		{"", ":qa!" + enter},
	}},
	{"htop", 100, 30, "unshare --pid --fork --mount-proc sh -c 'sleep 60 & sleep 61 & htop -d 5'", []step{
		{"F10", down + down},
		{"", "t"},
		{"", "\x1bOQ"}, // F2
		{"", escape},
		{"", "/sleep" + enter},
		{"", "I"},
		{"", "q"},
	}},
	{"less", 80, 24, "less -R -M long.txt", []step{
		{"long.txt", "   "},
		{"", "/wide" + enter},
		{"", "nNG"},
		{"(END)", "gg-S" + enter},
		{"", "\x1b[C"},
		{"", "&5" + enter},
		{"", "q"},
	}},
	{"tmux-inside", 100, 30, "env SHELL=/bin/sh tmux -L demo -f /dev/null new-session 'sh -i'", []step{
		{"$", "git log --oneline | cat" + enter},
		{"first", "\x02%"},
		{"│", "ls -la --color" + enter},
		{"main.go", "\x02\""},
		{"", "seq 1 100" + enter},
		{"100", "\x02["},
		{"", "\x15\x15"},
		{"", "q"},
		{"", "\x02z"},
		{"", "\x02z"},
		{"", "vim -u NONE main.go" + enter},
		{"package main", ":q" + enter},
		{"", "\x02:kill-server" + enter},
	}},
	{"git", 100, 30, "sh -c 'git log --graph --color --all --decorate --stat | cat; git -c color.ui=always diff | cat; git -c color.ui=always add -p'", []step{
		{"Stage this hunk", "s" + enter},
		{"Stage this hunk", "?" + enter},
		{"", "y" + enter},
		{"", "q" + enter},
	}},
	{"git-pager", 80, 24, "sh -c 'git log --graph --color -p'", []step{
		{"commit", "  "},
		{"", "/demo" + enter},
		{"", "n"},
		{"", "q"},
	}},
	{"npm-install", 80, 24, "sh -c 'npm init -y; npm install chalk@5 is-odd@3; npm ls; npm outdated; npm view chalk@5.3.0'", nil},
	{"claude", 100, 30, "claude", []step{
		{anything, down}, {anything, enter}, {anything, enter}, {anything, escape}, {anything, ctrlC}, {anything, ctrlC},
	}},
	// Past the first questions, with a key that opens nothing.
	{"claude-session", 100, 30, `sh -c 'echo "{\"hasCompletedOnboarding\":true,\"theme\":\"dark\",\"customApiKeyResponses\":{\"approved\":[\"demo\"]},\"projects\":{\"/home/demo/project\":{\"hasTrustDialogAccepted\":true}}}" >$HOME/.claude.json; ANTHROPIC_API_KEY=demo exec claude'`, []step{
		{anything, "say 端末 and 🚀"}, {anything, enter}, {anything, escape}, {anything, "/"}, {anything, "config"}, {anything, enter}, {anything, escape}, {anything, "?"}, {anything, ctrlC}, {anything, ctrlC},
	}},
	{"claude-help", 80, 24, "claude --help", nil},
	{"codex", 100, 30, "codex", []step{
		{anything, down}, {anything, enter}, {anything, escape}, {anything, ctrlC}, {anything, ctrlC},
	}},
	{"codex-session", 100, 30, `sh -c 'mkdir -p $HOME/.codex; echo "{\"OPENAI_API_KEY\":\"demo\"}" >$HOME/.codex/auth.json; exec codex'`, []step{
		{anything, enter}, {anything, enter}, {anything, "/"}, {anything, escape}, {anything, "say 端末 and 🚀"}, {anything, enter}, {anything, escape}, {anything, ctrlC}, {anything, ctrlC},
	}},
	{"codex-help", 80, 24, "codex --help", nil},
	{"gemini", 100, 30, "gemini", []step{
		{anything, down}, {anything, enter}, {anything, escape}, {anything, ctrlC}, {anything, ctrlC},
	}},
	{"opencode", 100, 30, "opencode", []step{
		{anything, "hello 端末"}, {anything, enter}, {anything, escape}, {anything, "/models" + enter}, {anything, escape}, {anything, ctrlC}, {anything, ctrlC},
	}},
}

var agents = flag.String("agents", "", "where the agents' npm packages are")

func main() {
	log.SetFlags(0)
	flag.Parse()
	for _, r := range recordings {
		if !slices.Contains(flag.Args(), r.name) {
			continue
		}
		if err := r.make(); err != nil {
			log.Printf("%s: %v", r.name, err)
		}
	}
}

const home = "/home/demo"

// make records one program.
func (r recording) make() error {
	made := exec.Command("sh", "-ec", world)
	made.Dir = "/"
	if err := made.Run(); err != nil {
		return fmt.Errorf("making /home/demo: %w", err)
	}
	cmd := exec.Command("unshare", "--uts", "sh", "-c", "hostname demo; exec "+r.program)
	cmd.Dir = home + "/project"
	cmd.Env = []string{
		"HOME=" + home, "USER=demo", "LOGNAME=demo", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TERM=xterm-256color", "COLORTERM=truecolor", "PS1=$ ",
		"PATH=" + filepath.Join(*agents, "node_modules/.bin") + ":" + os.Getenv("PATH"), "npm_config_update_notifier=false",
		"DISABLE_AUTOUPDATER=1", "OPENCODE_DISABLE_AUTOUPDATE=1",
	}
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(r.cols), Rows: uint16(r.rows)})
	if err != nil {
		return err
	}
	defer cmd.Process.Kill()
	t := &recorder{screen: terminal.New(r.cols, r.rows, 0), last: time.Now(), ended: make(chan struct{})}
	go t.read(tty)
	for _, step := range r.steps {
		if err := t.wait(step.until); err != nil {
			return err
		}
		t.touched() // a moment without an answer is no rest
		if _, err := tty.WriteString(step.keys); err != nil {
			return err
		}
	}
	t.wait("")
	if len(r.steps) == 0 {
		<-t.ended
	}
	tty.Close()
	file, err := os.Create(fmt.Sprintf("node/terminal/testdata/recordings/%s-%dx%d.vt.gz", r.name, r.cols, r.rows))
	if err != nil {
		return err
	}
	defer file.Close()
	w, _ := gzip.NewWriterLevel(file, gzip.BestCompression)
	if _, err := w.Write(t.output); err != nil {
		return err
	}
	log.Printf("%s: %d bytes", file.Name(), len(t.output))
	return w.Close()
}

type recorder struct {
	mu     sync.Mutex
	screen *terminal.Screen
	output []byte
	last   time.Time
	ended  chan struct{}
}

func (t *recorder) read(tty *os.File) {
	defer close(t.ended)
	buffer := make([]byte, 32<<10)
	for {
		n, err := tty.Read(buffer)
		t.mu.Lock()
		t.output = append(t.output, buffer[:n]...)
		t.screen.Write(buffer[:n])
		if replies := t.screen.TakeReplies(); replies != nil {
			tty.Write(replies)
		}
		t.last = time.Now()
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (t *recorder) touched() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = time.Now()
}

// wait returns when the text is on the screen and nothing was written for a
// moment. A program that never rests is given a while.
func (t *recorder) wait(text string) error {
	for began := time.Now(); time.Since(began) < 40*time.Second; time.Sleep(50 * time.Millisecond) {
		t.mu.Lock()
		quiet, shown := time.Since(t.last), ""
		_, rows := t.screen.Size()
		for i := range rows {
			shown += t.screen.Row(i).Text() + "\n"
		}
		t.mu.Unlock()
		found, moment := strings.Contains(shown, text), 700*time.Millisecond
		if text == anything {
			found, moment = strings.TrimSpace(shown) != "", 3*time.Second
		}
		if found && (quiet > moment || time.Since(began) > 8*time.Second) {
			if os.Getenv("SHOW") != "" {
				log.Println(shown)
			}
			return nil
		}
		select {
		case <-t.ended:
			return nil
		default:
		}
		if !found && time.Since(began) > 30*time.Second {
			return fmt.Errorf("%q is not on the screen:\n%s", text, shown)
		}
	}
	return nil
}

// world makes what the programs find.
const world = `
rm -rf /home/demo
mkdir -p /home/demo/project
cd /home/demo/project
export GIT_CONFIG_GLOBAL=/home/demo/.gitconfig GIT_AUTHOR_DATE=2026-01-02T03:04:05Z GIT_COMMITTER_DATE=2026-01-02T03:04:05Z
git config --global user.name Demo
git config --global user.email demo@example.org
git config --global init.defaultBranch main
git init -q
printf '# demo\n\nA *small* project with 端末 and emoji 🚀.\n' > README.md
printf 'package main\n\nimport "fmt"\n\n// demo prints a line: 画面を描く.\nfunc main() {\n\tfor i := 0; i < 10; i++ {\n\t\tfmt.Println("demo", i, 3.14, true)\n\t}\n}\n\nfunc other() string { return "demo" }\n' > main.go
seq -f 'note %g of the demo' 1 40 > notes.txt
awk 'BEGIN { for (i = 1; i <= 120; i++) { printf "%03d \033[3%dmcolour\033[0m wide 端末 text é", i, i % 8; for (j = 0; j < i % 17; j++) printf " word"; print "" } }' > long.txt
git add .
git commit -qm 'first: a demo'
git checkout -qb feature
printf 'more\n' >> notes.txt
git commit -qam 'feature: more notes 📝'
git checkout -q main
sed -i s/10/20/ main.go
git commit -qam 'count to twenty'
git merge -q --no-edit feature
git tag v1.0
sed -i 's/note 3 /note three /; s/note 30 /note thirty /; s/^note 12 .*$//' notes.txt && sed -i 's/true/false/' main.go
`
