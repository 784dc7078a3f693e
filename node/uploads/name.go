package uploads

import (
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
)

// A sniffer keeps the beginning of what passes.
type sniffer struct{ head []byte }

func (s *sniffer) Write(p []byte) (int, error) {
	if room := sniffBytes - len(s.head); room > 0 {
		s.head = append(s.head, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

// kind is the type of what passed, without its parameters.
func (s *sniffer) kind() string {
	kind, _, err := mime.ParseMediaType(http.DetectContentType(s.head))
	if err != nil {
		return "application/octet-stream"
	}
	return kind
}

// endings are those that a type goes by, the usual one first. An agent may
// choose by the ending how it reads a file, so it must not lie.
var endings = map[string][]string{
	"image/png":       {".png"},
	"image/jpeg":      {".jpg", ".jpeg"},
	"image/gif":       {".gif"},
	"image/webp":      {".webp"},
	"image/bmp":       {".bmp"},
	"application/pdf": {".pdf"},
	"application/zip": {".zip", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".jar", ".apk", ".epub", ".whl"},
}

// programs are endings of what a machine runs or unpacks, which is never text.
var programs = []string{".exe", ".dll", ".so", ".dylib", ".com", ".msi", ".class", ".o", ".wasm", ".deb", ".rpm", ".dmg", ".iso", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".zst"}

// otherwise is the ending of a type that has none of its own in endings.
func otherwise(kind string) string {
	if strings.HasPrefix(kind, "text/") {
		return ".txt"
	}
	return ".bin"
}

// Name is what is left of a sender's name for a file of a type: letters, digits,
// dot, dash and underscore, with an ending that fits.
func Name(name, kind string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	var clean strings.Builder
	for _, c := range name {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_':
			clean.WriteRune(c)
		default:
			if !strings.HasSuffix(clean.String(), "-") {
				clean.WriteByte('-')
			}
		}
	}
	ending := strings.ToLower(path.Ext(clean.String()))
	stem := strings.Trim(clean.String()[:clean.Len()-len(ending)], ".-")
	if ending == "." || len(ending) > maxNameBytes/4 {
		ending = ""
	}
	ending = strings.TrimRight(ending, "-")
	stem = strings.TrimRight(stem[:min(len(stem), maxNameBytes-2*maxNameBytes/4)], ".-")
	if stem == "" {
		stem = "file"
	}
	return stem + honest(ending, kind)
}

// honest returns an ending that does not lie about a type.
func honest(ending, kind string) string {
	if fitting, known := endings[kind]; known {
		if slices.Contains(fitting, ending) {
			return ending
		}
		return ending + fitting[0]
	}
	for _, other := range endings {
		if slices.Contains(other, ending) {
			return ending + otherwise(kind)
		}
	}
	if slices.Contains(programs, ending) && strings.HasPrefix(kind, "text/") {
		return ending + ".txt"
	}
	return ending
}
