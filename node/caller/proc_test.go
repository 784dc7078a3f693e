package caller

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestStatIsReadFieldByField(t *testing.T) {
	t.Parallel()
	rest := " 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0 173827 3133440 418"
	for _, c := range []struct {
		name, stat string
		want       Process
	}{
		{"without a terminal", "704 (cat) R 665 665 6548 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0 173827 3133440 418 18446744073709551615", Process{PID: 704, Parent: 665, Group: 665, StartTime: 173827, Name: "cat"}},
		{"with a terminal", "704 (cat) S 665 665 6548 34817 701 4194304 100 0 0 0 0 0 0 0 20 0 1 0 7 0", Process{PID: 704, Parent: 665, Group: 665, StartTime: 7, Name: "cat", Terminal: true, Device: 34817, InFront: 701}},
		{"a name that imitates the rest", "704 (x) S 1 (cat) R 665 665 6548" + rest, Process{PID: 704, Parent: 665, Group: 665, StartTime: 173827, Name: "x) S 1 (cat"}},
		{"a name with a newline", "704 (a\nb) R 665 665 6548" + rest, Process{PID: 704, Parent: 665, Group: 665, StartTime: 173827, Name: "a\nb"}},
		{"a zombie", "704 (cat) Z 665 665 6548" + rest, Process{PID: 704, Parent: 665, Group: 665, StartTime: 173827, Name: "cat", Ended: true}},
		{"a thread of the kernel", "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 4 0", Process{PID: 2, StartTime: 4, Name: "kthreadd", Kernel: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got, err := parseStat([]byte(c.stat)); err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("read %+v, %v", got, err)
			}
		})
	}
}

func TestStatThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, stat := range []string{"", "704", "(cat) R 1", "704 cat R 1", ")704 (", "704 (cat)", "704 (cat) R 665", "0 (cat) R 665 665 6548 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0 7 0", "704 (cat) R -1 665 6548 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0 7 0", "704 (cat) R 665 665 6548 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0 -7 0"} {
		if p, err := parseStat([]byte(stat)); err == nil {
			t.Errorf("%q read as %+v", stat, p)
		}
	}
}

func TestRootIsRootByEveryId(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]bool{
		"Name:\tsshd\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n": true,
		"Uid:\t0\t0\t0\t1000\n":                             true,
		"Uid:\t1000\t0\t0\t0\n":                             false, // set-user-id
		"Uid:\t0\t1000\t0\t1000\n":                          false,
		"Uid:\t0\t0\t1000\t0\n":                             false,
		"Uid:\t0\t0\t0\n":                                   false,
		"Name:\tUid: 0 0 0 0\n":                             false,
		"":                                                  false,
	} {
		if got := parseRoot([]byte(status)); got != want {
			t.Errorf("%q: root is %v", status, got)
		}
	}
}

func TestProcReadsThisProcess(t *testing.T) {
	t.Parallel()
	p, err := Proc{}.Process(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if p.PID != os.Getpid() || p.Parent != os.Getppid() || p.Ended || p.Kernel || p.StartTime == 0 || p.Root != (os.Getuid() == 0) {
		t.Errorf("read %+v", p)
	}
	if !slices.Equal(p.Args, os.Args) && len(strings.Join(os.Args, " ")) < maxArgsBytes {
		t.Errorf("arguments are %q", p.Args)
	}
}

func TestProcNamesWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, pid := range []int{0, -1, 1 << 30} {
		if p, err := (Proc{}).Process(pid); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("process %d is %+v, %v", pid, p, err)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("704 (cat) R 665 665 6548 0 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0 173827 3133440"))
	f.Add([]byte("704 (a) b (c) Z 665 665 6548 34817 -1 4194304 100 0 0 0 0 0 0 0 20 0 1 0 173827 3133440"))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := parseStat(data); err == nil && (p.PID <= 0 || p.Parent < 0) {
			t.Fatalf("%q read as %+v", data, p)
		}
		parseRoot(data)
		if args := parseArgs(data); len(data) > 0 && len(args) == 0 {
			t.Fatalf("%q has no argument", data)
		}
	})
}

func BenchmarkResolveThisProcess(b *testing.B) {
	self, err := Proc{}.Process(os.Getpid())
	if err != nil {
		b.Fatal(err)
	}
	r := NewResolver(panes{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Resolve(b.Context(), Credentials{PID: self.PID, StartTime: self.StartTime}); err != nil {
			b.Fatal(err)
		}
	}
}
