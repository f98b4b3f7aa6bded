package instancerepo

import (
	"cmp"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
	"github.com/dovetail-store/dovetail/src/yaml"
)

// Survey reads the files of an instance repository, in any order, and tells what is there and every
// defect. A defect keeps nothing else from being read. The error is that of the files.
func Survey(files iter.Seq2[File, error]) (*Contents, error) {
	s := &survey{environments: make(map[Environment]*EnvironmentContents), namespaces: make(map[string]*Namespace),
		paramSets: make(map[string]*ParamSet), seen: make(map[string]string)}
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
	environments map[Environment]*EnvironmentContents
	namespaces   map[string]*Namespace // by folder
	paramSets    map[string]*ParamSet  // by location and name
	seen         map[string]string     // files by their paths without extension
}

// file reads one file, if it is one that says something here.
func (s *survey) file(f File) {
	parts := strings.Split(f.Path, "/")
	ext := path.Ext(f.Path)
	if len(parts) < 3 || parts[0] != "environments" || ext != ".yml" && ext != ".yaml" {
		return
	}
	stem := strings.TrimSuffix(f.Path, ext)
	name := path.Base(stem)
	if location := path.Dir(f.Path); path.Base(location) == "parameters" && (len(parts) <= 4 || len(parts) == 6 && parts[3] == "Inventory") {
		if data := s.read(f, stem); data != nil {
			s.paramSets[stem] = &ParamSet{File: f.Path, Location: location, Name: name, Data: data}
		}
		return
	}
	if len(parts) < 4 {
		return
	}
	env, inside := Environment{parts[1], parts[2]}, strings.Join(parts[3:len(parts)-1], "/")
	switch {
	case inside == "Inventory" && name == "env_definition":
		e := s.environment(env)
		e.DefinitionFile, e.Definition = f.Path, s.read(f, stem)
	case inside == "Inventory/solution-descriptor" && name == "sd":
		e := s.environment(env)
		e.DescriptorFile, e.Descriptor = f.Path, s.read(f, stem)
	case inside == "" && name == "bg_domain":
		s.environment(env).BGDomain = s.read(f, stem)
	case inside == "" && (name == "cloud" || name == "tenant"):
		s.environment(env)
	case parts[3] == "Namespaces" && len(parts) == 6 && name == "namespace":
		ns := s.namespace(env, parts[4])
		if ns.Data = s.read(f, stem); ns.Data != nil {
			said, _ := ns.Data.Get("name").Str()
			ns.Name = cmp.Or(said, ns.Name)
		}
	case parts[3] == "Namespaces" && len(parts) == 7 && parts[5] == "Applications":
		ns := s.namespace(env, parts[4])
		ns.Applications = append(ns.Applications, name)
	}
}

func (s *survey) environment(env Environment) *EnvironmentContents {
	e := s.environments[env]
	if e == nil {
		e = &EnvironmentContents{Environment: env}
		s.environments[env] = e
	}
	return e
}

func (s *survey) namespace(env Environment, deployPostfix string) *Namespace {
	folder := env.path("Namespaces", deployPostfix)
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
func (s *survey) read(f File, stem string) *value.Value {
	if other, twice := s.seen[stem]; twice {
		s.defect(ReasonFileTwice, dovetail.Position{File: f.Path}, "there is also "+other, "remove one of the two")
		return nil
	}
	s.seen[stem] = f.Path
	values, err := yaml.Parse(f.Path, f.Data, value.Limits{})
	if e := dovetail.AsError(err); e != nil {
		for _, part := range append(slices.Clone(e.Errors), e) {
			if len(part.Errors) == 0 {
				s.defect(ReasonFileMalformed, part.Position, part.Message, cmp.Or(part.Remedy, "correct the YAML"))
			}
		}
		return nil
	}
	if len(values) != 1 || values[0].Kind != value.Map {
		s.defect(ReasonFileMalformed, dovetail.Position{File: f.Path, Line: 1}, "the file is not one map", "write one YAML document with members")
		return nil
	}
	return values[0]
}

func (s *survey) defect(reason string, at dovetail.Position, message, remedy string) {
	s.contents.Defects = append(s.contents.Defects, &dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: reason, Position: at, Message: message, Remedy: remedy})
}

// finish puts all into order and finds what no single file shows.
func (s *survey) finish() *Contents {
	c := &s.contents
	c.ParamSets = slices.SortedFunc(maps.Values(s.paramSets), func(a, b *ParamSet) int { return cmp.Compare(a.File, b.File) })
	c.Environments = slices.SortedFunc(maps.Values(s.environments), func(a, b *EnvironmentContents) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Environment.Name, b.Environment.Name))
	})
	used := make(map[*ParamSet]bool)
	for _, e := range c.Environments {
		if len(c.Clusters) == 0 || c.Clusters[len(c.Clusters)-1] != e.Cluster {
			c.Clusters = append(c.Clusters, e.Cluster)
		}
		s.checkNamespaces(e)
		s.associate(e, used)
		s.checkDescriptor(e)
	}
	s.checkParamSets(used)
	slices.SortStableFunc(c.Defects, func(a, b *dovetail.Error) int {
		p, q := a.Position, b.Position
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column), cmp.Compare(a.Reason, b.Reason))
	})
	return c
}
