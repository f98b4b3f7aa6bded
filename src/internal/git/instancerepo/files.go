package instancerepo

import (
	"cmp"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// Files returns the files of an instance repository that says what the documents say, in the order of
// their paths, and what of the documents no file can hold, by id: names that no file can have, members
// that files do not know. Documents of kinds that instance repositories do not keep are passed over.
func Files(documents []Document) ([]File, []*dovetail.Error) {
	sets, problems := gather(documents)
	var files []File
	for _, s := range sets {
		content, errs := s.content(nil)
		problems = append(problems, errs...)
		files = append(files, File{Path: s.path, Data: yaml.Marshal(content)})
	}
	return files, sorted(problems)
}

func sorted(problems []*dovetail.Error) []*dovetail.Error {
	slices.SortStableFunc(problems, func(a, b *dovetail.Error) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Message, b.Message))
	})
	return problems
}

// set is the documents of one file.
type set struct {
	*place
	path      string
	documents []*Document // by id
}

// gather sorts documents by their files, and tells which have none.
func gather(documents []Document) ([]*set, []*dovetail.Error) {
	files := make(map[string]*set)
	stored := make(map[dovetail.ID]bool, len(documents))
	folders := make(map[string]bool)
	var problems []*dovetail.Error
	for i := range documents {
		d := &documents[i]
		stored[d.ID] = true
		key := d.ID.Key()
		all := placesOf(key)
		if bad := unwritableKey(key, all); bad != nil {
			problems = append(problems, bad)
			continue
		}
		for _, p := range all {
			if p.shape == specMember && d.Data.At("spec", p.member) == nil {
				continue
			}
			name := p.pathOf(key)
			s := files[name]
			if s == nil {
				s = &set{place: p, path: name}
				files[name] = s
			}
			s.documents = append(s.documents, d)
			if cluster, ok := key.Value("cluster"); ok {
				folders[cluster] = true
			}
		}
	}
	for i := range documents {
		d := &documents[i]
		key := d.ID.Key()
		switch key[len(key)-1].Name {
		case "cluster":
			if spec := d.Data.Get("spec"); spec != nil && len(spec.Members) > 0 {
				problems = append(problems, cannotHold(d, "a cluster has no file for its spec", "keep it elsewhere, as in a cloud passport"))
			}
			if !folders[key[0].Value] {
				problems = append(problems, cannotHold(d, "a cluster without anything in it is no folder", "export it when it has an environment"))
			}
		case AssociationKind:
			problems = append(problems, hidden(d, stored)...)
		}
	}
	sets := slices.SortedFunc(maps.Values(files), func(a, b *set) int { return cmp.Compare(a.path, b.path) })
	for _, s := range sets {
		slices.SortFunc(s.documents, func(a, b *Document) int { return cmp.Compare(a.ID, b.ID) })
	}
	return sets, problems
}

func cannotHold(d *Document, message, remedy string) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: ReasonNoPlace, Key: d.ID, Position: dovetail.Position{File: string(d.ID)}, Message: message, Remedy: remedy}
}

// unwritableKey says what is wrong with the names of a key that is to be a path.
func unwritableKey(key dovetail.Key, all []*place) *dovetail.Error {
	if len(all) == 0 {
		return nil
	}
	for i, e := range key {
		inFile := i == len(key)-1 && (all[0].shape == manySpecs || all[0].shape == domainSpec || e.Name == AssociationKind)
		if !inFile && !isWritable(e.Name, e.Value) {
			d := &Document{ID: key.ID()}
			return cannotHold(d, "the "+e.Name+" cannot be the name of a file", "give it a name without slashes, not hidden, and not reserved")
		}
	}
	return nil
}

// hidden tells when the inventory would mean another ParamSet than the association does.
func hidden(d *Document, stored map[dovetail.ID]bool) []*dovetail.Error {
	key := d.ID.Key()
	cluster, _ := key.Value("cluster")
	environment, _ := key.Value("environment")
	kind, name := paramSetOf(d)
	atCluster := dovetail.ID("").Child("cluster", cluster)
	var nearer []dovetail.ID
	switch kind {
	case "siteParamSet":
		nearer = []dovetail.ID{atCluster.Child("clusterParamSet", name), atCluster.Child("environment", environment).Child("environmentParamSet", name)}
	case "clusterParamSet":
		nearer = []dovetail.ID{atCluster.Child("environment", environment).Child("environmentParamSet", name)}
	}
	for _, id := range nearer {
		if stored[id] {
			return []*dovetail.Error{cannotHold(d, "an inventory that names "+name+" means "+string(id), "give one of the two another name")}
		}
	}
	return nil
}

// paramSetOf returns the kind and the name of the ParamSet that an association is about.
func paramSetOf(d *Document) (kind, name string) {
	spec := d.Data.Get("spec")
	for _, kind := range []string{"environmentParamSet", "clusterParamSet", "siteParamSet"} {
		if name, ok := spec.Get(kind).Str(); ok {
			return kind, name
		}
	}
	return "", ""
}

// content returns what the file is, written over an old content where there is one, and what of the
// documents it does not hold.
func (s *set) content(old *value.Value) (*value.Value, []*dovetail.Error) {
	var problems []*dovetail.Error
	first := s.documents[0]
	spec := first.Data.Get("spec")
	if spec == nil || spec.Kind != value.Map {
		spec = value.NewMap()
	}
	rest := func(known ...string) {
		for _, m := range spec.Members {
			if !slices.Contains(known, m.Name) {
				problem := cannotHold(first, "the file has no place for spec."+m.Name, "remove it, or keep it elsewhere")
				problem.Position.Path = value.Pointer("spec", m.Name)
				problems = append(problems, problem)
			}
		}
	}
	switch s.shape {
	case manySpecs:
		all := value.NewMap()
		for _, d := range s.documents {
			key := d.ID.Key()
			all.Members = append(all.Members, value.Member{Name: key[len(key)-1].Value, Value: cmp.Or(d.Data.Get("spec"), value.NewMap())})
		}
		return keeping(all, old, func(m value.Member) bool { return m.Value.Kind != value.Map }), nil
	case inventoryShape:
		rest("definition", "cloud", "tenant", "compositeStructure", unresolvedMember)
		return s.inventory(cmp.Or(spec.Get("definition"), value.NewMap()), old), problems
	case specMember:
		return spec.Get(s.member), nil
	case parameterSpec:
		rest(parametersMember, "generated")
		return cmp.Or(spec.Get(parametersMember), value.NewMap()), problems
	case domainSpec:
		for _, d := range s.documents[1:] {
			problems = append(problems, cannotHold(d, "an environment has one blue-green domain", "remove the other"))
		}
		if key := first.ID.Key(); nameOfDomain(spec) != key[len(key)-1].Value {
			problems = append(problems, cannotHold(first, "the domain is called otherwise in its spec", "give spec.name the name of the document"))
		}
		return spec, problems
	case namespaceSpec:
		if spec.Get(fileNameMember) != nil {
			problems = append(problems, cannotHold(first, "the file has no place for spec.name", "call the name of the namespace spec.namespace"))
			spec = without(spec, fileNameMember)
		}
		spec = renamed(spec, namespaceMember, fileNameMember)
		return keeping(spec, old, func(m value.Member) bool { return m.Name == namespaceMember }), problems
	case wholeSpec:
	}
	return spec, nil
}

// keeping adds to a content what the old one has beside what documents say.
func keeping(content, old *value.Value, beside func(value.Member) bool) *value.Value {
	if old == nil {
		return content
	}
	given := value.IndexOf(content)
	content = shallow(content)
	for _, m := range old.Members {
		if beside(m) && given.Get(m.Name) == nil {
			content.Members = append(content.Members, m)
		}
	}
	return content
}
