package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/fieldmanager"
	"github.com/dovetail-store/dovetail/src/value"
)

// ManagedFieldsMember is the member of a status that says who set which fields of the data of a document that was created, or to
// which a configuration was applied, through the Kubernetes API or as ApplyFields. Only Operation.FieldManagers and changes of the data change it, so that no service takes it away.
const ManagedFieldsMember = "managedFields"

// DefaultFieldManager is who changed fields where the writer gives no name.
const DefaultFieldManager = "dovetail"

// ReasonFieldManager is the reason of the error when ApplyFields would change a field of another field manager. The cause says whose.
const ReasonFieldManager = "FIELD_MANAGER"

// Force says whose fields an operation takes that applies other values.
type Force = fieldmanager.Force

// The forces.
const (
	ForceNone    = fieldmanager.ForceNone    // nobody's: what was there before who set what was kept is a conflict, too
	ForceUnowned = fieldmanager.ForceUnowned // those that nobody is known to have set
	ForceAll     = fieldmanager.ForceAll     // everybody's
)

// maxManagedFields is how many bytes the field managers of a document may take.
const maxManagedFields = 1 << 20

// HasManagedFields says whether a status may have field managers; where it says no, it has none.
func HasManagedFields(status json.RawMessage) bool {
	return bytes.Contains(status, []byte(`"`+ManagedFieldsMember+`"`))
}

// manageFields gives the next version of a document its field managers: those of the operation, or those that it had, where what changes
// becomes the field of who changes it.
func (p *plan) manageFields(i int, st *step, next *dovetail.Document) {
	managed := st.current != nil && HasManagedFields(st.current.Status)
	if st.op.Verb != ApplyFields && st.op.FieldManagers == nil && !managed {
		return
	}
	status, err := statusFor(next)
	if err != nil {
		p.fail(i, dovetail.AsError(err))
		return
	}
	managers := cmp.Or(st.managers, st.op.FieldManagers)
	if managers == nil {
		if managers, err = p.changedManagers(st); err != nil {
			p.fail(i, dovetail.AsError(err))
			return
		}
	}
	if text := managers.JSON(); len(text) > maxManagedFields {
		p.fail(i, &dovetail.Error{Code: dovetail.CodeTooLarge, Key: st.op.ID, Message: fmt.Sprintf("the field managers of %s take %d bytes; they may take %d", st.op.ID, len(text), maxManagedFields),
			Remedy: "apply with fewer field managers or fields, or empty metadata.managedFields"})
		return
	}
	next.Status = withManagers(status, managers)
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
			p.fail(i, &dovetail.Error{Code: dovetail.CodeForbidden, Message: "who manages the fields of " + string(st.op.ID) + " may not be read, since its status was made of documents that may not be read",
				Remedy: "ask for the right to read them, or change it without server-side apply"})
			return
		}
		if live = p.stored(i, st); st.invalid {
			return
		}
		if entries, err = managersOf(st.current); err != nil {
			p.fail(i, dovetail.AsError(err))
			return
		}
		if by.APIVersion == "" && len(entries) > 0 {
			by.APIVersion = entries[0].APIVersion
		}
	}
	data, entries, conflicts := fieldmanager.Apply(live, config, entries, by, st.op.Force)
	for _, c := range conflicts {
		p.fail(i, &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonFieldManager, Position: dovetail.Position{Path: value.Pointer(c.Path...)}, Err: c,
			Message: strings.Join(c.Path, ".") + " of " + string(st.op.ID) + ": " + c.Error(), Remedy: "leave it out, give it the value that it has, or take it over by force"})
	}
	st.data, st.managers = data, entries.Value()
}

// ManagedFields are the field managers of a document as Operation.FieldManagers takes them, nil for none.
func ManagedFields(doc *dovetail.Document) (*value.Value, error) {
	if !HasManagedFields(doc.Status) {
		return nil, nil
	}
	status, err := statusFor(doc)
	if err != nil {
		return nil, err
	}
	return status.Get(ManagedFieldsMember), nil
}

// managersOf are the field managers of a document.
func managersOf(doc *dovetail.Document) (fieldmanager.Entries, error) {
	managers, err := ManagedFields(doc)
	if err != nil {
		return nil, err
	}
	return fieldmanager.Parse(managers)
}

// changedManagers are the field managers after the operation has changed the data.
func (p *plan) changedManagers(st *step) (*value.Value, error) {
	entries, err := managersOf(st.current)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(st.data.JSON(), st.current.Data) {
		return entries.Value(), nil
	}
	before := st.stored
	if before == nil {
		if before, err = value.DataOf(st.current, func(values int) error { return p.hold(int64(values) * value.Cost) }); err != nil {
			return nil, err
		}
	}
	by := fieldmanager.Entry{Manager: cmp.Or(st.op.FieldManager, DefaultFieldManager), Time: p.now}
	if len(entries) > 0 {
		by.APIVersion = entries[0].APIVersion // there is one version of each kind
	}
	return fieldmanager.Update(before, st.data, entries, by).Value(), nil
}

// standingManagers is the status that a document gets which a service writes: with the field managers that it had.
func (p *plan) standingManagers(i int, st *step, written json.RawMessage) json.RawMessage {
	if !HasManagedFields(written) && !HasManagedFields(st.current.Status) {
		return written
	}
	status, err := statusFor(&dovetail.Document{ID: st.op.ID, Status: written})
	if err == nil {
		var before *value.Value
		if before, err = statusFor(st.current); err == nil {
			return withManagers(status, before.Get(ManagedFieldsMember))
		}
	}
	p.fail(i, dovetail.AsError(err))
	return written
}

// withManagers is a status with field managers; a status that has nothing else and no managers is none.
func withManagers(status, managers *value.Value) json.RawMessage {
	if managers == nil || len(managers.Items) == 0 {
		status.Delete(ManagedFieldsMember)
	} else {
		status.Set(ManagedFieldsMember, managers.Unplaced())
	}
	if len(status.Members) == 0 {
		return nil
	}
	return status.JSON()
}
