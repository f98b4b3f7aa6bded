package override

import (
	"context"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// memberAppName is the member of an application in a ParamSet that has its name.
const memberAppName = "appName"

// Follow returns the documents of the service that follow a document that gets another id (store.Follow): the ParamSets of overrides, which are
// named after what they are for, associations, whose ids are made of names, and the files of generated effective sets.
func Follow(ctx context.Context, from store.Reader, moved dovetail.Move) ([]store.Followed, error) {
	f := following{ctx: ctx, from: from, moved: moved, sets: make(map[dovetail.ID]dovetail.ID)}
	was := moved.From.Key()
	switch was[len(was)-1].Name {
	case kindCluster, kindEnvironment:
		return f.place()
	case kindNamespace, kindApplication:
		return f.object()
	case kindSiteParamSet, kindClusterParamSet, kindEnvironmentParamSet:
		return f.paramSet()
	}
	return nil, nil
}

// following finds what follows one document.
type following struct {
	ctx   context.Context
	from  store.Reader
	moved dovetail.Move
	sets  map[dovetail.ID]dovetail.ID // what the ids of ParamSets become, of those that follow
	found []store.Followed
}

// lastName is the last name in an id.
func lastName(id dovetail.ID) string {
	key := id.Key()
	return key[len(key)-1].Value
}

func (f *following) list(under dovetail.ID, kind string) ([]stored, error) {
	var all []stored
	for doc, err := range f.from.List(f.ctx, store.Query{Under: under, Kind: kind}) {
		if err != nil {
			return nil, err
		}
		one, err := parse(doc)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (f *following) associations(under dovetail.ID) ([]association, error) {
	documents, err := f.list(under, kindAssociation)
	if err != nil {
		return nil, err
	}
	return associationsOf(documents), nil
}

// associationsOf returns those documents that are associations.
func associationsOf(documents []stored) []association {
	var all []association
	for _, doc := range documents {
		if a, ok := associationOf(doc); ok {
			all = append(all, a)
		}
	}
	return all
}

// setOf returns what the id of a ParamSet becomes.
func (f *following) setOf(id dovetail.ID) dovetail.ID {
	if to, ok := f.sets[id]; ok {
		return to
	}
	return f.moved.Of(id)
}

// associate has an association follow: it is of another environment, object, namespace or ParamSet, and its id is made of these.
func (f *following) associate(a association, e inventory.Environment, object, folder string, order int) {
	next := newAssociation(e, a.context, object, folder, f.setOf(a.paramSet))
	data, spec := a.data.Unplaced(), a.spec().Unplaced()
	for _, kind := range []string{kindNamespace, kindSiteParamSet, kindClusterParamSet, kindEnvironmentParamSet} {
		if v := next.spec().Get(kind); v != nil {
			spec.Set(kind, v)
		}
	}
	spec.Set(memberAssociatedObject, value.NewString(object))
	spec.Set(memberOrder, value.NewNumber(int64(order)))
	data.Set(memberSpec, spec)
	name(data, next.name())
	f.found = append(f.found, store.Followed{ID: a.id, To: next.id, Data: data})
}

// name writes the name of a document into its data.
func name(data *value.Value, text string) {
	if metadata := data.Get(memberMetadata); metadata != nil && metadata.Kind == value.Map {
		metadata.Set(memberName, value.NewString(text))
	}
}

// folder is the namespace that an association holds, "" for the cloud.
func (a association) folder() string {
	folder, _ := a.spec().Get(kindNamespace).Str()
	return folder
}

// place has all associations below a cluster or an environment follow it.
func (f *following) place() ([]store.Followed, error) {
	all, err := f.associations(f.moved.From)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		f.associate(a, environmentOf(f.moved.Of(a.id)), a.object, a.folder(), a.order)
	}
	return f.found, nil
}

// paramSet has the associations of a ParamSet follow it, and the name in it.
func (f *following) paramSet() ([]store.Followed, error) {
	documents, err := f.from.GetAll(f.ctx, []dovetail.ID{f.moved.From})
	if err != nil || documents[0] == nil {
		return nil, err
	}
	set, err := parse(documents[0])
	if err != nil {
		return nil, err
	}
	f.rename(set, f.moved.To, "", "")
	users, err := f.users(f.moved.From)
	if err != nil {
		return nil, err
	}
	for _, a := range users {
		f.associate(a, a.environment, a.object, a.folder(), a.order)
	}
	return f.found, nil
}

// users returns the associations of a ParamSet.
func (f *following) users(set dovetail.ID) ([]association, error) {
	ids, err := f.from.Referrers(f.ctx, []dovetail.ID{set}, "", 0)
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(id dovetail.ID) bool { key := id.Key(); return key[len(key)-1].Name != kindAssociation })
	documents, err := f.get(ids)
	return associationsOf(documents), err
}

// get returns the documents with the ids, without those that another writer deleted.
func (f *following) get(ids []dovetail.ID) ([]stored, error) {
	documents, err := f.from.GetAll(f.ctx, ids)
	if err != nil {
		return nil, err
	}
	var all []stored
	for _, doc := range documents {
		if doc == nil {
			continue
		}
		one, err := parse(doc)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// rename has a ParamSet follow under another name, with that of an application in it.
func (f *following) rename(set stored, to dovetail.ID, was, is string) {
	f.sets[set.id] = to
	data := set.data.Unplaced()
	name(data, lastName(to))
	if spec := data.Get(memberSpec); spec != nil && spec.Kind == value.Map {
		if v, ok := spec.Get(memberName).Str(); ok && v == set.name() {
			spec.Set(memberName, value.NewString(lastName(to)))
		}
		renameApplication(spec, was, is, true)
	}
	f.found = append(f.found, store.Followed{ID: set.id, To: to, Data: data})
}

// renameApplication gives an application another name in a ParamSet that sets parameters for it, and reports whether that changes the ParamSet.
// If it is not alone, since other namespaces use the ParamSet too, the parameters are there under both names.
func renameApplication(spec *value.Value, was, is string, alone bool) bool {
	applications := spec.Get(memberApplications)
	if was == is || applications == nil || applications.Kind != value.List {
		return false
	}
	called := func(name string) func(*value.Value) bool {
		return func(item *value.Value) bool { text, ok := item.Get(memberAppName).Str(); return ok && text == name }
	}
	i := slices.IndexFunc(applications.Items, called(was))
	if i < 0 || slices.ContainsFunc(applications.Items, called(is)) {
		return false
	}
	item := applications.Items[i].Unplaced()
	item.Set(memberAppName, value.NewString(is))
	if alone {
		applications.Items[i] = item
	} else {
		applications.Items = append(slices.Clone(applications.Items), item)
	}
	return true
}

// isPart reports whether a file of an effective set has the parameters of a namespace, or of an application in it, and returns its path with
// other names.
func isPart(file, folder, application, toFolder, toApplication string) (string, bool) {
	parts := strings.Split(file, "/")
	if len(parts) < 3 || parts[1] != folder || application != "" && parts[2] != application {
		return "", false
	}
	if parts[1] = toFolder; application != "" {
		parts[2] = toApplication
	}
	return strings.Join(parts, "/"), true
}
