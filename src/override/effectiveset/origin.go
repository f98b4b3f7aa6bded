package effectiveset

import (
	"path"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Level is where in the hierarchy of an environment a parameter is set.
type Level string

// The levels.
const (
	LevelTenant           Level = "tenant"
	LevelCloud            Level = "cloud"
	LevelCloudApplication Level = "cloud-application" // an application in the whole environment
	LevelNamespace        Level = "namespace"
	LevelApplication      Level = "application" // of a namespace
	LevelCustom           Level = "custom"      // parameters of one run
	LevelSBOM             Level = "sbom"        // of an application: its artifact and images, and the baselines of profiles
	LevelProfile          Level = "profile"     // what is laid over the baseline of a resource profile
	LevelCredential       Level = "credential"  // of the environment, which a macro names
	LevelCalculated       Level = "calculated"  // no user has set it
)

// Origin says which level gave a value. The position is unknown for calculated values. A value that macros are part of is of the level that has
// the macros.
type Origin struct {
	Level    Level
	Position dovetail.Position
}

// given are the parameters of one level.
type given struct {
	level Level
	parameters
}

// provenance is what the files in a folder come from.
type provenance struct {
	levels []given               // later ones over earlier ones
	paths  map[string]parameters // what macros call levels
	beside *provenance           // where macros look further; nil for nowhere
	of     *calculation
}

// comesFrom notes for the files in a folder the levels that their parameters come from, later ones over earlier ones, and what macros call levels.
func (c *calculation) comesFrom(folder string, paths map[string]parameters, levels ...given) *provenance {
	if !c.Origins {
		return nil
	}
	p := &provenance{levels: levels, paths: paths, of: c}
	c.set.origins[folder] = p
	return p
}

// provenance is that of a file.
func (s *Set) provenance(file string) *provenance {
	folder := path.Dir(file)
	if path.Base(folder) == "values" {
		folder = path.Dir(folder)
	}
	return s.origins[folder]
}

// tries are the names by which a value of a file may be known in levels: what all services and charts get stands once more below global
// and below each service.
func tries(names []string) [][]string {
	if len(names) > 1 {
		return [][]string{names, names[1:]}
	}
	return [][]string{names}
}

// Origin returns where a value of a file comes from, by its path in the form of JSON Pointer; false when no level says it, or when the set was
// calculated without Input.Origins.
func (s *Set) Origin(file, pointer string) (Origin, bool) {
	names, ok := value.SplitPointer(pointer)
	p := s.provenance(file)
	if !ok || len(names) == 0 || p == nil {
		return Origin{}, false
	}
	levels := slices.Clone(p.levels)
	slices.Reverse(levels)
	for _, whole := range []bool{true, false} {
		for _, names := range tries(names) {
			for _, l := range levels {
				p, set := l.parameters[names[0]]
				if !set {
					continue
				}
				v, found := p.value.Find(value.Pointer(names[1:]...))
				switch {
				case found:
				case !whole: // of what a macro stands for
					v = p.value
				default:
					continue
				}
				if p.file == "" {
					return Origin{Level: LevelCalculated}, true
				}
				return Origin{l.level, v.In(p.file)}, true
			}
		}
	}
	return Origin{}, false
}
