package resolution

import (
	"context"
	"iter"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/fleet"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Rules returns what the service knows of its documents.
func Rules() store.Service {
	return store.Service{Follow: followed, Authors: Authors(), Verify: verify}
}

// verify finds ActiveResolutions that are not what their sets make.
func verify(ctx context.Context, then *store.Store) iter.Seq2[store.Defect, error] {
	return fleet.Verify(reader(ctx), then)
}

// followed returns what follows a set, a cluster, or a source, package or version (store.Follow): requests keep the names of packages, which may
// be in other sources, too.
func followed(ctx context.Context, from store.Reader, moved dovetail.Move) ([]store.Followed, error) {
	named, what := namedBy(moved.From.Key())
	if named == nil {
		return fleet.Follow(ctx, from, moved)
	}
	var found []store.Followed
	for _, kind := range []string{state.Kind, fleet.Kind} {
		for doc, err := range from.List(ctx, store.Query{Kind: kind}) {
			if err != nil {
				return nil, err
			}
			data, err := value.DataOf(doc, nil)
			if err != nil {
				return nil, err
			}
			specs := []*value.Value{data.Get("spec"), data.At("spec", "template", "spec")}
			if clusters := data.At("spec", "clusters"); clusters != nil {
				specs = append(specs, clusters.Items...)
			}
			for _, spec := range specs {
				if names(spec, named) {
					found = append(found, store.Followed{ID: doc.ID, Keeps: "names the " + what})
					break
				}
			}
		}
	}
	return found, nil
}

// namedBy returns what tells whether an installed package is meant by a document, and what that is called; nil for documents that requests do not
// name. A source is named of what is installed, and a package by constraints and policies, too.
func namedBy(key dovetail.Key) (named func(name, version, source string) bool, what string) {
	switch last := key[len(key)-1]; last.Name {
	case sourcedoc.KindSource:
		return func(_, _, source string) bool { return source == last.Value }, "source " + last.Value + " for what is installed"
	case sourcedoc.KindPackage:
		return func(name, _, _ string) bool { return name == last.Value }, "package " + last.Value
	case sourcedoc.KindVersion:
		of := key[len(key)-2].Value
		return func(name, version, _ string) bool { return name == of && version == last.Value }, "version " + last.Value + " of " + of
	}
	return nil, ""
}

// names reports whether a request names something.
func names(spec *value.Value, named func(name, version, source string) bool) bool {
	if spec == nil {
		return false
	}
	text := func(v *value.Value) string {
		if v == nil {
			return ""
		}
		return v.Text
	}
	if installed := spec.Get("installed"); installed != nil {
		for _, item := range installed.Items {
			if named(text(item.Get("name")), text(item.Get("version")), text(item.Get("source"))) {
				return true
			}
		}
	}
	if packages := spec.At("policy", "packages"); packages != nil {
		for _, m := range packages.Members {
			if named(m.Name, "", "") {
				return true
			}
		}
	}
	return inConstraints(spec.Get("constraints"), func(name string) bool { return named(name, "", "") })
}

// inConstraints reports whether a text of constraints is the name of a package, or has it in quotes, as expressions do.
func inConstraints(v *value.Value, named func(string) bool) bool {
	if v == nil {
		return false
	}
	if v.Kind == value.String {
		if named(v.Text) {
			return true
		}
		for i, quoted := range strings.Split(v.Text, `"`) {
			if i%2 == 1 && named(quoted) {
				return true
			}
		}
	}
	for _, item := range v.Items {
		if inConstraints(item, named) {
			return true
		}
	}
	for _, m := range v.Members {
		if inConstraints(m.Value, named) {
			return true
		}
	}
	return false
}
