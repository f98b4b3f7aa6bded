package instancerepo

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/value"
)

// Survey reads the files of an instance repository, in any order, and tells what is there and every
// defect. A defect keeps nothing else from being read. The error is that of the files.
func Survey(files iter.Seq2[File, error]) (*Contents, error) {
	s := &survey{clusters: make(map[string]bool), environments: make(map[inventory.Environment]*EnvironmentContents), namespaces: make(map[string]*Namespace),
		paramSets: make(map[string]*ParamSet), seen: make(map[string]string), templates: make(map[string]bool)}
	for file, err := range files {
		if err != nil {
			return nil, err
		}
		s.file(file)
	}
	return s.finish(), nil
}

// survey collects what files say.
type survey struct {
	contents     Contents
	clusters     map[string]bool
	environments map[inventory.Environment]*EnvironmentContents
	namespaces   map[string]*Namespace // by folder
	paramSets    map[string]*ParamSet  // by location and name
	seen         map[string]string     // files by their paths as Files writes them
	templates    map[string]bool       // ParamSets that are templates, by location and name
	others       []string              // files of which no document is made
}

// file reads one file, if it is one that says something here.
func (s *survey) file(f File) {
	if f.Unread {
		s.contents.unread = append(s.contents.unread, f.Path)
		return
	}
	if f.Irregular {
		message, remedy := "it is a symbolic link, or no file, and is not followed", "put the file itself there"
		if !utf8.ValidString(f.Path) {
			message, remedy = "its name is not UTF-8, and it is not read", "rename it"
		}
		s.defect(ReasonFileIrregular, dovetail.Position{File: f.Path}, message, remedy)
		return
	}
	at, ok := find(f.Path)
	if !ok {
		s.other(f.Path)
		return
	}
	if f.Large > 0 {
		s.defect(ReasonFileMalformed, dovetail.Position{File: f.Path}, fmt.Sprintf("the file has %d bytes, more than the %d that are allowed", f.Large, value.DefaultBytes), "split the file, or take it out of the repository")
		return
	}
	var env inventory.Environment
	for _, e := range at.key {
		switch e.Name {
		case "cluster":
			env.Cluster = e.Value
			s.clusters[e.Value] = true
		case "environment":
			env.Name = e.Value
			s.environment(env)
		case "deployPostfix":
			s.namespace(env, e.Value)
		}
	}
	if !s.counts(f.Path, at, env) {
		return
	}
	data := s.read(f, at)
	if data == nil {
		if isParamSet(at.kind) && slices.Contains(s.contents.Sealed, f.Path) { // it is there, and who names it means this one
			s.paramSet(f.Path, at, value.NewMap(value.Member{Name: "name", Value: value.NewString(at.name())}))
		}
		return
	}
	c := &content{spot: at, file: f.Path, data: data}
	if sops.Is(data) {
		c.text = f.Data
	}
	s.contents.files = append(s.contents.files, c)
	name := at.name()
	if isParamSet(at.kind) {
		s.paramSet(f.Path, at, data)
	}
	switch at.kind {
	case "environment":
		if at.shape == inventoryShape {
			e := s.environment(env)
			e.DefinitionFile, e.Definition = f.Path, data
		}
	case "solutionDescriptor":
		if name == "full" {
			e := s.environment(env)
			e.DescriptorFile, e.Descriptor = f.Path, data
		}
	case "bgDomain":
		s.environment(env).BGDomain = data
	case "deployPostfix":
		ns := s.namespace(env, name)
		said, _ := data.Get("name").Str()
		ns.File, ns.Data, ns.Name = f.Path, data, cmp.Or(said, name)
	case "application":
		ns := s.namespace(env, at.key[len(at.key)-2].Value)
		ns.Applications = append(ns.Applications, name)
	}
}

func (s *survey) paramSet(file string, at spot, data *value.Value) {
	location, name := path.Dir(at.path), at.name()
	s.paramSets[location+"/"+name] = &ParamSet{File: file, Location: location, Name: name, Data: data}
}

func (s *survey) environment(env inventory.Environment) *EnvironmentContents {
	e := s.environments[env]
	if e == nil {
		e = &EnvironmentContents{Environment: env}
		s.environments[env] = e
	}
	return e
}

func (s *survey) namespace(env inventory.Environment, deployPostfix string) *Namespace {
	folder := pathOf(env, "Namespaces", deployPostfix)
	ns := s.namespaces[folder]
	if ns == nil {
		ns = &Namespace{DeployPostfix: deployPostfix, Name: deployPostfix}
		s.namespaces[folder] = ns
		e := s.environment(env)
		e.Namespaces = append(e.Namespaces, ns)
	}
	return ns
}

// read returns the map that a file is, or nil after a defect.
func (s *survey) read(f File, at spot) *value.Value {
	v, noted, errs := parse(f.Path, f.Data, at.place)
	s.contents.Defects = slices.Concat(s.contents.Defects, noted, errs)
	if slices.ContainsFunc(errs, func(e *dovetail.Error) bool { return e.Reason == ReasonFileEncrypted }) {
		s.contents.Sealed = append(s.contents.Sealed, f.Path)
	}
	if len(errs) > 0 {
		return nil
	}
	return v
}

// parse reads the map that a file is, and notes what is passed over: values whose key stands in the map once more, and empty documents. A file of parameters or credentials may be empty.
func parse(name string, data []byte, p *place) (v *value.Value, noted, errs []*dovetail.Error) {
	values, hidden, err := p.values(name, data)
	for _, at := range hidden {
		noted = append(noted, newDefect(ReasonKeyTwice, at, "the key is there once more below, and the value here has no effect", "remove one of the two"))
	}
	if v, errs = mapOf(name, data, p, values, err); len(errs) == 0 && len(values) > 0 {
		for _, line := range yaml.EmptyDocuments(data) {
			noted = append(noted, newDefect(ReasonDocumentEmpty, dovetail.Position{File: name, Line: line}, "a document without content begins here, and a program that wants one document refuses the file", "remove the line"))
		}
	}
	return v, noted, errs
}

// mapOf is the map that a file with these values is.
func mapOf(name string, data []byte, p *place, values []*value.Value, err error) (*value.Value, []*dovetail.Error) {
	if e := dovetail.AsError(err); e != nil {
		var errs []*dovetail.Error
		for _, part := range append(slices.Clone(e.Errors), e) {
			if len(part.Errors) == 0 {
				errs = append(errs, newDefect(ReasonFileMalformed, part.Position, part.Message, cmp.Or(part.Remedy, "correct the YAML")))
			}
		}
		return nil, errs
	}
	switch {
	case bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/")):
		return nil, []*dovetail.Error{newDefect(ReasonFileMalformed, dovetail.Position{File: name, Line: 1}, "the file is a pointer of Git LFS, and its content is kept elsewhere", "keep the file in Git itself")}
	case p.mayBeEmpty() && (len(values) == 0 || len(values) == 1 && values[0].Kind == value.Null):
		return &value.Value{Kind: value.Map, Place: value.At(1, 1)}, nil
	case len(values) != 1 || values[0].Kind != value.Map:
		return nil, []*dovetail.Error{newDefect(ReasonFileMalformed, dovetail.Position{File: name, Line: 1}, "the file is not one map", "write one YAML document with members")}
	case sops.Is(values[0]):
		return values[0], refuseSOPS(name, values[0], p)
	}
	return values[0], nil
}

// values are those of a file, by the YAML of the program that reads it, and the places of values that a later one of the same key hides: the calculation takes the last one.
func (p *place) values(name string, data []byte) (values []*value.Value, hidden []dovetail.Position, err error) {
	if p.classic {
		values, hidden, err = yaml.ParseJava(name, data, value.Limits{})
	}
	if !p.classic || err == nil && len(values) == 1 && sops.Is(values[0]) { // which SOPS signed as it reads it, by YAML 1.2
		values, err = yaml.Parse(name, data, value.Limits{})
		hidden = nil
	}
	return values, hidden, err
}

func newDefect(reason string, at dovetail.Position, message, remedy string) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: reason, Position: at, Message: message, Remedy: remedy}
}

func (s *survey) defect(reason string, at dovetail.Position, message, remedy string) {
	s.contents.Defects = append(s.contents.Defects, newDefect(reason, at, message, remedy))
}

// finish puts all into order and finds what no single file shows.
func (s *survey) finish() *Contents {
	c := &s.contents
	c.ParamSets = slices.SortedFunc(maps.Values(s.paramSets), func(a, b *ParamSet) int { return cmp.Compare(a.File, b.File) })
	c.Environments = slices.SortedFunc(maps.Values(s.environments), func(a, b *EnvironmentContents) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Environment.Name, b.Environment.Name))
	})
	c.Clusters = slices.Sorted(maps.Keys(s.clusters))
	slices.SortFunc(c.files, func(a, b *content) int { return cmp.Compare(a.file, b.file) })
	used := make(map[*ParamSet]bool)
	for _, e := range c.Environments {
		s.checkNamespaces(e)
		s.associate(e, used)
		s.checkDescriptor(e)
		s.checkMetadata(e)
	}
	s.checkParamSets(used)
	s.checkFiles()
	s.checkTemplates()
	s.checkOthers()
	slices.SortStableFunc(c.Defects, func(a, b *dovetail.Error) int {
		p, q := a.Position, b.Position
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column), cmp.Compare(a.Reason, b.Reason))
	})
	return c
}
