package instancerepo

import (
	"cmp"
	"errors"
	"os"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/value"
)

// Namespaces returns the deploy postfixes of an environment's namespaces, which are the names of
// their folders, by the names of the namespaces. It is nil when the environment has no folder of
// them, as before its first build. A namespace whose file does not tell its name is called as its
// folder.
func (r *Repository) Namespaces(env inventory.Environment) (map[string]string, error) {
	dir := pathOf(env, "Namespaces")
	entries, err := os.ReadDir(r.full(dir))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, unreadable(dir, err)
	}
	namespaces := make(map[string]string)
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		f, err := r.read(pathOf(env, "Namespaces", entry.Name(), "namespace.yml"), pathOf(env, "Namespaces", entry.Name(), "namespace.yaml"))
		if err != nil {
			return nil, err
		}
		namespaces[cmp.Or(nameIn(f), entry.Name())] = entry.Name()
	}
	return namespaces, nil
}

// domain returns the blue-green domain of an environment, nil if there is none that can be read.
func (r *Repository) domain(env inventory.Environment) (*sd.Domain, error) {
	f, err := r.read(pathOf(env, "bg_domain.yml"), pathOf(env, "bg_domain.yaml"))
	if err != nil {
		return nil, err
	}
	return sd.DomainOf(mapIn(f)), nil
}

func nameIn(f file) string {
	name, _ := mapIn(f).Get("name").Str()
	return name
}

// mapIn is the map that a file of the calculator is; nil when it is none.
func mapIn(f file) *value.Value {
	values, _, err := yaml.ParseJava(f.path, f.data, value.Limits{})
	if err != nil || len(values) != 1 || values[0].Kind != value.Map {
		return nil
	}
	return values[0]
}
