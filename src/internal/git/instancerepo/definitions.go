package instancerepo

import (
	"context"
	"iter"
	"path"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
)

// Definitions are those of artifacts, applications and registries, and credentials, that an environment of a repository
// uses: its own first, as it was built with them. They are read when they are asked for.
type Definitions struct {
	Repository  *Repository
	Environment inventory.Environment
}

// environmentKinds are the kinds of an environment's own definitions, by those of all environments.
var environmentKinds = map[string]string{"appDefinition": "environmentAppDefinition", "registryDefinition": "environmentRegistryDefinition"}

// Get returns the document that a file is. Errors: CodeNotFound; those of reading files; the first defect of the file.
func (d Definitions) Get(_ context.Context, id dovetail.ID) (*dovetail.Document, error) {
	key := id.Key()
	candidates := []dovetail.ID{id}
	if own, ok := environmentKinds[key[len(key)-1].Name]; ok {
		candidates = []dovetail.ID{d.Environment.ID().Child(own, key[len(key)-1].Value), id}
	}
	for _, candidate := range candidates {
		for _, p := range placesOf(candidate.Key()) {
			if unwritableKey(candidate.Key(), []*place{p}) != nil {
				continue
			}
			all, err := d.Repository.documents(p.pathOf(candidate.Key()))
			if err != nil {
				return nil, err
			}
			for _, found := range all {
				if found.ID == candidate {
					return &dovetail.Document{ID: id, Data: found.Data.JSON()}, nil
				}
			}
		}
	}
	return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: "the repository has no " + string(id), Remedy: "add it"}
}

// Registries yields the registries that the repository defines: by themselves, of the environment, and in definitions of
// artifacts. Who may change one of them may change all.
func (d Definitions) Registries(ctx context.Context) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		for f, err := range d.Repository.below(ctx, "regdefs", pathOf(d.Environment, "RegDefs"), "configuration/artifact_definitions") {
			if err != nil {
				yield(nil, err)
				return
			}
			if f.Irregular {
				continue
			}
			all, err := documentsOf(f)
			if err != nil { // it names no host
				continue
			}
			for _, found := range all {
				if strings.HasPrefix(string(found.ID), "artifactDefinition/") {
					registry := found.Data.At("spec", "registry")
					if registry == nil {
						continue
					}
					found = newDocument(found.ID, registry, found.Position)
				}
				if !yield(&dovetail.Document{ID: found.ID, Data: found.Data.JSON()}, nil) {
					return
				}
			}
		}
	}
}

// documents are those of a file with one extension or the other; none if there is no file.
func (r *Repository) documents(name string) ([]Document, error) {
	stem := strings.TrimSuffix(name, path.Ext(name))
	f, err := r.read(stem+".yml", stem+".yaml")
	if err != nil || f.data == nil {
		return nil, err
	}
	return documentsOf(File{Path: f.path, Data: f.data})
}

// documentsOf are the documents of a file of the layout. The error is its first defect.
func documentsOf(f File) ([]Document, error) {
	at, ok := find(f.Path)
	if !ok {
		return nil, nil
	}
	data, _, defects := parse(f.Path, f.Data, at.place)
	if len(defects) > 0 {
		return nil, defects[0]
	}
	c := content{spot: at, file: f.Path, data: data}
	return c.documents(), nil
}
