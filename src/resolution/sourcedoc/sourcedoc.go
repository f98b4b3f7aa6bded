package sourcedoc

import (
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// The kinds, which are also the names of their own key elements.
const (
	KindSource  = "source"
	KindPackage = "package"
	KindVersion = "packageVersion"
)

// The members of a Source document that are not of the spec of a stored one.
const (
	memberName     = "name"
	memberVersion  = "version"
	memberPackages = "packages"
	memberVersions = "versions"
)

// ID is that of the source of the name.
func ID(source string) dovetail.ID { return dovetail.ID("").Child(KindSource, source) }

// Operations are the writes that make what is stored of a source equal to the document: a Put of everything
// in it, and a Delete of those of the stored documents below the source that are not in it. They
// belong into one transaction. The name may be left out of the document; one that differs is refused.
//
// The error has the code CodeInvalid and tells everything that keeps the document from being taken apart; what
// is wrong with the parts, the store says. stop is asked after every few hundred parts; its error ends the work and is returned. It
// may be nil.
func Operations(stop func() error, name string, document *value.Value, stored []dovetail.ID) ([]store.Operation, error) {
	s := splitter{stop: stop, at: make(map[dovetail.ID]bool)}
	if document.Kind != value.Map {
		s.refuse(document, "", "a source must be an object, not a "+document.Kind.String(), "send name, priority and packages")
		return nil, s.err()
	}
	if given := document.Get(memberName); given != nil {
		if text, _ := given.Str(); text != name {
			s.refuse(given, "/"+memberName, "the source is called "+strconv.Quote(text)+", not "+strconv.Quote(name), "leave the name out")
		}
	}
	id := ID(name)
	s.put(id, name, document, "", memberName, memberPackages)
	for i, p := range s.list(document, "", memberPackages) {
		if s.ended() {
			return nil, s.stopped
		}
		at := "/" + memberPackages + "/" + strconv.Itoa(i)
		packageID, packageName := s.child(id, KindPackage, p, at, memberName)
		if packageID == "" {
			continue
		}
		s.put(packageID, packageName, p, at, memberName, memberVersions)
		for j, v := range s.list(p, at, memberVersions) {
			if s.ended() {
				return nil, s.stopped
			}
			below := at + "/" + memberVersions + "/" + strconv.Itoa(j)
			if versionID, version := s.child(packageID, KindVersion, v, below, memberVersion); versionID != "" {
				s.put(versionID, version, v, below, memberVersion)
			}
		}
	}
	for _, old := range stored {
		if s.ended() {
			return nil, s.stopped
		}
		if !s.at[old] {
			s.operations = append(s.operations, store.Operation{Verb: store.Delete, ID: old})
		}
	}
	return s.operations, s.err()
}

// Refresh are the Operations of a catalog: a document that says what packages there are, but nothing of the source
// itself. What is stored of that stays, except the priority if one is given, not nil.
func Refresh(stop func() error, name string, catalog, priority *value.Value, stored []dovetail.ID) ([]store.Operation, error) {
	id := ID(name)
	if !slices.Contains(stored, id) {
		if priority != nil {
			catalog = catalog.Clone()
			catalog.Set("priority", priority)
		}
		return Operations(stop, name, catalog, stored)
	}
	operations, err := Operations(stop, name, catalog, stored)
	if err != nil {
		return nil, err
	}
	operations = slices.DeleteFunc(operations, func(o store.Operation) bool { return o.ID == id })
	if priority != nil {
		spec := value.NewMap(value.Member{Name: "priority", Value: priority})
		operations = append(operations, store.Operation{Verb: store.Patch, ID: id, Data: value.NewMap(value.Member{Name: "spec", Value: spec})})
	}
	return operations, nil
}

type splitter struct {
	operations []store.Operation
	at         map[dovetail.ID]bool
	errs       dovetail.Errors

	stop    func() error
	stopped error
	steps   int
}

// stepsBetween is after how many parts stop is asked.
const stepsBetween = 256

// ended counts a step, and reports whether to take no more.
func (s *splitter) ended() bool {
	if s.stop != nil && s.steps%stepsBetween == 0 {
		s.stopped = s.stop()
	}
	s.steps++
	return s.stopped != nil
}

func (s *splitter) err() error { return s.errs.Err("the source cannot be read") }

func (s *splitter) refuse(v *value.Value, path, message, remedy string) {
	if s.errs.Full() {
		s.errs.Count(1)
		return
	}
	position := v.Position()
	position.Path = path
	s.errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Message: message, Remedy: remedy, Position: position})
}

func (s *splitter) list(of *value.Value, path, member string) []*value.Value {
	v := of.Get(member)
	if v != nil && v.Kind != value.List {
		s.refuse(v, path+"/"+member, member+" must be a list, not a "+v.Kind.String(), "send a list")
		return nil
	}
	if v == nil {
		return nil
	}
	return v.Items
}

// child is the id and the name of a part, "" when it has none that can be used.
func (s *splitter) child(of dovetail.ID, kind string, part *value.Value, path, member string) (dovetail.ID, string) {
	if part.Kind != value.Map {
		s.refuse(part, path, "a "+kind+" must be an object, not a "+part.Kind.String(), "send an object")
		return "", ""
	}
	name, ok := part.Get(member).Str()
	if !ok {
		s.refuse(part, path, "the "+member+" is missing", "give it, as a text")
		return "", ""
	}
	if why := dovetail.CheckValue(name); why != "" {
		s.refuse(part.Get(member), path+"/"+member, "the "+member+" "+why, "")
		return "", ""
	}
	id := of.Child(kind, name)
	if s.at[id] {
		s.refuse(part, path, "duplicate "+kind+" "+strconv.Quote(name), "keep one of the two")
		return "", ""
	}
	return id, name
}

// put writes a part without the members that name it and that are documents of their own.
func (s *splitter) put(id dovetail.ID, name string, part *value.Value, path string, without ...string) {
	spec := value.NewMap()
	for _, m := range part.Members {
		if !slices.Contains(without, m.Name) {
			spec.Members = append(spec.Members, m)
		}
	}
	data := value.NewMap(
		value.Member{Name: "metadata", Value: value.NewMap(value.Member{Name: memberName, Value: value.NewString(name)})},
		value.Member{Name: "spec", Value: spec})
	position := part.Position()
	position.Path = path
	s.at[id] = true
	s.operations = append(s.operations, store.Operation{Verb: store.Put, ID: id, Data: data, Position: position})
}
