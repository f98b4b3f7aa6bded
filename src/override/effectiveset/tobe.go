package effectiveset

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	paramsets "github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// ToBe is what a target gets with its overrides, as it is calculated.
type ToBe struct {
	// EffectiveSet is nil where it cannot be calculated. Its changes are the leaves in which the calculation with the overrides differs from the one without them.
	*paramsets.EffectiveSet
	// Failed is what keeps it from being calculated, or other parts of the set.
	Failed error
	// Found are the findings that the overrides bring.
	Found     []Finding
	files     []string
	set       *Set
	inputs    []paramsets.Layer
	overrides []paramsets.Layer
}

// CalculateToBe calculates the set of an environment without and with the overrides among the ParamSets that it uses, and returns what a target, whose namespace
// has a folder, gets. Where encrypted credentials are opened, secrets are not shown. The error is that of a parameter in several files, see paramsets.Effective.
func CalculateToBe(in Input, t paramsets.Target, folder string, all []paramsets.Associated, onOverlap paramsets.OnOverlap) (*ToBe, error) {
	over, overrides := Overridden(t, all, folder)
	inputs, _ := paramsets.Split(t, all)
	made := &ToBe{inputs: inputs, overrides: overrides}
	in.Values = true
	before, failed := Calculate(in)
	in.Overlays, in.Origins = append(in.Overlays[:len(in.Overlays):len(in.Overlays)], over...), true
	if made.set, made.Failed = Calculate(in); made.set == nil {
		return made, nil
	}
	if before == nil {
		made.Failed = failed
		return made, nil
	}
	inFolder := t
	if folder != "" {
		inFolder.DeployPostfix = folder
	}
	was, is := &Set{Files: map[string][]byte{}, values: before.values, origins: before.origins}, &Set{Files: map[string][]byte{}, values: made.set.values, origins: made.set.origins}
	var layers []paramsets.Layer
	for i, name := range paramsets.EffectiveFiles(inFolder) {
		if _, there := made.set.Files[name]; !there {
			continue
		}
		content, err := made.set.Content(name)
		if err != nil {
			return nil, err
		}
		if in.Open != nil {
			content = hidden(name, "", content)
		}
		layers = append(layers, paramsets.Layer{Source: paramsets.Source{Name: name, File: true, Order: i}, Values: content})
		made.files = append(made.files, name)
		was.Files[name], is.Files[name] = nil, nil
	}
	if len(layers) == 0 {
		if made.Failed == nil {
			made.Failed = &dovetail.Error{Code: dovetail.CodeNotFound, Message: "the effective set has nothing for " + t.String(), Remedy: "name an application of the solution descriptor"}
		}
		return made, nil
	}
	made.Found = made.set.FoundSince(before)
	differences, err := Differences(was, is)
	if err != nil {
		return nil, err
	}
	if made.EffectiveSet, err = paramsets.Effective(nil, layers, nil, onOverlap); err != nil {
		return nil, err
	}
	for _, d := range differences {
		if in.Open != nil && d.Secret {
			d.From, d.To = hidden(d.File, d.Path, d.From), hidden(d.File, d.Path, d.To)
		}
		made.Changes = append(made.Changes, paramsets.Change{Path: d.Path, Value: d.To, Origin: sourceIn(d.Origin, overrides), Previous: d.From, File: d.File, Removed: d.Op == Removed})
	}
	return made, nil
}

// sourceIn is an origin as a source: the override, or the file of the environment.
func sourceIn(o Origin, overrides []paramsets.Layer) paramsets.Source {
	if source, is := OverrideOf(o, overrides); is {
		return source
	}
	source := paramsets.Source{Name: o.Position.File, Level: paramsets.Level(o.Level), Location: o.Position.String()}
	if source.Name == "" {
		source.Name = string(LevelCalculated)
	}
	return source
}

// Explain says of every parameter which levels set it.
func (t *ToBe) Explain() []paramsets.Explanation {
	all := make([]paramsets.Explanation, len(t.Leaves))
	for i, leaf := range t.Leaves {
		file := t.Layers[leaf.Winner().Layer].Name
		e := paramsets.Explanation{Path: leaf.Path, Value: leaf.Value}
		steps := t.set.Explain(file, leaf.Path)
		e.Chain = append(append([]paramsets.Assignment{}, t.given(leaf.Path)...), t.said(steps)...)
		e.Source, e.Why = paramsets.Source{Name: file, File: true}, paramsets.BecauseOnly
		if n := len(steps); n > 0 {
			e.Source = e.Chain[len(e.Chain)-1].Source
			switch {
			case steps[n-1].Calculated:
				e.Why = paramsets.BecauseCalculated
			case e.Source.Override:
				e.Why = paramsets.BecauseOverride
			case n > 1:
				e.Why = paramsets.BecauseLater
			}
		}
		all[i] = e
	}
	return all
}

// Explanations say of every value of a file which levels set it, for a set that was calculated with Input.Origins. Where hide says so, secrets are not shown.
func (s *Set) Explanations(file string, hide bool) ([]paramsets.Explanation, error) {
	content, err := s.Content(file)
	if err != nil {
		return nil, err
	}
	if hide {
		content = hidden(file, "", content)
	}
	layers := []paramsets.Layer{{Source: paramsets.Source{Name: file, File: true}, Values: content}}
	of := &ToBe{EffectiveSet: &paramsets.EffectiveSet{Merged: *paramsets.Merge(layers), Layers: layers}, set: s}
	return of.Explain(), nil
}

// given are the ParamSets that the objects are built from, as far as they set a parameter.
func (t *ToBe) given(pointer string) []paramsets.Assignment {
	names, _ := value.SplitPointer(pointer)
	for _, names := range tries(names) {
		var said []paramsets.Assignment
		for _, l := range t.inputs {
			if v, found := l.Values.Find(value.Pointer(names...)); found {
				said = append(said, paramsets.Assignment{Source: l.Source, Value: v, Input: true})
			}
		}
		if len(said) > 0 {
			return said
		}
	}
	return nil
}

// said are steps as sources.
func (t *ToBe) said(steps []Step) []paramsets.Assignment {
	var all []paramsets.Assignment
	for _, s := range steps {
		one := paramsets.Assignment{Source: sourceIn(Origin{s.Level, s.Position}, t.overrides), Path: s.Path, Value: s.Value, Effective: s.Effective, Calculated: s.Calculated}
		for _, m := range s.Macros {
			one.Macros = append(one.Macros, paramsets.Reference{Macro: m.Text, Chain: t.said(m.Steps)})
		}
		all = append(all, one)
	}
	return all
}

// Why says in findings why a set is not calculated: that it is not, and how it is shown instead, and then each error.
func (t *ToBe) Why(instead string) []Finding {
	found := []Finding{{Reason: NotCalculated, Message: "the effective set cannot be calculated: " + instead}}
	var add func(err *dovetail.Error)
	add = func(err *dovetail.Error) {
		for _, part := range err.Errors {
			add(part)
		}
		if len(err.Errors) == 0 {
			found = append(found, Finding{NotCalculated, err.Position, strings.TrimSuffix(err.Message+"; "+err.Remedy, "; ")})
		}
	}
	if t.Failed != nil {
		add(dovetail.AsError(t.Failed))
	}
	return found
}
