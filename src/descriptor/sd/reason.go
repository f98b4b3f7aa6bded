package sd

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// The reasons of this package's errors and warnings. docs/solution-descriptors.md says for each what
// to do.
const (
	ReasonParamMissing  = "SD_PARAM_MISSING"  // no value for the source type that was chosen
	ReasonParamInvalid  = "SD_PARAM_INVALID"  // a parameter's value is not one of those it can have
	ReasonParamConflict = "SD_PARAM_CONFLICT" // two parameters that exclude each other
	ReasonDataMalformed = "SD_DATA_MALFORMED" // not JSON or YAML, or not an SD

	// For implementations of Artifacts.
	ReasonArtifactNotFound = "SD_ARTIFACT_NOT_FOUND" // no such artifact
	ReasonArtifactTooLarge = "SD_ARTIFACT_TOO_LARGE" // more than an SD may have

	ReasonInvalidApplication   = "SD_INVALID_APPLICATION"   // an entry that is no application in this mode
	ReasonDuplicateApplication = "SD_DUPLICATE_APPLICATION" // an application is a duplicate
	ReasonModelMismatch        = "SD_MODEL_MISMATCH"        // applications in different forms
	ReasonDuplicateAlias       = "SD_DUPLICATE_ALIAS"       // two applications with one alias
	ReasonHeaderMismatch       = "SD_HEADER_MISMATCH"       // version, type or deployMode differ

	ReasonInvalidDeployGraph   = "SD_INVALID_DEPLOY_GRAPH"                // not a list of chunks
	ReasonDuplicateChunk       = "SD_DUPLICATE_CHUNK"                     // two chunks of one name
	ReasonUnknownChunk         = "SD_UNKNOWN_CHUNK"                       // a chunk that the full SD does not have
	ReasonDeployGraphNotInFull = "SD_DEPLOY_GRAPH_NOT_IN_FULL"            // only the delta has a deployGraph
	ReasonNotInDeployGraph     = "SD_APPLICATION_NOT_IN_DEPLOY_GRAPH"     // the SD's own deployGraph lacks it
	ReasonNewNotInDeployGraph  = "SD_NEW_APPLICATION_NOT_IN_DEPLOY_GRAPH" // the delta does not say where it goes

	// Of warnings.
	ReasonNewApplicationIgnored = "SD_NEW_APPLICATION_IGNORED" // nothing to exclude
	ReasonFullAbsent            = "SD_FULL_ABSENT"             // nothing to exclude from
	ReasonUnknownNamespace      = "SD_UNKNOWN_NAMESPACE"       // no namespace has the deploy postfix; an error if namespaces are enforced
)

// faults collects what is wrong, in the order in which it is found.
type faults struct{ dovetail.Errors }

func newFault(reason string, at dovetail.Position, remedy, message string) *dovetail.Error {
	return &dovetail.Error{Code: codeOf(reason), Reason: reason, Position: at, Message: message, Remedy: remedy}
}

func codeOf(reason string) dovetail.Code {
	switch reason {
	case ReasonParamMissing, ReasonParamInvalid, ReasonParamConflict, ReasonDataMalformed:
		return dovetail.CodeInvalid
	}
	return dovetail.CodeUnprocessable
}

func (f *faults) add(reason string, at dovetail.Position, remedy, format string, args ...any) {
	if f.Full() {
		f.Count(1)
		return
	}
	f.Add(newFault(reason, at, remedy, fmt.Sprintf(format, args...)))
}

// err joins the errors; nil without errors.
func (f *faults) err() error { return f.Err("the solution descriptors are refused") }
