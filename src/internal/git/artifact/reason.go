package artifact

import (
	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// The reasons of this package's errors, beside descriptor.ReasonArtifactNotFound and
// descriptor.ReasonArtifactTooLarge.
const (
	ReasonDefinitionMissing = "SD_ARTIFACT_DEFINITION_MISSING" // nothing says where the application is published
	ReasonRegistryMissing   = "SD_REGISTRY_DEFINITION_MISSING" // the registry that this names is not defined
	ReasonDefinitionInvalid = "SD_ARTIFACT_DEFINITION_INVALID" // a definition lacks what is needed, or its credential does
	ReasonAuthentication    = "SD_REGISTRY_AUTHENTICATION"     // the registry authenticates in a way that is not supported
	ReasonEncrypted         = "SD_CREDENTIAL_ENCRYPTED"        // the credential is encrypted, and no key opens it
	ReasonUnauthorized      = "SD_ARTIFACT_UNAUTHORIZED"       // the registry does not let us read
	ReasonUnreachable       = "SD_ARTIFACT_UNREACHABLE"        // the registry does not answer, or with an error
	ReasonChecksum          = "SD_ARTIFACT_CHECKSUM"           // the file is not what its checksum says
	ReasonNotDescriptor     = "SD_ARTIFACT_NOT_SD"             // the file is no SD
	ReasonHostRefused       = "SD_ARTIFACT_HOST_REFUSED"       // the registry is at a host that may not be connected to
)

// Reasons returns all reasons of this package.
func Reasons() []string {
	return []string{ReasonDefinitionMissing, ReasonRegistryMissing, ReasonDefinitionInvalid, ReasonAuthentication, ReasonEncrypted,
		ReasonUnauthorized, ReasonUnreachable, ReasonChecksum, ReasonNotDescriptor, ReasonHostRefused}
}

// codes are those of the reasons; the others have CodeUnprocessable.
var codes = map[string]dovetail.Code{
	ReasonUnreachable:         dovetail.CodeUnavailable,
	sd.ReasonArtifactTooLarge: dovetail.CodeTooLarge,
}

func newError(reason, message, remedy string, cause error) *dovetail.Error {
	code, ok := codes[reason]
	if !ok {
		code = dovetail.CodeUnprocessable
	}
	return &dovetail.Error{Code: code, Reason: reason, Message: message, Remedy: remedy, Err: cause}
}

// about gives an error the artifact as its place.
func about(a sd.Artifact, err error) error {
	e := *dovetail.AsError(err)
	if e.Position == (dovetail.Position{}) {
		e.Position.File = a.String()
	}
	return &e
}
