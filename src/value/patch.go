package value

// MergePatch applies a JSON merge patch (RFC 7396): members of the patch replace those of the
// target, null removes them, maps are merged, everything else is replaced whole. Untouched members
// keep their order, new ones come last.
//
// The result shares nothing with target and patch, which are not changed. A nil target stands for
// nothing, a nil patch changes nothing. What comes from the patch keeps its positions; what comes
// from the target has none, since the patch is what the user wrote.
func MergePatch(target, patch *Value) *Value {
	if patch == nil {
		return target.clone(false)
	}
	if patch.Kind != Map {
		return patch.Clone()
	}
	result := &Value{Kind: Map, Place: patch.Place}
	targets, patches := IndexOf(target), IndexOf(patch)
	for _, m := range targets.members {
		i := patches.find(m.Name)
		if i < 0 {
			result.Members = append(result.Members, Member{Name: m.Name, Value: m.Value.clone(false)})
			continue
		}
		if p := patch.Members[i]; p.Value.Kind != Null {
			p.Value = MergePatch(m.Value, p.Value)
			result.Members = append(result.Members, p)
		}
	}
	for _, p := range patch.Members {
		if p.Value.Kind != Null && targets.find(p.Name) < 0 {
			p.Value = MergePatch(nil, p.Value)
			result.Members = append(result.Members, p)
		}
	}
	return result
}
