package inventory

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// namings are the members of an environment that name documents of some kinds as text: the names of one of its own come before those of its
// cluster, and these before those of all.
var namings = []struct {
	kinds []string // that of documents of the environment, of its cluster, and of all
	path  []string
}{
	{[]string{"environmentCloudPassport", "cloudPassport"}, []string{"spec", "definition", "inventory", "cloudPassport"}},
	{[]string{"environmentVariableSet", "clusterVariableSet", "variableSet"}, []string{"spec", "definition", "envTemplate", "sharedTemplateVariables"}},
	{[]string{"environmentCredentialSet", "clusterCredentialSet", "credentialSet"}, []string{"spec", "definition", "envTemplate", "sharedMasterCredentialFiles"}},
	{[]string{"environmentResourceProfile", "clusterResourceProfile", "resourceProfile"}, []string{"spec", "definition", "envTemplate", "envSpecificResourceProfiles"}},
	{[]string{"renderedProfile"}, []string{"spec", "cloud", "profile", "name"}},
	{[]string{"environment"}, []string{"spec", "definition", "inventory", "environmentName"}},
}

// Follow returns the documents of the inventory that have the name of a document that gets another id (store.Follow) as plain text, as files of an
// instance repository name each other.
func Follow(ctx context.Context, from store.Reader, moved dovetail.Move) ([]store.Followed, error) {
	was, is := moved.From.Key(), moved.To.Key()
	f := following{ctx: ctx, from: from, moved: moved, was: was[len(was)-1].Value, is: is[len(is)-1].Value}
	if f.was == f.is {
		return nil, nil
	}
	kind := was[len(was)-1].Name
	switch kind {
	case "application", "environmentApplication", "renderedProfile", "bgDomain":
		if err := f.change([]dovetail.ID{moved.From}, f.texts("spec", "name")); err != nil {
			return nil, err
		}
	case "deployPostfix":
		return f.found, f.namespace()
	}
	for _, n := range namings {
		if level := slices.Index(n.kinds, kind); level >= 0 {
			if err := f.environments(n.kinds[:level], n.path); err != nil {
				return nil, err
			}
		}
	}
	if kind == "renderedProfile" {
		return f.found, f.below(was[:2].ID(), "deployPostfix", f.texts("spec", "profile", "name"))
	}
	return f.found, nil
}

// following finds what has the name of one document.
type following struct {
	ctx     context.Context
	from    store.Reader
	moved   dovetail.Move
	was, is string // its name before and after
	found   []store.Followed
}

// namespace has the blue-green domain of a namespace follow it, unless the namespace has a name of its own on the cluster, and what its environment
// says of it.
func (f *following) namespace() error {
	documents, err := f.from.GetAll(f.ctx, []dovetail.ID{f.moved.From})
	if err != nil || documents[0] == nil {
		return err
	}
	data, err := value.DataOf(documents[0], nil)
	if err != nil {
		return err
	}
	environment := f.moved.From.Key()[:2].ID()
	if f.moved.To.Key()[:2].ID() != environment {
		return nil // what another environment says is not about it
	}
	if called, _ := data.At("spec", "namespace").Str(); called == "" {
		err := f.below(environment, "bgDomain", func(data *value.Value) bool {
			changed := false
			for _, role := range []string{"originNamespace", "peerNamespace", "controllerNamespace"} {
				changed = f.texts("spec", role, "name")(data) || changed
			}
			return changed
		})
		if err != nil {
			return err
		}
	}
	return f.change([]dovetail.ID{environment}, func(data *value.Value) bool {
		changed := f.names(data.At("spec", "definition", "envTemplate", "envSpecificResourceProfiles"))
		if unresolved := data.At("spec", "unresolved"); unresolved != nil {
			for _, item := range unresolved.Items {
				changed = f.replace(item.Get("associatedObject")) || changed
			}
		}
		return changed
	})
}

// environments has the environments follow that name the document at a path, and no nearer one of the kinds that come before.
func (f *following) environments(nearer, path []string) error {
	key := f.moved.From.Key()
	if len(key) > 1 && key[1].Name == "environment" {
		return f.change([]dovetail.ID{key[:2].ID()}, f.texts(path...))
	}
	for doc, err := range f.from.List(f.ctx, store.Query{Under: key[:len(key)-1].ID(), Kind: "environment"}) {
		if err != nil {
			return err
		}
		hidden := make([]dovetail.ID, len(nearer))
		for i, kind := range nearer {
			hidden[i] = doc.Key()[:2-i].ID().Child(kind, f.was)
		}
		there, err := f.from.GetAll(f.ctx, hidden)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(there, func(doc *dovetail.Document) bool { return doc != nil }) {
			continue
		}
		if err := f.take(doc, f.texts(path...)); err != nil {
			return err
		}
	}
	return nil
}

// below has the documents of a kind below an id follow where a change changes them.
func (f *following) below(id dovetail.ID, kind string, change func(data *value.Value) bool) error {
	for doc, err := range f.from.List(f.ctx, store.Query{Under: id, Kind: kind}) {
		if err != nil {
			return err
		}
		if err := f.take(doc, change); err != nil {
			return err
		}
	}
	return nil
}

// change has documents follow where a change changes them.
func (f *following) change(ids []dovetail.ID, change func(data *value.Value) bool) error {
	documents, err := f.from.GetAll(f.ctx, ids)
	if err != nil {
		return err
	}
	for _, doc := range documents {
		if doc == nil {
			continue // another writer deleted it
		}
		if err := f.take(doc, change); err != nil {
			return err
		}
	}
	return nil
}

// take adds a document if a change changes its data.
func (f *following) take(doc *dovetail.Document, change func(data *value.Value) bool) error {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return err
	}
	if data = data.Unplaced(); !change(data) {
		return nil
	}
	if doc.ID == f.moved.From {
		if metadata := data.Get("metadata"); metadata != nil {
			f.replace(metadata.Get("name"))
		}
	}
	f.found = append(f.found, store.Followed{ID: doc.ID, Data: data})
	return nil
}

// texts returns a change of the name in the texts at a path: a string, or those in a list or a map.
func (f *following) texts(path ...string) func(data *value.Value) bool {
	return func(data *value.Value) bool { return f.replace(data.At(path...)) }
}

// replace changes the name in a text, in the items of a list or the members of a map, and reports whether it is there.
func (f *following) replace(v *value.Value) bool {
	if v == nil {
		return false
	}
	changed := v.Kind == value.String && v.Text == f.was
	if changed {
		v.Text = f.is
	}
	for _, item := range v.Items {
		changed = f.replace(item) || changed
	}
	for _, m := range v.Members {
		changed = f.replace(m.Value) || changed
	}
	return changed
}

// names changes the name where it is that of a member, and reports whether it is there.
func (f *following) names(v *value.Value) bool {
	if v == nil || v.Get(f.was) == nil || v.Get(f.is) != nil {
		return false
	}
	for i := range v.Members {
		if v.Members[i].Name == f.was {
			v.Members[i].Name = f.is
		}
	}
	return true
}
