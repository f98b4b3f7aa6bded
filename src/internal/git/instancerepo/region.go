package instancerepo

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
)

// Kinds returns the names of the kinds that instance repositories hold, in order. All others are none of
// their business.
func Kinds() []string {
	kinds := []string{"cluster", AssociationKind}
	for i := range places {
		kinds = append(kinds, places[i].kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// IsOfEnvironment reports whether documents of a kind are environments, or below one.
func IsOfEnvironment(kind string) bool {
	return kind == AssociationKind || slices.ContainsFunc(places[:], func(p place) bool { return p.kind == kind && strings.HasPrefix(p.path, environmentFolder) })
}

// EnvironmentOf returns the environment in whose folder a file is.
func EnvironmentOf(file string) (inventory.Environment, bool) {
	const root = "environments"
	parts := strings.SplitN(file, "/", 4)
	if len(parts) < 4 || parts[0] != root || !inventory.IsFolder(parts[1]) || !inventory.IsFolder(parts[2]) {
		return inventory.Environment{}, false
	}
	return inventory.Environment{Cluster: parts[1], Name: parts[2]}, true
}

// Folder is where the files of an environment are.
func Folder(e inventory.Environment) string { return pathOf(e) }

// Holder tells what a file holds: the kind of its documents, and the one that it is the file of. Where the
// file holds several, or its content tells their names, id is that of their parent, and one is false. It
// returns "" for a file that holds none.
func Holder(file string) (kind string, id dovetail.ID, one bool) {
	at, ok := find(file)
	if !ok {
		return "", "", false
	}
	return at.kind, at.key.ID(), at.shape != manySpecs && at.shape != domainSpec
}
