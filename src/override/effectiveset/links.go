package effectiveset

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// links are the symbolic links of a file system, which are followed: a program that opens the files of a checkout does so, too. Imports and servers do not.
type links struct {
	files fs.ReadLinkFS
	known map[string]error // by path: of a link that cannot be followed
	found func(name, target string)
}

// linksOf are those of a file system, nil if it has none.
func (c *calculation) linksOf(files fs.FS) *links {
	of, ok := files.(fs.ReadLinkFS)
	if !ok {
		return nil
	}
	return &links{of, make(map[string]error), func(name, target string) {
		c.find(FileLinked, dovetail.Position{File: name}, "it is a symbolic link to "+target+", and is followed; imports and servers do not follow it")
	}}
}

// follow looks for links on the way to a file or a folder. Its error is that of one that leads out of the repository, or nowhere.
func (l *links) follow(name string) error {
	if l == nil {
		return nil
	}
	for at := range len(name) + 1 {
		if at < len(name) && name[at] != '/' {
			continue
		}
		if err := l.look(name[:at]); err != nil {
			return err
		}
	}
	return nil
}

// look looks whether there is a link.
func (l *links) look(name string) error {
	if err, known := l.known[name]; known {
		return err
	}
	l.known[name] = nil
	if info, err := l.files.Lstat(name); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil //nolint:nilerr // what is not there is no link
	}
	target, _ := l.files.ReadLink(name)
	if _, err := fs.Stat(l.files, name); err != nil {
		why := "that cannot be followed: " + reasonOf(err)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			why = "which does not exist"
		case leadsOut(name, target):
			why = "which is not in the repository"
		}
		l.known[name] = &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Message: "it is a symbolic link to " + target + ", " + why, Remedy: "put the file or folder itself there", Err: err}
		return l.known[name]
	}
	l.found(name, target)
	return nil
}

// leadsOut reports whether the target of a link is above the root, or has a path of its own.
func leadsOut(name, target string) bool {
	if strings.HasPrefix(target, "/") {
		return true
	}
	depth := strings.Count(name, "/")
	for _, part := range strings.Split(target, "/") {
		switch part {
		case "", ".":
		case "..":
			depth--
		default:
			depth++
		}
		if depth < 0 {
			return true
		}
	}
	return false
}

// listed notes what a listing shows: an entry that is no link need not be looked at.
func (l *links) listed(name string, entry fs.DirEntry) {
	if l != nil && entry.Type()&fs.ModeSymlink == 0 {
		l.known[name] = nil
	}
}
