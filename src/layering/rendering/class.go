package rendering

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// The classes of errors, which are the Reason of each error of this package. Their names are those
// that users of layered documents know from before.
const (
	ClassInvalidDocumentFormat          = "InvalidDocumentFormat"          // a document is not as its kind, or its data schema, demands
	ClassInvalidDocumentLayer           = "InvalidDocumentLayer"           // the policy does not have the layer
	ClassInvalidDocumentParent          = "InvalidDocumentParent"          // with strict parents: what the selector matches cannot be a parent
	ClassIndeterminateDocumentParent    = "IndeterminateDocumentParent"    // several documents of the nearest layer match the selector
	ClassInvalidDocumentReplacement     = "InvalidDocumentReplacement"     // a replacement of nothing, of another name, twice, or of a replacement
	ClassMissingDocumentKey             = "MissingDocumentKey"             // an action or destination finds nothing at its path, or cannot go there
	ClassMissingDocumentPattern         = "MissingDocumentPattern"         // there is no text that a pattern could match
	ClassSubstitutionDependencyCycle    = "SubstitutionDependencyCycle"    // documents need each other
	ClassSubstitutionSourceDataNotFound = "SubstitutionSourceDataNotFound" // the source has nothing at the path
	ClassLayeringPolicyNotFound         = "LayeringPolicyNotFound"         // there are documents, but no policy
	ClassSubstitutionSourceNotFound     = "SubstitutionSourceNotFound"     // the source does not exist, or is abstract
	ClassDuplicateDocumentExists        = "DuplicateDocumentExists"        // two documents with one schema, name and layer
	ClassSingletonDocumentConflict      = "SingletonDocumentConflict"      // two layering policies
)

// codeOf is the code that goes with a class.
func codeOf(class string) dovetail.Code {
	switch class {
	case ClassLayeringPolicyNotFound, ClassSubstitutionSourceNotFound:
		return dovetail.CodeMissing
	case ClassDuplicateDocumentExists:
		return dovetail.CodeExists
	case ClassSingletonDocumentConflict:
		return dovetail.CodeConflict
	}
	return dovetail.CodeInvalid
}

// subject is the cause of each error about a document. It says which.
type subject struct {
	id   ID
	data bool // its rendered data is what is wrong

	cause error // nil if there is none
}

func (s subject) Error() string { return "about the document " + s.id.String() }

// Unwrap returns the cause.
func (s subject) Unwrap() error { return s.cause }

// DocumentOf returns the document that an error of this package, or a part of it, is about.
func DocumentOf(err *dovetail.Error) (ID, bool) {
	var s subject
	if err == nil || !errors.As(err.Err, &s) {
		return ID{}, false
	}
	return s.id, true
}

// IsAboutData reports whether an error of this package is about the rendered data of a document, rather than about how the document
// was written.
func IsAboutData(err *dovetail.Error) bool {
	var s subject
	return err != nil && errors.As(err.Err, &s) && s.data
}

// newFault makes an error about a document.
func newFault(class string, id ID, at dovetail.Position, remedy, format string, args ...any) *dovetail.Error {
	return &dovetail.Error{Code: codeOf(class), Reason: class, Message: fmt.Sprintf(format, args...), Remedy: remedy, Position: at, Err: subject{id: id}}
}

// note adds an error about a document to others. Beyond those that are kept it is only counted: of many documents with as many
// errors, texts would take more memory than the documents.
func note(errs *dovetail.Errors, class string, id ID, at dovetail.Position, remedy, format string, args ...any) {
	if errs.Full() {
		errs.Count(1)
		return
	}
	errs.Add(newFault(class, id, at, remedy, format, args...))
}

// refusal joins the errors; nil without errors.
func refusal(errs *dovetail.Errors) error { return errs.Err("the documents are refused") }

// sortFaults puts errors of linked documents in an order that is not that of the documents.
func sortFaults(errs *dovetail.Errors) {
	errs.Sort(func(a, b *dovetail.Error) int {
		x, _ := DocumentOf(a)
		y, _ := DocumentOf(b)
		return cmp.Or(x.compare(y), comparePlaces(a, b), strings.Compare(a.Reason, b.Reason), strings.Compare(a.Message, b.Message))
	})
}

func comparePlaces(a, b *dovetail.Error) int {
	return cmp.Or(a.Position.Line-b.Position.Line, a.Position.Column-b.Position.Column, strings.Compare(a.Position.Path, b.Position.Path))
}
