package fieldmanager

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Operation says how a manager came to own its fields.
type Operation string

// The operations. The same manager can have fields of both.
const (
	Applied Operation = "Apply"  // it applied a configuration that has them
	Updated Operation = "Update" // it changed them in another way
)

// BeforeFirstApply is the manager of what was there before a configuration was applied first.
const BeforeFirstApply = "before-first-apply"

// MaxManager is how many bytes the name of a manager may have.
const MaxManager = 128

// maxUpdaters is how many managers of updates a document has; the fields of those that changed something longest ago are joined then.
const maxUpdaters = 10

// ancient is the manager of the fields of managers that were joined.
const ancient = "ancient-changes"

// Entry is a manager with its fields.
type Entry struct {
	Manager    string
	Operation  Operation
	APIVersion string // in which the manager wrote; "" where it is not known
	Time       time.Time
	Fields     *Set
}

// Entries are the managers of a document. The order is of no meaning.
type Entries []Entry

// The members of an entry, as Kubernetes calls them.
const (
	memberManager    = "manager"
	memberOperation  = "operation"
	memberAPIVersion = "apiVersion"
	memberTime       = "time"
	memberType       = "fieldsType"
	memberFields     = "fieldsV1"
	typeOfFields     = "FieldsV1"
)

// By is the entry of a manager that applies. The error, CodeUnprocessable, is that of a name that is none.
func By(name string) (Entry, error) {
	if name == "" {
		return Entry{}, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "who applies is not said", Remedy: "give fieldManager"}
	}
	if len(name) > MaxManager || !isPrintable(name) {
		return Entry{}, &dovetail.Error{Code: dovetail.CodeUnprocessable,
			Message: "the field manager is not a name of at most " + strconv.Itoa(MaxManager) + " printable characters", Remedy: "give a shorter one"}
	}
	return Entry{Manager: name}, nil
}

// isPrintable reports whether the name of a manager has printable characters only.
func isPrintable(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Parse reads what Value wrote, or a client of Kubernetes gives; nil and null are no entries. The error, CodeUnprocessable, has the position
// of what is no entry.
func Parse(v *value.Value) (Entries, error) {
	if v == nil || v.Kind == value.Null {
		return nil, nil
	}
	refuse := func(at *value.Value, message string) error {
		return &dovetail.Error{Code: dovetail.CodeUnprocessable, Position: at.Position(), Message: message, Remedy: "write managedFields as a read answered them, or leave them out"}
	}
	if v.Kind != value.List {
		return nil, refuse(v, "managedFields are a "+v.Kind.String()+", not a list")
	}
	var entries Entries
	for i, item := range v.Items {
		which := "entry " + strconv.Itoa(i) + " of managedFields "
		if item.Kind != value.Map {
			return nil, refuse(item, which+"is a "+item.Kind.String()+", not an object")
		}
		text := func(name string) string {
			text, _ := item.Get(name).Str()
			return text
		}
		e := Entry{Manager: text(memberManager), Operation: Operation(text(memberOperation)), APIVersion: text(memberAPIVersion)}
		if e.Operation != Applied && e.Operation != Updated {
			return nil, refuse(item, which+"has neither the operation Apply nor Update")
		}
		if kind := text(memberType); kind != typeOfFields {
			return nil, refuse(item, which+"does not have fields of the type "+typeOfFields)
		}
		if when := text(memberTime); when != "" {
			var err error
			if e.Time, err = time.Parse(time.RFC3339, when); err != nil {
				return nil, refuse(item, which+"has the time "+strconv.Quote(when))
			}
		}
		var ok bool
		if e.Fields, ok = setOf(item.Get(memberFields)); !ok {
			return nil, refuse(item, which+"has no fields of the type "+typeOfFields)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Value writes the entries as Kubernetes does.
func (es Entries) Value() *value.Value {
	list := value.NewList()
	for _, e := range es {
		item := value.NewMap()
		item.Set(memberManager, value.NewString(e.Manager))
		item.Set(memberOperation, value.NewString(string(e.Operation)))
		if e.APIVersion != "" {
			item.Set(memberAPIVersion, value.NewString(e.APIVersion))
		}
		if !e.Time.IsZero() {
			item.Set(memberTime, value.NewString(e.Time.UTC().Format(time.RFC3339)))
		}
		item.Set(memberType, value.NewString(typeOfFields))
		item.Set(memberFields, e.Fields.value())
		list.Items = append(list.Items, item)
	}
	return list
}

// find is the place of a manager, -1 if it has none.
func (es Entries) find(manager string, operation Operation) int {
	return slices.IndexFunc(es, func(e Entry) bool { return e.Manager == manager && e.Operation == operation })
}

// clone copies what the changes of this package change.
func (es Entries) clone() Entries {
	copied := slices.Clone(es)
	for i := range copied {
		copied[i].Fields = copied[i].Fields.clone()
	}
	return copied
}

func (s *Set) clone() *Set {
	copied := &Set{}
	for name, below := range s.members {
		copied.put(name, below.clone())
	}
	return copied
}

// set gives a manager its fields, with a new time only where they are others than before; without fields it is left out.
func (es Entries) set(e Entry) Entries {
	at := es.find(e.Manager, e.Operation)
	switch {
	case at < 0 && e.Fields.Empty():
		return es
	case at < 0:
		return append(es, e)
	case e.Fields.Empty():
		return slices.Delete(es, at, at+1)
	case es[at].Fields.equal(e.Fields) && es[at].APIVersion == e.APIVersion:
		return es
	}
	es[at] = e
	return es
}
