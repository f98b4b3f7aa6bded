package store

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/fieldmanager"
	"github.com/dovetail-store/dovetail/src/value"
)

// newData computes the data to be stored: what was given, or the current data with the patch laid
// over it or the fields applied to it, without a member "status".
func (p *plan) newData(i int, st *step) *dovetail.Error {
	data := st.op.Data
	if data.Get("status") != nil {
		data = data.Clone()
		data.Delete("status")
	}
	if st.op.Verb == Patch {
		current, err := value.DataOf(st.current, func(values int) error { return p.hold(int64(values) * value.Cost) })
		if err != nil {
			return dovetail.AsError(err)
		}
		st.stored = current
		data = value.MergePatch(current, data)
	}
	if st.data = data; st.op.Verb == ApplyFields {
		if p.applyFields(i, st, data); st.invalid {
			return nil
		}
	}
	if st.op.earlier || st.op.renamed || st.op.restore != nil {
		return nil
	}
	filled, err := st.kind.Fill(st.data)
	if err != nil {
		return dovetail.AsError(err)
	}
	st.data = filled
	return nil
}

// applyFields makes the data of an ApplyFields, and finds who has which fields then.
func (p *plan) applyFields(i int, st *step, config *value.Value) {
	by, err := fieldmanager.By(st.op.FieldManager)
	if err != nil {
		p.fail(i, dovetail.AsError(err))
		return
	}
	by.APIVersion, by.Time = st.op.APIVersion, p.now
	var live *value.Value
	var entries fieldmanager.Entries
	if st.current != nil {
		if p.mayOf(i) != nil && !p.view.shows(st.current) {
			p.fail(i, &dovetail.Error{Code: dovetail.CodeForbidden, Message: "the field managers of " + string(st.op.ID) + " cannot be read, since its status was derived from documents that you may not read",
				Remedy: "ask for the right to read them, or change it without server-side apply"})
			return
		}
		if live = p.stored(i, st); st.invalid {
			return
		}
		if entries, err = p.managersOf(st.current); err != nil {
			p.fail(i, dovetail.AsError(err))
			return
		}
		if by.APIVersion == "" && len(entries) > 0 {
			by.APIVersion = entries[0].APIVersion
		}
	}
	data, entries, conflicts := fieldmanager.Apply(live, config, entries, by, fieldmanager.Force(st.op.Force))
	for j, c := range conflicts {
		if p.errs.Full() { // the remaining ones would not be shown
			p.errs.Count(len(conflicts) - j)
			st.invalid = true
			break
		}
		p.fail(i, &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonFieldManager, Position: dovetail.Position{Path: value.Pointer(c.Path...)}, Err: c,
			Message: strings.Join(c.Path, ".") + " of " + string(st.op.ID) + ": " + c.Error(), Remedy: "leave it out, give it the value that it has, or take it over by force"})
	}
	st.data, st.managers = data, entries.Value()
}
