package store

import (
	"bytes"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// ReasonImmutable is the reason of CodeUnprocessable where an update changes a value that cannot change after creation.
// Position has the path of the value.
const ReasonImmutable = "IMMUTABLE"

// immutable refuses the change of values that cannot change. One that is absent and has a default is that default: a document from before
// there was a default gets it when it is written again.
func (p *plan) immutable(i int, st *step) {
	if len(st.kind.Immutable) == 0 || st.current == nil || st.op.renamed { // a reference goes on to mean the same document
		return
	}
	stored := p.stored(i, st)
	if stored == nil {
		return
	}
	before, after := filled(st.kind, stored), filled(st.kind, st.data)
	var changed dovetail.Errors
	for _, path := range st.kind.Immutable {
		changes(path, before, after, stored, &changed)
	}
	changed.Sort(func(a, b *dovetail.Error) int { return strings.Compare(a.Position.Path, b.Position.Path) })
	for _, e := range changed.Kept() {
		p.fail(i, e)
	}
	p.errs.Count(changed.Omitted())
}

// filled returns data with the defaults of its kind, as far as there is room for them.
func filled(kind *schema.Kind, data *value.Value) *value.Value {
	if filled, err := kind.Fill(data); err == nil {
		return filled
	}
	return data
}

// stored returns the data of the current document; nil if there is none, or it cannot be read.
func (p *plan) stored(i int, st *step) *value.Value {
	if st.current == nil || st.stored != nil {
		return st.stored
	}
	data, err := value.DataOf(st.current, func(values int) error { return p.hold(int64(values) * value.Cost) })
	if err != nil {
		if dovetail.CodeOf(err) != dovetail.CodeCorrupt {
			p.fail(i, dovetail.AsError(err))
		}
		return nil
	}
	st.stored = data
	return data
}

// changes reports each value at a path that was changed, added or removed; items of a list count by their places. stored is what there is without
// defaults. The errors show no values, which may be secret.
func changes(path schema.Path, before, after, stored *value.Value, errs *dovetail.Errors) {
	found := func(pointer, what, remedy string) {
		errs.Add(&dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: ReasonImmutable, Position: dovetail.Position{Path: pointer},
			Message: "cannot be " + what + " after creation", Remedy: remedy + ", or delete the document and create it again"})
	}
	is := make(map[string]*value.Value)
	for pointer, v := range path.Values(after) {
		is[pointer] = v
	}
	for pointer, was := range path.Values(before) {
		now := is[pointer]
		delete(is, pointer)
		if now != nil && same(was, now) {
			continue
		}
		switch given, _ := stored.Find(pointer); {
		case now == nil:
			found(pointer, "removed", "give it the value that it has")
		case given == nil:
			found(pointer, "given another value than its default", "leave it out")
		default:
			found(pointer, "changed", "give it the value that it has")
		}
	}
	for pointer := range is {
		found(pointer, "added", "remove it")
	}
}

// same reports whether two values mean the same: 1 and 1.0 do.
func same(a, b *value.Value) bool {
	return value.Equal(a, b) || bytes.Equal(appendCanonical(nil, a), appendCanonical(nil, b))
}
