package files

import (
	"io/fs"
	"slices"
	"strings"
)

// Folders lists the names of folders in a folder below root, for somebody who
// looks for one to work in: those whose names begin with start, whatever its
// case, at most MaxFolders of them. Folders that begin with a dot are listed
// only to somebody who typed the dot.
func (v *Viewer) Folders(root, path, start string) (names []string, more bool, err error) {
	d, err := v.descend(root)
	if err != nil {
		return nil, false, err
	}
	defer d.close()
	at, err := d.walk(path)
	switch {
	case err != nil:
		return nil, false, err
	case at.name != "":
		return nil, false, ErrNotFound
	}
	entries, more, err := d.names()
	if err != nil {
		return nil, false, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, entry := range entries {
		name := entry.Name()
		switch kind := kindOf(entry.Type()); {
		case strings.HasPrefix(name, ".") && !strings.HasPrefix(start, "."),
			!strings.HasPrefix(strings.ToLower(name), strings.ToLower(start)),
			Plain(name) != name,
			kind != Folder && kind != Link,
			kind == Link && !v.isFolder(root, join(path, name)):
			continue
		}
		if len(names) == MaxFolders {
			return names, true, nil
		}
		names = append(names, name)
	}
	return names, more, nil
}

// isFolder reports whether a link leads to a folder that may be shown.
func (v *Viewer) isFolder(root, path string) bool {
	d, err := v.descend(root)
	if err != nil {
		return false
	}
	defer d.close()
	at, err := d.walk(path)
	return err == nil && at.name == ""
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}
