package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Fault classifies what is wrong in a ref-schema. The error of Compile, each of its parts and each
// warning of a model carries one as its cause: find it with FaultOf, or with errors.Is.
type Fault string

// The faults. docs/schema.md says for each what to do.
const (
	FaultUnreadable   Fault = "unreadable"    // a file or directory cannot be read
	FaultYAMLSyntax   Fault = "yaml-syntax"   // not YAML, or too large
	FaultYAMLType     Fault = "yaml-type"     // a value of the wrong type, as a mapping for a list
	FaultNoResources  Fault = "no-resources"  // nothing is defined
	FaultUnknownField Fault = "unknown-field" // a field that the format does not have
	FaultBadName      Fault = "bad-name"      // a name that cannot be a key element
	FaultReservedName Fault = "reserved-name" // a name that stored documents use for something else
	FaultBadValue     Fault = "bad-value"     // a field's value is not one of those it can have
	FaultTooLarge     Fault = "too-large"     // too many kinds, levels or places

	FaultDuplicateResource   Fault = "duplicate-resource"     // an element name is defined twice
	FaultDuplicateSegment    Fault = "duplicate-segment-name" // two different segments of one name
	FaultDuplicateCollection Fault = "duplicate-collection"   // two things are served at one path
	FaultMissingParent       Fault = "missing-parent"         // the parent is not defined
	FaultLoop                Fault = "loop"                   // a kind is its own ancestor

	FaultMissingReference   Fault = "missing-reference"   // the kind referred to is not defined
	FaultBadReferenceType   Fault = "bad-reference-type"  // not map, many or absent
	FaultDuplicateReference Fault = "duplicate-reference" // a warning: the same rule twice
	FaultNoEffect           Fault = "no-effect"           // a warning: a field that does nothing
	FaultBadRule            Fault = "bad-rule"            // the expression of a rule does not compile
	FaultBadDataSchema      Fault = "bad-data-schema"     // the JSON Schema of the data does not compile
)

// Error gives the fault's name.
func (f Fault) Error() string { return string(f) }

// FaultOf returns the fault of an error, of several parts that of the first, and "" when it has none.
func FaultOf(err error) Fault {
	var fault Fault
	errors.As(err, &fault)
	return fault
}

// faults collects what is wrong, and what is only without effect.
type faults struct {
	errors   dovetail.Errors
	warnings []*dovetail.Error
}

func newFault(fault Fault, at dovetail.Position, remedy, format string, args ...any) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeSchema, Position: at, Message: fmt.Sprintf(format, args...), Remedy: remedy, Err: fault}
}

func (f *faults) add(fault Fault, at dovetail.Position, remedy, format string, args ...any) {
	if f.errors.Full() {
		f.errors.Count(1)
		return
	}
	f.errors.Add(newFault(fault, at, remedy, format, args...))
}

func (f *faults) warn(fault Fault, at dovetail.Position, remedy, format string, args ...any) {
	f.warnings = append(f.warnings, newFault(fault, at, remedy, format, args...))
}

// err joins the errors in the order of positions; nil without errors.
func (f *faults) err() error {
	sortByPosition(f.errors.Kept())
	return f.errors.Err("invalid schema")
}

func sortByPosition(errs []*dovetail.Error) {
	slices.SortStableFunc(errs, func(a, b *dovetail.Error) int {
		return cmp.Or(comparePositions(a.Position, b.Position), cmp.Compare(a.Message, b.Message))
	})
}

func comparePositions(a, b dovetail.Position) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
