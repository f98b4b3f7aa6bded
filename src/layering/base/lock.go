package base

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// LockName is the name of a lock file. It does not end as the files do that are read as documents.
const LockName = "layering.lock"

// Locked is a base, and what it is.
type Locked struct {
	Source
	Revision string
	Digest   string // of the files
}

// Lock is what a lock file says, by name.
type Lock []Locked

var (
	commitPattern = regexp.MustCompile(`^[0-9a-f]{40}$`)
	digestPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
)

// ParseLock reads a lock file.
func ParseLock(file string, text []byte) (Lock, error) {
	values, err := yaml.Parse(file, text, value.Limits{})
	if err != nil {
		return nil, err
	}
	d := decode.Decoder{File: file}
	var lock Lock
	if len(values) != 1 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: file}, Message: "the lock file has not one YAML document", Remedy: "run dovetail layering lock"}
	}
	if root := d.Root(values[0], "the lock file", ""); root.Map("bases") {
		for _, item := range root.Get("bases").Items("a base") {
			if !item.Map("name", "git", "branch", "oci", "tag", "path", "revision", "digest") {
				continue
			}
			l := Locked{Source: Source{Name: item.Get("name").Text(), Git: item.Get("git").OptionalText(), Branch: item.Get("branch").OptionalText(), OCI: item.Get("oci").OptionalText(),
				Tag: item.Get("tag").OptionalText(), Path: item.Get("path").OptionalText()}, Revision: item.Get("revision").Text(), Digest: item.Get("digest").Text()}
			revision := digestPattern
			if l.Git != "" {
				revision = commitPattern
			}
			if l.Revision != "" && !revision.MatchString(l.Revision) {
				item.Get("revision").Fail("run dovetail layering lock", "this is no commit of Git, or digest of an artifact")
			}
			if l.Digest != "" && !digestPattern.MatchString(l.Digest) {
				item.Get("digest").Fail("run dovetail layering lock", "this is no digest")
			}
			lock = append(lock, l)
		}
	}
	return lock, d.Err("the lock file is refused")
}

// Text is the lock file.
func (l Lock) Text() []byte {
	sorted := slices.SortedFunc(slices.Values(l), func(a, b Locked) int { return strings.Compare(a.Name, b.Name) })
	list := value.NewList()
	for _, b := range sorted {
		item := value.NewMap()
		for _, m := range [][2]string{{"name", b.Name}, {"git", b.Git}, {"branch", b.Branch}, {"oci", b.OCI}, {"tag", b.Tag}, {"path", b.Path}, {"revision", b.Revision}, {"digest", b.Digest}} {
			if m[1] != "" {
				item.Set(m[0], value.NewString(m[1]))
			}
		}
		list.Items = append(list.Items, item)
	}
	return append([]byte("# Written by dovetail layering lock. Keep it beside the Layering.\n"), yaml.Marshal(value.NewMap(value.Member{Name: "bases", Value: list}))...)
}

// Find returns what is locked for a base.
func (l Lock) Find(s Source) (Locked, error) {
	for _, locked := range l {
		switch {
		case locked.Name != s.Name:
		case locked.Source != s:
			return Locked{}, &dovetail.Error{Code: dovetail.CodeConflict, Message: "the base " + s.Name + " is another one than the lock file was written for", Remedy: "run dovetail layering lock"}
		default:
			return locked, nil
		}
	}
	return Locked{}, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "the base " + s.Name + " is not in the lock file", Remedy: "run dovetail layering lock"}
}
