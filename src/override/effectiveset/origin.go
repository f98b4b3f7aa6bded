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

// comesFrom notes for the files in a folder the levels that their parameters come from, later ones over earlier ones.
func (c *calculation) comesFrom(folder string, levels ...given) {
	if c.Origins {
		c.set.origins[folder] = levels
	}
}

// Origin returns where a value of a file comes from, by its path in the form of JSON Pointer; false when no level says it, or when the set was
// calculated without Input.Origins.
func (s *Set) Origin(file, pointer string) (Origin, bool) {
	names, ok := value.SplitPointer(pointer)
	if !ok || len(names) == 0 {
		return Origin{}, false
	}
	folder := path.Dir(file)
	if path.Base(folder) == "values" {
		folder = path.Dir(folder)
	}
	levels := slices.Clone(s.origins[folder])
	slices.Reverse(levels)
	// What all services and charts get stands once more below global and below each service.
	tries := [][]string{names}
	if len(names) > 1 {
		tries = append(tries, names[1:])
	}
	for _, whole := range []bool{true, false} {
		for _, names := range tries {
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
