package uploads

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"

	"collie/crypto/atomicfile/diskfault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var png = "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 20)

type box struct {
	*Store
	t      *testing.T
	disk   *diskfault.Disk
	folder string
	now    time.Time
}

func open(t *testing.T) *box {
	t.Helper()
	b := &box{t: t, disk: &diskfault.Disk{}, folder: filepath.Join(t.TempDir(), "uploads"), now: time.Now()}
	b.reopen()
	t.Cleanup(func() { b.Close() })
	return b
}

func (b *box) reopen() {
	if b.Store != nil {
		b.Close()
	}
	b.Store = Open(Config{
		Folder: b.folder, Disk: b.disk, Now: func() time.Time { return b.now }, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
}

func (b *box) put(name, text string) File {
	b.t.Helper()
	file, err := b.Put(b.t.Context(), name, int64(len(text)), strings.NewReader(text))
	if err != nil {
		b.t.Fatal(err)
	}
	return file
}

func (b *box) names() []string {
	b.t.Helper()
	entries, err := os.ReadDir(b.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestAFileIsKeptForItsOwnerAloneUnderANameOfOurs(t *testing.T) {
	t.Parallel()
	b := open(t)
	if names := b.names(); names != nil {
		t.Errorf("before the first one there is %v", names)
	}
	file := b.put("../../etc/My holiday!.PNG", png)
	if file.Type != "image/png" || file.Size != int64(len(png)) || filepath.Dir(file.Path) != b.folder ||
		!regexp.MustCompile(`^\d{8}-\d{6}-[0-9a-f]{8}-My-holiday\.png$`).MatchString(file.Name) {
		t.Errorf("%+v", file)
	}
	data, err := os.ReadFile(file.Path)
	info, statErr := os.Stat(file.Path)
	folder, folderErr := os.Stat(b.folder)
	if errors.Join(err, statErr, folderErr) != nil || string(data) != png || info.Mode() != 0o600 || folder.Mode().Perm() != 0o700 {
		t.Errorf("%q, %v, %v", data, info.Mode(), folder.Mode())
	}
	if again := b.put("My holiday!.PNG", png); again.Path == file.Path {
		t.Errorf("two files of one name: %s", again.Path)
	}
}

func TestAFileThatDoesNotComeWholeLeavesNothing(t *testing.T) {
	t.Parallel()
	b := open(t)
	ended, end := context.WithCancel(t.Context())
	end()
	for name, try := range map[string]struct {
		ctx  context.Context
		size int64
		body io.Reader
		want error
	}{
		"it breaks off":           {t.Context(), -1, io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF)), ErrBroken},
		"it fails":                {t.Context(), -1, iotest.ErrReader(fs.ErrClosed), fs.ErrClosed},
		"it is shorter than said": {t.Context(), 10, strings.NewReader("short"), ErrBroken},
		"it is longer than said":  {t.Context(), 2, strings.NewReader("long"), ErrBroken},
		"it is empty":             {t.Context(), -1, strings.NewReader(""), ErrEmpty},
		"it says too much":        {t.Context(), MaxBytes + 1, strings.NewReader("x"), ErrTooLarge},
		"it is too much":          {t.Context(), -1, io.LimitReader(zeros{}, MaxBytes+5), ErrTooLarge},
		"nobody waits for it":     {ended, -1, strings.NewReader("x"), context.Canceled},
	} {
		if file, err := b.Put(try.ctx, "a", try.size, try.body); !errors.Is(err, try.want) {
			t.Errorf("%s: %+v, %v; want %v", name, file, err, try.want)
		}
		if names := b.names(); len(names) > 0 {
			t.Errorf("%s: it leaves %v", name, names)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestWhateverTheDiskDoesAFileIsWholeOrNotThere(t *testing.T) {
	t.Parallel()
	for _, step := range diskfault.Steps() {
		for _, persist := range []bool{false, true} {
			b := open(t)
			b.put("first", "whole")
			b.disk.Fail(step, persist)
			file, err := b.Put(t.Context(), "second", -1, strings.NewReader("whole"))
			if err == nil {
				t.Errorf("%s, %v: it is said to be kept as %+v", step, persist, file)
			}
			b.disk.Heal()
			b.reopen()
			for _, name := range b.names() {
				if data, err := os.ReadFile(filepath.Join(b.folder, name)); err != nil || string(data) != "whole" {
					t.Errorf("%s, %v: %s holds %q, %v", step, persist, name, data, err)
				}
			}
		}
	}
}

func TestWhatACrashLeftHalfWrittenGoesAtTheNextStart(t *testing.T) {
	t.Parallel()
	b := open(t)
	kept := b.put("kept", "x")
	half := filepath.Join(b.folder, ".upload.123.tmp")
	if err := os.WriteFile(half, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Sweep()
	if len(b.names()) != 2 {
		t.Errorf("one that may be on its way is gone: %v", b.names())
	}
	b.reopen()
	if names := b.names(); len(names) != 1 || names[0] != kept.Name {
		t.Errorf("left: %v", names)
	}
}

func TestAFileGoesAfterSevenDays(t *testing.T) {
	t.Parallel()
	b := open(t)
	old, young := b.put("old", "x"), b.put("young", "x")
	for file, age := range map[File]time.Duration{old: Age, young: Age - time.Minute} {
		at := b.now.Add(-age)
		if err := os.Chtimes(file.Path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	b.Sweep()
	if names := b.names(); len(names) != 1 || names[0] != young.Name {
		t.Errorf("left: %v", names)
	}
	b.now = b.now.Add(time.Hour)
	b.reopen()
	if names := b.names(); len(names) != 0 {
		t.Errorf("left after a start: %v", names)
	}
}

func TestAllFilesTogetherAreBounded(t *testing.T) {
	t.Parallel()
	b := open(t)
	for range MaxTotalBytes / MaxBytes {
		file := b.put("x", "x")
		if err := os.Truncate(file.Path, MaxBytes-1); err != nil { // without writing so much
			t.Fatal(err)
		}
	}
	if _, err := b.Put(t.Context(), "x", -1, strings.NewReader("x")); !errors.Is(err, ErrFull) {
		t.Errorf("too many bytes: %v", err)
	}
	if _, err := b.Put(t.Context(), "x", 1, strings.NewReader("x")); err != nil {
		t.Errorf("one that fits: %v", err)
	}
	var releases []func()
	for range maxComing {
		release, err := b.reserve(1)
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, release)
	}
	if _, err := b.Put(t.Context(), "x", 1, strings.NewReader("x")); !errors.Is(err, ErrFull) {
		t.Errorf("too many on their way: %v", err)
	}
	for _, release := range releases {
		release()
	}
	if b.coming != 0 || b.reserved != 0 {
		t.Errorf("%d files and %d bytes are still reserved", b.coming, b.reserved)
	}
}

func TestAFolderThatIsALinkIsRefused(t *testing.T) {
	t.Parallel()
	b := open(t)
	if err := os.Symlink(t.TempDir(), b.folder); err != nil {
		t.Fatal(err)
	}
	if file, err := b.Put(t.Context(), "x", 1, strings.NewReader("x")); !errors.Is(err, ErrFolder) {
		t.Errorf("%+v, %v", file, err)
	}
}

func TestWhatIsLeftOfAName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, kind, want string }{
		{"photo.JPG", "image/jpeg", "photo.jpg"},
		{"photo.png", "image/jpeg", "photo.png.jpg"},
		{"photo.png", "text/html", "photo.png.txt"},
		{"x.png", "text/plain", "x.png.txt"},
		{"x.png", "application/octet-stream", "x.png.bin"},
		{"gnp.exe", "text/plain", "gnp.exe.txt"},
		{"data.gz", "text/plain", "data.gz.txt"},
		{"main.go", "text/plain", "main.go"},
		{"photo", "image/webp", "photo.webp"},
		{"notes.txt", "text/plain", "notes.txt"},
		{"report.docx", "application/zip", "report.docx"},
		{`C:\Users\me\a b.txt`, "text/plain", "a-b.txt"},
		{"/etc/passwd", "text/plain", "passwd"},
		{"..", "text/plain", "file"},
		{"", "text/plain", "file"},
		{".env", "text/plain", "file.env"},
		{"-rf.txt", "text/plain", "rf.txt"},
		{"a\nb;$(reboot)`x`'\".sh", "text/plain", "a-b-reboot-x.sh"},
		{"şöyle 日本.txt", "text/plain", "yle.txt"},
		{"x\u202egnp.exe", "application/octet-stream", "x-gnp.exe"},
		{strings.Repeat("a", 300) + ".txt", "text/plain", strings.Repeat("a", 40) + ".txt"},
	} {
		if got := Name(test.name, test.kind); got != test.want {
			t.Errorf("%q (%s) becomes %q, want %q", test.name, test.kind, got, test.want)
		}
	}
}

func FuzzNameIsHarmless(f *testing.F) {
	for _, name := range []string{"a.png", "../x", "", "...", "a..b", "-", ".a", "ü.ü", "a.\x00", strings.Repeat(".", 200), `\\x\y.z`} {
		f.Add(name, "image/png")
		f.Add(name, "text/plain")
	}
	harmless := regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)
	f.Fuzz(func(t *testing.T, name, kind string) {
		got := Name(name, kind)
		if !harmless.MatchString(got) || len(got) > maxNameBytes || strings.HasSuffix(got, ".tmp.tmp") {
			t.Errorf("%q becomes %q", name, got)
		}
	})
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte(png))
	f.Add([]byte("<html>"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &sniffer{}
		if _, err := io.Copy(s, bytes.NewReader(data)); err != nil || !strings.Contains(s.kind(), "/") || len(s.head) > sniffBytes {
			t.Errorf("%q is %q", data, s.kind())
		}
	})
}
