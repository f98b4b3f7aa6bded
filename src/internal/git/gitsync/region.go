package gitsync

import (
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

// The kinds of which documents elsewhere depend, and their file names.
const (
	clusterKind     = "cluster"
	environmentKind = "environment"
	associationKind = "paramSetAssociation"
	siteSetKind     = "siteParamSet"
	clusterSetKind  = "clusterParamSet"
	partKind        = "effectiveSetPart"
	partsFolder     = "effective-set"
)

// region is the part of the repository that a change concerns, read and written as one: so that a change
// in one environment costs as much as that environment is large.
type region struct {
	whole        bool // all of it
	outside      bool // all that is in no environment, except the documents of clusters
	environments map[inventory.Environment]bool
	files        map[string]bool // beside those of environments
	clusters     map[string]bool // whose documents, which are folders, may go
	parts        bool            // with the effective sets of the environments, which are large
	listed       bool            // the folders of clusters that others hold were listed
}

func newRegion() *region {
	return &region{environments: make(map[inventory.Environment]bool), files: make(map[string]bool), clusters: make(map[string]bool)}
}

func wholeRegion() *region {
	r := newRegion()
	r.whole = true
	return r
}

// add widens the region by what differs between two commits.
func (r *region) add(d gitrepo.Difference) {
	r.addFile(d.Path)
	if _, ok := instancerepo.EnvironmentOf(d.Path); !ok && (d.Irregular || instancerepo.IsMisplaced(d.Path)) {
		r.outside = true // where it is found again, or no more
	}
}

// addFile widens the region by a file.
func (r *region) addFile(path string) {
	environment, ok := instancerepo.EnvironmentOf(path)
	kind, id, one := instancerepo.Holder(path)
	switch {
	case ok:
		r.environments[environment] = true
		r.parts = r.parts || kind == partKind
	case kind != "":
		r.files[path] = true
		if cluster, ok := id.Key().Value("cluster"); ok {
			r.clusters[cluster] = true
		}
		if one { // which another file may hold, too
			r.addDocument(id)
		}
	}
}

// addDocument widens the region by the files of a document.
func (r *region) addDocument(id dovetail.ID) {
	d := instancerepo.Document{ID: id}
	if environment, ok := d.Environment(); ok {
		r.environments[environment] = true
		r.parts = r.parts || kindOf(id) == partKind
		return
	}
	for _, path := range instancerepo.Paths(id) {
		r.files[path] = true
	}
}

// reads reports whether one of these files may be among those that are read for the region.
func (r *region) reads(paths map[string]bool) bool {
	part := r.part()
	for path := range paths {
		if r.whole || slices.ContainsFunc(part.Under, func(folder string) bool { return strings.HasPrefix(path, folder+"/") }) {
			return true
		}
	}
	return false
}

// kindOf is the kind of a document that the repository holds, which is the name of its last element.
func kindOf(id dovetail.ID) string {
	key := id.Key()
	if len(key) == 0 {
		return ""
	}
	return key[len(key)-1].Name
}

// list returns the environments in order.
func (r *region) list() []inventory.Environment {
	var all []inventory.Environment
	for e := range r.environments {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b inventory.Environment) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// part is what must be read of the repository: of environments also the ParamSets that they may use.
func (r *region) part() gitrepo.Part {
	switch {
	case r.whole:
		return gitrepo.Part{}
	case r.outside:
		return gitrepo.Part{Without: func(folder string) bool {
			e, _ := instancerepo.EnvironmentOf(folder + "/any")
			return isEnvironment(folder) && !r.environments[e] || !r.parts && isParts(folder)
		}}
	}
	folders := make(map[string]bool)
	for e := range r.environments {
		folders[instancerepo.Folder(e)] = true
		folders[parameters.Location{}.String()] = true
		folders[parameters.Location{Cluster: e.Cluster}.String()] = true
	}
	for file := range r.files {
		folders[file[:strings.LastIndexByte(file, '/')]] = true
	}
	p := gitrepo.Part{Under: []string{}}
	for folder := range folders {
		p.Under = append(p.Under, folder)
	}
	slices.Sort(p.Under)
	if !r.parts {
		p.Without = isParts
	}
	return p
}

// named is the part of the files, beside ParamSets, that those of the region may name without being among them: only their names count. It returns
// false if there are none that are not read anyway.
func (r *region) named() (p gitrepo.Part, ok bool) {
	if r.whole {
		return p, false
	}
	for e := range r.environments {
		p.Under = append(p.Under, instancerepo.SharedFolders(e)...)
	}
	if !r.outside {
		for file := range r.files {
			p.Under = append(p.Under, instancerepo.FoldersNamedIn(file)...)
		}
	}
	if len(p.Under) == 0 {
		return p, false
	}
	slices.Sort(p.Under)
	p.Under = slices.Compact(p.Under)
	return p, true
}

// isEnvironment reports whether a folder is that of an environment.
func isEnvironment(folder string) bool {
	environment, ok := instancerepo.EnvironmentOf(folder + "/any")
	return ok && instancerepo.Folder(environment) == folder
}

// isParts reports whether a folder is the effective set of an environment.
func isParts(folder string) bool { return path.Base(folder) == partsFolder }

// isReserved reports whether a folder below that of all environments has none.
func isReserved(folder string) bool {
	return strings.Count(folder, "/") == 2 && !isEnvironment(folder) || strings.Count(folder, "/") == 1 && !isEnvironment(folder+"/any")
}

// isEmpty reports whether there is nothing in the region that documents could come from.
func (r *region) isEmpty() bool {
	return !r.whole && !r.outside && len(r.environments) == 0 && len(r.files) == 0
}

// holds reports whether a document may come from the region's files and no others.
func (r *region) holds(id dovetail.ID) bool {
	if r.whole {
		return true
	}
	d := instancerepo.Document{ID: id}
	if environment, ok := d.Environment(); ok {
		return r.environments[environment] && (r.parts || kindOf(id) != partKind)
	}
	if kindOf(id) == clusterKind {
		return r.clusters[id.Key()[0].Value]
	}
	return r.outside || slices.ContainsFunc(instancerepo.Paths(id), func(path string) bool { return r.files[path] })
}

// includes reports whether a file is in the region, so that what is wrong with it is known again.
func (r *region) includes(path string) bool {
	if r.whole || r.files[path] {
		return true
	}
	environment, ok := instancerepo.EnvironmentOf(path)
	if !ok {
		return r.outside
	}
	return r.environments[environment] && (r.parts || !strings.HasPrefix(path, instancerepo.Folder(environment)+"/"+partsFolder+"/"))
}

// judges reports whether a survey of the region can find a defect: that no environment uses a ParamSet of a cluster
// or the site, and that there are only templates, is found only in a survey of the whole repository.
func (r *region) judges(reason, path string) bool {
	switch reason {
	case ReasonClusterElsewhere:
		return r.listed
	case ReasonNowhere:
		return r.whole || r.outside
	}
	if _, ok := instancerepo.EnvironmentOf(path); !ok && (reason == instancerepo.ReasonParamSetUnreferenced || reason == instancerepo.ReasonTemplateRepository) {
		return r.whole
	}
	return r.includes(path)
}

// surveyed is what a region's files say.
type surveyed struct {
	documents []instancerepo.Document // by id
	byID      map[dovetail.ID]*instancerepo.Document
	defects   []*dovetail.Error // in the region
	refused   []*dovetail.Error // what the store could not hold of it
	sealed    []string          // the files of which SOPS hides what documents they hold
	clusters  []string          // of whose folders files were read
	used      []string          // the files of the ParamSets outside of environments that are associated
	unused    []*dovetail.Error // that others are not, as far as this shows
	templates []*dovetail.Error // that the repository is one of templates, if it has no environments
}

// survey reads files as documents.
func (r *region) survey(files iter.Seq2[instancerepo.File, error], keys *ciphertext.Keys) (*surveyed, error) {
	contents, err := instancerepo.Survey(files)
	if err != nil {
		return nil, err
	}
	s := &surveyed{documents: contents.Documents(), clusters: contents.Clusters, sealed: contents.Sealed}
	s.index()
	for _, environment := range contents.Environments {
		for _, association := range environment.Associations {
			if association.ParamSet == nil {
				continue
			}
			if _, own := instancerepo.EnvironmentOf(association.ParamSet.File); !own {
				s.used = append(s.used, association.ParamSet.File)
			}
		}
	}
	slices.Sort(s.used)
	s.used = slices.Compact(s.used)
	defects := slices.Concat(contents.Defects, contents.Missing())
	if keys.Identities().Any() {
		defects = append(defects, contents.UnopenedFiles(keys)...)
	}
	for _, e := range defects {
		switch {
		case instancerepo.SeverityOf(e) <= instancerepo.Info:
		case r.outside && e.Reason == instancerepo.ReasonParamSetUnreferenced:
			s.unused = append(s.unused, e)
		case r.outside && e.Reason == instancerepo.ReasonTemplateRepository:
			s.templates = append(s.templates, e)
		case r.judges(e.Reason, e.Position.File):
			s.defects = append(s.defects, e)
		}
	}
	return s, nil
}

// index finds the documents by their ids.
func (s *surveyed) index() {
	s.byID = make(map[dovetail.ID]*instancerepo.Document, len(s.documents))
	for i := range s.documents {
		s.byID[s.documents[i].ID] = &s.documents[i]
	}
}

// hides reports whether a document is of a file of which SOPS hides what it holds.
func (s *surveyed) hides(id dovetail.ID) bool {
	return slices.ContainsFunc(s.sealed, func(file string) bool {
		kind, holder, one := instancerepo.Holder(file)
		key := id.Key()
		parent := key[:len(key)-1].ID()
		switch {
		case one && kind == environmentKind: // its inventory, which holds the associations, too
			return id == holder || parent == holder && kindOf(id) == associationKind
		case one:
			return id == holder
		default:
			return kindOf(id) == kind && parent == holder
		}
	})
}

// filesOf passes files from Git on to the engine.
func filesOf(files iter.Seq2[gitrepo.File, error]) iter.Seq2[instancerepo.File, error] {
	return func(yield func(instancerepo.File, error) bool) {
		for f, err := range files {
			if !yield(fileOfGit(f), err) {
				return
			}
		}
	}
}

func fileOfGit(f gitrepo.File) instancerepo.File {
	return instancerepo.File{Path: f.Path, Data: f.Data, Irregular: f.Irregular, Large: f.Large}
}

// unread passes on files of which there are only the names.
func unread(files iter.Seq2[gitrepo.File, error]) iter.Seq2[instancerepo.File, error] {
	return func(yield func(instancerepo.File, error) bool) {
		for f, err := range files {
			if !yield(instancerepo.File{Path: f.Path, Unread: true}, err) {
				return
			}
		}
	}
}
