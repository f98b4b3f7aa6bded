package app

import (
	"os"
	"slices"
	"strings"

	refschemas "github.com/dovetail-store/dovetail/ref-schemas"
	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/descriptor"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/secret/keyring"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/schema"
)

// refSchemaFiles are the files that an operator gives, and the services whose kinds come beside theirs.
type refSchemaFiles struct {
	path     string   // a directory or a file; "" means the ref-schema built into the program, which has all kinds
	services []string // by name
	named    bool     // whether the operator named the services, so that they must have their kinds
}

// refSchemas returns the files of a configuration. The services that it names bring their kinds. Where it names none, change
// sets do, which work with documents of all kinds.
func (c *Config) refSchemas() refSchemaFiles {
	if len(c.NamedServices) == 0 {
		return refSchemaFiles{path: c.RefSchemas, services: []string{changeset.ServiceName}}
	}
	return refSchemaFiles{path: c.RefSchemas, services: c.NamedServices, named: true}
}

// compile compiles the files with the kinds of the services, and with those that another process brought into the ref-schema in
// force, which is nil if there is none.
func (f refSchemaFiles) compile(inForce *schema.Model) (*schema.Model, error) {
	sources, err := readSources(f.path)
	if err != nil {
		return nil, err
	}
	if f.path == "" {
		return schema.Compile(sources)
	}
	parts, err := f.parts()
	if err != nil {
		return nil, err
	}
	if err := f.checkParts(sources, parts); err != nil {
		return nil, err
	}
	return schema.Compile(schema.Complete(schema.WithBuiltIn(sources, parts), inForce))
}

// checkParts refuses files that define some of the kinds of a service that the operator named, and not all: the others would not
// fit to them.
func (f refSchemaFiles) checkParts(sources, parts []schema.Source) error {
	if !f.named {
		return nil
	}
	names := schema.Names(sources)
	var errs dovetail.Errors
	for _, part := range parts {
		all := schema.Names([]schema.Source{part})
		own := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !slices.Contains(names, name) })
		if len(own) > 0 && len(own) < len(all) {
			errs.Add(&dovetail.Error{Code: dovetail.CodeSchema, Message: "the files of --ref-schemas define " + strings.Join(own, ", ") + ", and not the other kinds of " + part.BuiltInName(),
				Remedy: "give them another name, so that the service brings its own; or define all its kinds; or leave out of --services what needs them"})
		}
	}
	return errs.Err("the kinds of the services cannot be added")
}

// serviceSchemas returns the ref-schemas of all services, and of what they need.
func serviceSchemas() []schema.Source {
	return []schema.Source{changeset.RefSchema(), descriptor.RefSchema(), gitsync.RefSchema(), inventory.RefSchema(), keyring.RefSchema(),
		layering.RefSchema(), override.RefSchema(), resolution.RefSchema()}
}

// parts returns the ref-schemas of the services, and those whose kinds they are below or refer to.
func (f refSchemaFiles) parts() ([]schema.Source, error) {
	all, err := schema.Compile(serviceSchemas())
	if err != nil {
		return nil, err
	}
	needs := make(map[string][]string) // by service, the services of the kinds that its kinds name
	for _, kind := range all.Kinds() {
		if kind.Parent != nil {
			needs[kind.Service] = append(needs[kind.Service], kind.Parent.Service)
		}
		for _, r := range kind.References {
			for _, target := range r.To {
				needs[kind.Service] = append(needs[kind.Service], target.Service)
			}
		}
	}
	chosen := slices.Clone(f.services)
	for i := 0; i < len(chosen); i++ {
		for _, needed := range needs[chosen[i]] {
			if !slices.Contains(chosen, needed) {
				chosen = append(chosen, needed)
			}
		}
	}
	return slices.DeleteFunc(serviceSchemas(), func(part schema.Source) bool { return !slices.Contains(chosen, part.BuiltInName()) }), nil
}

// readSources reads the ref-schemas of a directory, or a file; "" means those built into the program.
func readSources(name string) ([]schema.Source, error) {
	if name == "" {
		return schema.ReadFS(refschemas.FS)
	}
	if isFile(name) {
		source, err := schema.ReadFile(name)
		return []schema.Source{source}, err
	}
	return schema.ReadDir(name)
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}
