package parameters

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// EffectiveFiles are the files of a generated effective set that are merged for a target, in order, as
// paths below the folder effective-set. Their extension is .yaml; the target of pipelines is always the
// environment.
func EffectiveFiles(t Target) []string {
	folder, names := string(t.Context), []string{"parameters", "credentials"}
	switch t.Context {
	case Deployment:
		folder = path.Join(folder, t.DeployPostfix, t.Application, "values")
		names = []string{"deployment-parameters", "credentials", "collision-deployment-parameters", "collision-credentials"}
	case Runtime:
		folder = path.Join(folder, t.DeployPostfix, t.Application)
	}
	files := make([]string, len(names))
	for i, name := range names {
		files[i] = path.Join(folder, name+".yaml")
	}
	return files
}

// OverrideFile is the file of a generated effective set that overrides of a target are written into.
func OverrideFile(t Target) string { return EffectiveFiles(t)[0] }

// CheckEffective refuses a target that has no effective set, with the code CodeInvalid: deployment and
// runtime have one for each application, pipelines one for the environment.
func CheckEffective(t Target) error {
	if t.Context != Pipeline && t.Level() != LevelApplication {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("the effective set for %s is one of an application", t.Context),
			Remedy: "name the namespace and the application"}
	}
	return nil
}

// View is how an effective set is examined.
type View string

// The views.
const (
	ViewGenerated View = "generated" // as it was generated
	ViewToBe      View = "to-be"     // with the overrides laid over it
	ViewExplain   View = "explain"   // the same, with the sources of every parameter
)

// Views are the names of all of them.
func Views() []string {
	return []string{string(ViewGenerated), string(ViewToBe), string(ViewExplain)}
}

// ParseView reads a view; "" is ViewGenerated. The error has the code CodeInvalid.
func ParseView(text string) (View, error) {
	switch v := View(text); v {
	case ViewGenerated, ViewToBe, ViewExplain:
		return v, nil
	case "":
		return ViewGenerated, nil
	}
	return "", dovetail.Errorf(dovetail.CodeInvalid, "there is no view %q, only %s", text, strings.Join(Views(), ", "))
}

// OnOverlap says what to do when several files of an effective set give the same parameter.
type OnOverlap string

// What there is to do.
const (
	OverlapRefused   OnOverlap = "error"
	OverlapLaterWins OnOverlap = "last"
)

// ParseOnOverlap reads what to do; "" is OverlapRefused. The error has the code CodeInvalid.
func ParseOnOverlap(text string) (OnOverlap, error) {
	switch o := OnOverlap(text); o {
	case OverlapRefused, OverlapLaterWins:
		return o, nil
	case "":
		return OverlapRefused, nil
	}
	return "", dovetail.Errorf(dovetail.CodeInvalid, "there is no way %q to treat an overlap, only %s and %s", text, OverlapRefused, OverlapLaterWins)
}

// EffectiveSet is what a target gets.
type EffectiveSet struct {
	Merged
	Layers []Layer
	// Changes are the parameters in which it differs from what was generated, in the order of Leaves.
	Changes []Change
}

// Secrets are the paths of the parameters that a file of credentials gives, even where something else wins, in the order of Leaves.
func (s *EffectiveSet) Secrets() []string {
	paths := []string{}
	for _, leaf := range s.Leaves {
		if slices.ContainsFunc(leaf.Steps, func(step Step) bool { return s.Layers[step.Layer].File && isOfCredentials(s.Layers[step.Layer].Name) }) {
			paths = append(paths, leaf.Path)
		}
	}
	return paths
}

// isOfCredentials reports whether a file of an effective set is one of credentials.
func isOfCredentials(name string) bool {
	switch path.Base(name) {
	case "credentials.yaml", "credentials.yml", "collision-credentials.yaml", "collision-credentials.yml":
		return true
	}
	return false
}

// Change is a parameter that an override gives another value.
type Change struct {
	Path     string       `json:"path"`
	Value    *value.Value `json:"value"`
	Origin   Source       `json:"origin"`             // the override, or what of the environment it is calculated from
	Previous *value.Value `json:"previous,omitempty"` // in what was generated; nil if there is nothing
	// PreviousPath is the path of Previous, when the override replaced a value above Path with a map.
	PreviousPath string `json:"previousPath,omitempty"`
	// File is the one of a calculated set that has it.
	File string `json:"file,omitempty"`
	// Removed says that there is no such parameter any more.
	Removed bool `json:"removed,omitempty"`
}

// Effective merges files of a generated effective set, in their order, and lays overrides over them. A
// parameter in two of the files is refused with CodeConflict and all the paths, unless the later one may
// win. inputs appear only in the steps; see Layer.Input.
func Effective(inputs, files, overrides []Layer, onOverlap OnOverlap) (*EffectiveSet, error) {
	if onOverlap != OverlapLaterWins {
		if err := overlapping(files); err != nil {
			return nil, err
		}
	}
	layers := make([]Layer, 0, len(inputs)+len(files)+len(overrides))
	for _, l := range inputs {
		l.Input = true
		layers = append(layers, l)
	}
	layers = append(layers, files...)
	generated := len(layers)
	for _, l := range overrides {
		l.Override = true
		layers = append(layers, l)
	}
	set := &EffectiveSet{Layers: layers, Merged: *Merge(layers)}
	if len(overrides) > 0 {
		set.Changes = changes(&set.Merged, layers, generated)
	}
	return set, nil
}

// changes finds the leaves that a layer from generated on gives another value.
func changes(merged *Merged, layers []Layer, generated int) []Change {
	var found []Change
	for _, leaf := range merged.Leaves {
		winner := leaf.Winner()
		if winner.Layer < generated {
			continue
		}
		c := Change{Path: leaf.Path, Value: leaf.Value, Origin: layers[winner.Layer].Source}
		for _, s := range leaf.Steps {
			if s.Layer >= generated || layers[s.Layer].Input {
				continue
			}
			c.Previous, c.PreviousPath = s.Value, ""
			if s.Path != leaf.Path {
				c.PreviousPath = s.Path
			}
		}
		if c.PreviousPath != "" || !value.Equal(c.Previous, c.Value) {
			found = append(found, c)
		}
	}
	return found
}

// overlapping returns the error for files that overlap.
func overlapping(files []Layer) error {
	var errs dovetail.Errors
	for _, o := range Overlaps(files) {
		var names []string
		for _, i := range o.Layers {
			names = append(names, files[i].Name)
		}
		errs.Add(&dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonOverlap, Position: dovetail.Position{Path: o.Path},
			Message: "several files give the same parameter: " + strings.Join(names, ", "), Remedy: "leave it in one of them, or let the last file win on overlap"})
	}
	return errs.Err("the files of the effective set overlap")
}
