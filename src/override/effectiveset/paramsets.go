package effectiveset

import (
	"cmp"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	paramsets "github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// memberOf is what objects call the parameters of contexts.
var memberOf = map[paramsets.Context]string{paramsets.Deployment: deployMember, paramsets.Runtime: technicalMember, paramsets.Pipeline: e2eMember}

// Overlaid returns the overlays that the ParamSets of an environment make before a change and after it, of the objects for which they differ, and in left
// what they no longer set: its value stays as it is in the instance. ParamSets of an object are merged in their order; what they set replaces the
// parameters of the object. folderOf tells the folder of a deploy postfix.
func Overlaid(before, after []paramsets.Associated, folderOf func(deployPostfix string) string) (was, is []Overlay, left []Finding) {
	for _, t := range targets(before, after) {
		old, now := built(t, before), built(t, after)
		if value.Equal(old.Parameters, now.Parameters) {
			continue
		}
		if t.DeployPostfix != "" {
			old.Folder = folderOf(t.DeployPostfix)
			now.Folder = old.Folder
		}
		was, is = append(was, old), append(is, now)
		set := value.IndexOf(now.Parameters)
		for _, m := range old.Parameters.Members {
			if set.Get(m.Name) == nil {
				left = append(left, Finding{ParameterLeft, dovetail.Position{File: old.Sources[m.Name]}, m.Name + " is no longer set for " + placeOf(t) + ": what the instance has stays until it is built again"})
			}
		}
	}
	return was, is, left
}

// targets are the places that ParamSets have parameters for: objects, and applications of them.
func targets(lists ...[]paramsets.Associated) []paramsets.Target {
	found := make(map[paramsets.Target]bool)
	for _, a := range slices.Concat(lists...) {
		t := paramsets.Target{Context: a.Context}
		if a.Object != paramsets.Cloud {
			t.DeployPostfix = a.Object
		}
		found[t] = true
		for _, item := range items(a.ParamSet.Get("applications")) {
			if t.Application = text(item.Get("appName")); t.Application != "" {
				found[t] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b paramsets.Target) int {
		return cmp.Or(cmp.Compare(a.Context, b.Context), cmp.Compare(a.DeployPostfix, b.DeployPostfix), cmp.Compare(a.Application, b.Application))
	})
}

// placeOf is what messages call a target.
func placeOf(t paramsets.Target) string {
	place := cmp.Or(t.DeployPostfix, paramsets.Cloud)
	if t.Application != "" {
		place = t.Application + " in " + place
	}
	return place
}

// Overridden are the overlays that the overrides make for a target and what is above it, and the layers of these overrides. A parameter that an override sets has
// the value that it gets when the ParamSets of its object are merged; what the other ParamSets set stays as it is in the instance.
func Overridden(t paramsets.Target, all []paramsets.Associated, folder string) (over []Overlay, overrides []paramsets.Layer) {
	_, overrides = paramsets.Split(t, all)
	for _, level := range t.Above() {
		i := slices.IndexFunc(overrides, func(l paramsets.Layer) bool { return l.Level == level.Level() })
		if i < 0 {
			continue
		}
		one := built(level, all)
		one.Parameters.Members = slices.DeleteFunc(one.Parameters.Members, func(m value.Member) bool { return overrides[i].Values.Get(m.Name) == nil })
		if level.DeployPostfix != "" {
			one.Folder = folder
		}
		for name := range one.Sources {
			one.Sources[name] = sourceOf(overrides[i])
		}
		over = append(over, one)
	}
	return over, overrides
}

// sourceOf is what origins and findings call a ParamSet.
func sourceOf(l paramsets.Layer) string { return l.Location + "/" + l.Name }

// OverrideOf is the one of some overrides that an origin is of; false where it is of none.
func OverrideOf(o Origin, overrides []paramsets.Layer) (paramsets.Source, bool) {
	i := slices.IndexFunc(overrides, func(l paramsets.Layer) bool { return sourceOf(l) == o.Position.File })
	if i < 0 {
		return paramsets.Source{}, false
	}
	source := overrides[i].Source
	source.Override = true
	return source, true
}

// built are the parameters of a place when its ParamSets are merged.
func built(t paramsets.Target, all []paramsets.Associated) Overlay {
	chain := paramsets.Chain(t, all)
	over := Overlay{Application: t.Application, Member: memberOf[t.Context], Parameters: paramsets.Merge(chain).Value, Sources: make(map[string]string)}
	for _, layer := range chain {
		for _, m := range layer.Values.Members {
			over.Sources[m.Name] = sourceOf(layer)
		}
	}
	return over
}
