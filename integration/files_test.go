package integration_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"collie/integration/harness"
	"collie/node/control"
)

// repositoryOf is a pane of a machine in a repository whose change holds a
// secret.
func repositoryOf(t *testing.T, m *harness.Machine, token string) (pane, dir string) {
	t.Helper()
	dir = filepath.Join(m.Home, "work")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.example"}, args...)...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + m.Home}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write("src/server.go", "package server\n\n// Listen is where it listens.\nconst Listen = \":8080\"\n")
	write("README.md", "# Work\n\nSome words.\n")
	write("old-name.txt", strings.Repeat("the same line\n", 20))
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	git("mv", "old-name.txt", "new-name.txt")
	write("src/server.go", "package server\n\n// Listen is where it listens.\nconst Listen = \":9090\"\n\nconst key = \""+token+"\"\n")
	write("notes.txt", "the key is "+token+"\n")
	return harness.JSON[control.ID](m, "pane", "new", "--cwd", dir, "--", "/bin/sh").ID, dir
}

// A member that does not mask: what a phone sees is the work of the lead.
func TestAPhoneSeesChangesAndFilesOfAMemberMaskedSendsAFileAndBranchesOff(t *testing.T) {
	t.Parallel()
	c := startCrew(t, "COLLIE_REDACT=off")
	head, tail, token := secret()
	pane, dir := repositoryOf(t, c.juno, token)
	wire := harness.Tap(t, c.lead.URL)
	b := harness.OpenBrowser(t)
	code := harness.JSON[control.PairCode](c.lead, "pair").Code
	b.Do("pair", chromedp.Navigate(wire.URL+"/#pair="+code), chromedp.WaitVisible(`input[name=code]`))
	b.Until("the code is filled in", fmt.Sprintf("document.querySelector('input[name=code]').value === %q", code))
	b.Do("pair", chromedp.Click(`form button[type=submit]`))
	b.Until("three machines", "document.querySelectorAll('section.machine').length === 3")
	visit := func(what, hash string) {
		t.Helper()
		b.Do(what, chromedp.Evaluate[chromedp.Void](fmt.Sprintf("location.hash = %q", hash)))
	}
	masked := head + strings.Repeat("•", len(tail))
	looks := func(name string) {
		t.Helper()
		b.Axe(name)
		b.Shot(name + "-light")
		b.Dark(true)
		b.Axe(name + " in the dark")
		b.Shot(name + "-dark")
		b.Dark(false)
	}

	visit("open Changes", "#/changes/"+pane+"/juno")
	b.Until("three parts", "document.querySelectorAll('.changes-part').length === 3")
	b.Until("a rename", "document.body.innerText.includes('was old-name.txt')")
	b.Do("open a diff", chromedp.Click(`.changes-part:nth-of-type(2) button.row-link`), chromedp.WaitVisible(`pre.diff`))
	b.Until("the marks in it", fmt.Sprintf("document.querySelector('pre.diff').textContent.includes('+const key = \"' + %q)", masked))
	looks("changes")

	visit("open Files", "#/files/"+pane+"/juno")
	b.Until("the folder", "document.body.innerText.includes('README.md') && !document.body.innerText.includes('.git')")
	looks("files")
	b.Do("open a folder", chromedp.Click(`.files ul a.row-link`))
	b.Until("a file in it", "document.querySelector('.files ul')?.innerText.includes('server.go')")
	visit("open a file", "#/files/"+pane+"/juno/src%2Fserver.go")
	b.Until("the marks in it", fmt.Sprintf("document.querySelector('pre.code')?.textContent.includes(%q)", masked))
	looks("file")

	visit("open the pane", "#/pane/"+pane+"/juno")
	b.Do("the composer", chromedp.WaitVisible(`.composer textarea`))
	b.Until("a prompt", "/[#$]/.test(document.querySelector('main').innerText)")
	picture := filepath.Join(t.TempDir(), "My picture.png")
	if err := os.WriteFile(picture, []byte("\x89PNG\r\n\x1a\n"+strings.Repeat("x", 200_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Do("choose a file", chromedp.SetUploadFiles(`.composer input[type=file]`, []string{picture}))
	b.Until("its path in the pane", "document.querySelector('main').textContent.replace(/\\s/g, '').includes('My-picture.png')")
	looks("pane-upload")
	kept, err := filepath.Glob(filepath.Join(c.juno.State, "uploads/*-My-picture.png"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept on the member: %v, %v", kept, err)
	}
	if info, err := os.Stat(kept[0]); err != nil || info.Size() != 200_008 || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}

	b.Do("the menu", chromedp.Click(`.menu > button`), chromedp.WaitVisible(`#pane-menu`))
	looks("pane-menu")
	b.Do("a worktree", chromedp.Click(`#pane-menu > button:nth-of-type(1)`), chromedp.WaitVisible(`dialog input`), chromedp.SendKeys(`dialog input`, "fix/login"))
	looks("worktree")
	b.Do("make it", chromedp.Click(`dialog button[type=submit]`))
	b.Until("another pane", fmt.Sprintf("location.hash.startsWith('#/pane/') && !location.hash.includes(%q)", pane))
	if _, err := os.Stat(filepath.Join(dir+".worktrees", "fix-login", "README.md")); err != nil {
		t.Error(err)
	}

	if err := os.MkdirAll(filepath.Join(c.juno.Home, "projects", "shop"), 0o700); err != nil {
		t.Fatal(err)
	}
	visit("a new pane", "#/new/juno")
	b.Do("choose a folder", chromedp.WaitVisible(`.start-in button`), chromedp.Click(`.start-in button`), chromedp.WaitVisible(`.browse input`))
	b.Do("by typing", chromedp.SendKeys(`.browse input`, "pro"))
	b.Until("the one that begins like that", "[...document.querySelectorAll('.browse .row-name')].map((e) => e.textContent).join() === 'projects'")
	b.Do("by tapping", chromedp.Click(`.browse .rows button`))
	b.Until("what is in it", "[...document.querySelectorAll('.browse .row-name')].some((e) => e.textContent === 'shop')")
	looks("browse")

	text := b.Evaluate("document.documentElement.outerHTML")
	for where, seen := range map[string]string{"an answer of the lead": wire.Seen(), "the page": text} {
		if strings.Contains(seen, token) {
			t.Errorf("the token is in %s", where)
		}
	}
	for _, problem := range b.Problems() {
		t.Errorf("the page had an error: %s", problem)
	}
}

// A file that a phone gives up on is not kept on the member that it is for.
func TestAFileThatAPhoneGivesUpOnIsNotKept(t *testing.T) {
	t.Parallel()
	c := startCrew(t)
	phone := c.lead.Pair("pixel")
	pane := paneOf(t, phone, "juno")
	body, sending := io.Pipe()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, phone.URL+harness.PanePath("juno", pane, "/upload")+"&name=a.txt&screen=none", body)
	if err != nil {
		t.Fatal(err)
	}
	request.ContentLength = 4 << 20
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	request.Header.Set("Authorization", "Bearer "+phone.Token)
	ended := make(chan error, 1)
	go func() {
		response, err := c.lead.Client().Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		ended <- err
	}()
	if _, err := sending.Write(make([]byte, 2<<20)); err != nil {
		t.Fatal(err)
	}
	kept := func() int {
		found, err := os.ReadDir(filepath.Join(c.juno.State, "uploads"))
		if err != nil && !os.IsNotExist(err) {
			t.Error(err)
		}
		return len(found)
	}
	harness.Eventually(t, "half a file on the member", func() bool { return kept() == 1 })
	_ = sending.CloseWithError(io.ErrUnexpectedEOF)
	if err := <-ended; err == nil {
		t.Error("the phone has an answer")
	}
	harness.Eventually(t, "nothing on the member", func() bool { return kept() == 0 })
}
