package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/fieldmanager"
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
type Force string

// The forces.
const (
	ForceNone    Force = ""        // no other manager's: fields set before managers were recorded are conflicts, too
	ForceUnowned Force = "unowned" // those without another known manager, and what the manager itself set in another way
	ForceAll     Force = "all"     // any manager's
)

// maxManagedFields is how many bytes the field managers of a document may take.
const maxManagedFields = 1 << 20

// managersCost is about how many bytes of memory a byte of field managers takes as values and as sets: "f:replicas":{} is a field.
const managersCost = 12

// HasManagedFields reports whether a status may have field managers; where it says no, it has none.
func HasManagedFields(status json.RawMessage) bool {
	return bytes.Contains(status, []byte(`"`+ManagedFieldsMember+`"`))
}

// SplitStatus returns a status as it is shown to who does not ask for the field managers, empty where they are all of it, and these; nil for
// none. ok is false for a text that no document has.
func SplitStatus(text []byte) (status, managers []byte, ok bool) {
	if !HasManagedFields(text) {
		return text, nil, true
	}
	members, ok := dovetail.RawMembers(text)
	if !ok {
		return nil, nil, false
	}
	for _, m := range members {
		if string(m.Name) == `"`+ManagedFieldsMember+`"` {
			managers = m.Value
			continue
		}
		status = append(append(append(append(status, ','), m.Name...), ':'), m.Value...)
	}
	if len(status) > 0 {
		status[0] = '{' // in place of the comma
		status = append(status, '}')
	}
	return status, managers, true
}

// manageFields gives the next version of a document its field managers: those of the operation, or those that it had, where what changes
// becomes the field of who changes it.
func (p *plan) manageFields(i int, st *step, next *dovetail.Document) {
	managed := st.current != nil && HasManagedFields(st.current.Status)
	if st.op.Verb != ApplyFields && st.op.FieldManagers == nil && !managed {
		return
	}
	if err := p.holdManagers(next); err != nil {
		p.fail(i, dovetail.AsError(err))
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

// ManagedFields are the field managers of a document as Operation.FieldManagers takes them, nil if there is none.
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

// holdManagers counts the memory that the field managers of a document take once they are parsed.
func (p *plan) holdManagers(doc *dovetail.Document) error {
	if !HasManagedFields(doc.Status) {
		return nil
	}
	return p.hold(int64(len(doc.Status)) * managersCost)
}

// managersOf are the field managers of a document.
func (p *plan) managersOf(doc *dovetail.Document) (fieldmanager.Entries, error) {
	if err := p.holdManagers(doc); err != nil {
		return nil, err
	}
	managers, err := ManagedFields(doc)
	if err != nil {
		return nil, err
	}
	return fieldmanager.Parse(managers)
}

// changedManagers are the field managers after the operation has changed the data.
func (p *plan) changedManagers(st *step) (*value.Value, error) {
	entries, err := p.managersOf(st.current)
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
