package instancerepo

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/value"
)

// extensions are those of files of one document, the one that counts first: the calculation of effective sets takes them in this order.
var extensions = []string{".yml", ".yaml", ".json"}

// goesBefore reports whether a file counts where another one stands for the same document.
func goesBefore(name, other string) bool {
	return cmp.Or(slices.Index(extensions, path.Ext(name))-slices.Index(extensions, path.Ext(other)), strings.Compare(name, other)) < 0
}

// ReadMap returns the map that a file without extension is, as a survey reads it, and its name: of several extensions that which counts. It is nil if there is none.
// The error is that of reading, or the first defect.
func ReadMap(files fs.FS, stem string) (name string, data *value.Value, err error) {
	for _, ext := range extensions {
		name := stem + ext
		at, ok := find(name)
		if !ok {
			continue
		}
		text, err := fs.ReadFile(files, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return name, nil, unreadable(name, err)
		}
		data, _, defects := parse(name, text, at.place)
		if len(defects) > 0 {
			return name, nil, defects[0]
		}
		return name, data, nil
	}
	return "", nil, nil
}

// counts reports whether a file counts, as far as files were read. It names the others that stand for the same document.
func (s *survey) counts(name string, at spot, env inventory.Environment) bool {
	other, twice := s.seen[at.path]
	if twice && !goesBefore(name, other) {
		s.twice(name, other)
		return false
	}
	s.seen[at.path] = name
	if twice {
		s.forget(other, at, env)
		s.twice(other, name)
	}
	return true
}

func (s *survey) twice(name, counts string) {
	s.defect(ReasonFileTwice, dovetail.Position{File: name, Line: 1}, counts+" stands for the same document, and counts", "remove one of the two")
}

// forget undoes what a file said before one was read that counts in its place.
func (s *survey) forget(name string, at spot, env inventory.Environment) {
	s.contents.Defects = slices.DeleteFunc(s.contents.Defects, func(d *dovetail.Error) bool { return d.Position.File == name && d.Reason != ReasonFileTwice })
	s.contents.files = slices.DeleteFunc(s.contents.files, func(c *content) bool { return c.file == name })
	switch {
	case isParamSet(at.kind):
		delete(s.paramSets, path.Dir(at.path)+"/"+at.name())
	case at.shape == inventoryShape:
		e := s.environment(env)
		e.DefinitionFile, e.Definition = "", nil
	case at.kind == "solutionDescriptor" && at.name() == "full":
		e := s.environment(env)
		e.DescriptorFile, e.Descriptor = "", nil
	case at.kind == "bgDomain":
		s.environment(env).BGDomain = nil
	case at.kind == "deployPostfix":
		ns := s.namespace(env, at.name())
		*ns = Namespace{DeployPostfix: ns.DeployPostfix, Name: ns.DeployPostfix, Applications: ns.Applications}
	case at.kind == "application":
		ns := s.namespace(env, at.key[len(at.key)-2].Value)
		ns.Applications = slices.DeleteFunc(ns.Applications, func(application string) bool { return application == at.name() })
	}
}

// checkTemplates names files that the pipeline also renders from templates.
func (s *survey) checkTemplates() {
	for _, name := range s.others {
		at, ok := findTemplate(name)
		if !ok {
			continue
		}
		if file, both := s.seen[at.path]; both {
			s.defect(ReasonFileTwice, dovetail.Position{File: file, Line: 1}, "the template "+name+" stands for the same document; this file counts, until the pipeline renders the template", "remove one of the two")
		}
	}
}
