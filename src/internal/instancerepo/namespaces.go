package instancerepo

import (
	"cmp"
	"errors"
	"os"

	"github.com/dovetail-store/dovetail/src/internal/yaml"
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

func nameIn(f file) string {
	values, err := yaml.Parse(f.path, f.data, value.Limits{})
	if err != nil || len(values) != 1 {
		return ""
	}
	name, _ := values[0].Get("name").Str()
	return name
}
