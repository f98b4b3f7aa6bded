package instancerepo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Severity says how bad a defect is. Greater is worse.
type Severity int

// The severities.
const (
	Info    Severity = iota // nothing is wrong: something is not stored, or needs to be known
	Warning                 // it works, and probably not as meant
	Error                   // the pipelines fail, or something is lost
)

// severityNames are the names of the severities.
var severityNames = [...]string{Info: "info", Warning: "warning", Error: "error"}

// String gives the name.
func (s Severity) String() string { return severityNames[s] }

// ParseSeverity reads a name.
func ParseSeverity(text string) (Severity, error) {
	if i := slices.Index(severityNames[:], text); i >= 0 {
		return Severity(i), nil
	}
	return 0, fmt.Errorf("must be one of %s", strings.Join(severityNames[:], ", "))
}

// severities are those of the reasons that are not errors.
var severities = map[string]Severity{
	ReasonFileTemplate:                Info,
	ReasonFileOther:                   Info,
	ReasonAssociationOfTemplate:       Info,
	ReasonDescriptorByDomain:          Info,
	ReasonValueEncrypted:              Info,
	ReasonEnvironmentExpired:          Warning,
	ReasonFileMisplaced:               Warning,
	ReasonFileMissing:                 Warning,
	ReasonDefinitionWithoutRegistry:   Warning,
	ReasonMemberMisspelt:              Warning,
	ReasonKeyTwice:                    Warning,
	ReasonDocumentEmpty:               Warning,
	ReasonApplicationNameUnlikeFile:   Warning,
	ReasonFileIrregular:               Warning,
	ReasonParamSetNameUnlikeFile:      Warning,
	ReasonParamSetUnreferenced:        Warning,
	ReasonAssociationTwice:            Warning,
	ReasonAssociationWithoutNamespace: Warning,
	ReasonPipelineOnNamespace:         Warning,
	ReasonDescriptorWithoutNamespace:  Warning,
	ReasonDescriptorRepeats:           Warning,
}

// SeverityOf returns the severity of a defect, by its reason.
func SeverityOf(defect *dovetail.Error) Severity {
	if s, ok := severities[defect.Reason]; ok {
		return s
	}
	return Error
}
