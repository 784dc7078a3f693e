// Command peers compares the mask with scanners that others wrote, on the same
// texts in one run: of how many made-up secrets each finds something, how many
// lines of ordinary text it takes for one, and how fast it reads. It is a module
// of its own, so that the scanners are no part of Collie.
//
//	COLLIE_MASK_CORPUS=/tmp/corpus.json go test -count=1 -run MadeSecrets ./node/mask
//	cd integration/peers && npm ci && go run . -corpus /tmp/corpus.json -text "$(go env GOROOT)/src:/usr/share/man"
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/logging"

	"collie/node/mask"
)

// planted is a made-up secret in a text, Text[From:To].
type planted struct {
	Kind  string `json:"kind"`
	Named bool   `json:"named"`
	Text  string `json:"text"`
	From  int    `json:"from"`
	To    int    `json:"to"`
}

// result is what one engine made of it all.
type result struct {
	Found   []bool         `json:"found"` // by secret
	Lines   map[string]int `json:"lines"` // that were taken for a secret, by corpus of ordinary text
	Seconds float64        `json:"seconds"`
}

// ordinary is text without secrets, but for what people made up to write about
// one.
type ordinary struct {
	Root  string   `json:"root"`
	Texts []string `json:"texts"`
}

func main() {
	corpus := flag.String("corpus", "", "the made-up secrets")
	folders := flag.String("text", "", "folders of ordinary text, joined by :")
	most := flag.Int("most", 8<<20, "bytes that are read of each folder")
	show := flag.Bool("show", false, "say which kinds each engine misses")
	flag.Parse()
	if err := run(*corpus, filepath.SplitList(*folders), *most, *show); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(corpus string, folders []string, most int, show bool) error {
	data, err := os.ReadFile(corpus)
	if err != nil {
		return err
	}
	var secrets []planted
	if err := json.Unmarshal(data, &secrets); err != nil {
		return fmt.Errorf("%s: %w", corpus, err)
	}
	var texts []ordinary
	bytesOf := 0
	for _, root := range folders {
		o, n, err := gather(root, most)
		if err != nil {
			return err
		}
		texts = append(texts, o)
		bytesOf += n
	}
	for _, engine := range []struct {
		name string
		run  func([]planted, []ordinary) (result, error)
	}{{"mask", runMask}, {"gitleaks", runGitleaks}, {"secretlint", runSecretlint}} {
		r, err := engine.run(secrets, texts)
		if err != nil {
			return fmt.Errorf("%s: %w", engine.name, err)
		}
		report(engine.name, secrets, texts, r, bytesOf, show)
	}
	return nil
}

func report(name string, secrets []planted, texts []ordinary, r result, size int, show bool) {
	var found, of [2]int
	missed := map[string]int{}
	for i, p := range secrets {
		named := 0
		if p.Named {
			named = 1
		}
		of[named]++
		if r.Found[i] {
			found[named]++
		} else {
			missed[p.Kind]++
		}
	}
	fmt.Printf("%-10s  finds %d of %d secrets alone, %d of %d beside a name or in a structure; %.2f MB/s of ordinary text\n",
		name, found[0], of[0], found[1], of[1], float64(size)/1e6/r.Seconds)
	for _, o := range texts {
		fmt.Printf("            %d lines of %s\n", r.Lines[o.Root], o.Root)
	}
	if !show {
		return
	}
	kinds := make([]string, 0, len(missed))
	for kind, n := range missed {
		kinds = append(kinds, fmt.Sprintf("%s (%d)", kind, n))
	}
	slices.Sort(kinds)
	fmt.Printf("            misses %s\n", strings.Join(kinds, ", "))
}

// gather reads the text files below a folder, up to so many bytes.
func gather(root string, most int) (o ordinary, size int, err error) {
	o.Root = root
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.Type().IsRegular():
			return err
		case size >= most:
			return fs.SkipAll
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, ".gz") {
			packed, err := gzip.NewReader(bytes.NewReader(text))
			if err != nil {
				return nil
			}
			if text, err = io.ReadAll(packed); err != nil {
				return err
			}
		}
		if utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 {
			o.Texts = append(o.Texts, string(text))
			size += len(text)
		}
		return nil
	})
	return o, size, err
}

// runMask counts a secret as found when half of it is hidden.
func runMask(secrets []planted, texts []ordinary) (result, error) {
	r := result{Lines: map[string]int{}}
	m := mask.New()
	for _, p := range secrets {
		masked, _ := m.Text(p.Text, mask.Options{Surface: "file"})
		hidden := strings.Count(masked, "•")
		r.Found = append(r.Found, 2*hidden >= p.To-p.From)
	}
	for _, o := range texts {
		for _, text := range o.Texts {
			began := time.Now()
			masked, found := m.Text(text, mask.Options{Surface: "file"})
			r.Seconds += time.Since(began).Seconds()
			if found {
				before, after := strings.Split(text, "\n"), strings.Split(masked, "\n")
				for i := range before {
					if before[i] != after[i] {
						r.Lines[o.Root]++
					}
				}
			}
		}
	}
	return r, nil
}

// runGitleaks uses its own rules. A secret is found when what it reports lies in
// it.
func runGitleaks(secrets []planted, texts []ordinary) (result, error) {
	r := result{Lines: map[string]int{}}
	logging.Logger = zerolog.Nop()
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return r, err
	}
	for _, p := range secrets {
		found := false
		for _, f := range detector.DetectString(p.Text) {
			at := strings.Index(p.Text, f.Secret)
			found = found || at >= 0 && at < p.To && at+len(f.Secret) > p.From
		}
		r.Found = append(r.Found, found)
	}
	for _, o := range texts {
		for _, text := range o.Texts {
			began := time.Now()
			findings := detector.DetectString(text)
			r.Seconds += time.Since(began).Seconds()
			lines := map[int]bool{}
			for _, f := range findings {
				for n := f.StartLine; n <= f.EndLine; n++ {
					lines[n] = true
				}
			}
			r.Lines[o.Root] += len(lines)
		}
	}
	return r, nil
}

// runSecretlint hands all to a program of its own.
func runSecretlint(secrets []planted, texts []ordinary) (r result, err error) {
	file, err := os.CreateTemp("", "peers-*.json")
	if err != nil {
		return r, err
	}
	defer os.Remove(file.Name())
	if err := json.NewEncoder(file).Encode(map[string]any{"secrets": secrets, "texts": texts}); err != nil {
		return r, err
	}
	if err := file.Close(); err != nil {
		return r, err
	}
	command := exec.Command("node", "secretlint.mjs", file.Name())
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return r, err
	}
	err = json.Unmarshal(out, &r)
	return r, err
}
