package attachment

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// ReasonSensitive is that of a write that would commit sensitive data in clear.
const ReasonSensitive = "REPO_SENSITIVE_IN_CLEAR"

// encryptedMarks are how texts begin that were encrypted elsewhere: by EnvGene with Fernet, by SOPS, and bare Fernet
// tokens.
var encryptedMarks = []string{"[encrypted:", "ENC[", "gAAAAA"}

// mayCommit returns the refusal of a document whose sensitive data would be committed in clear, although the store
// encrypts them.
func (a *Attachment) mayCommit(doc *dovetail.Document, data *value.Value) *dovetail.Error {
	kind, known := a.store.Model().Kind(doc.Kind)
	if !known || !kind.Sensitive.Any() || a.options.Clear || !a.store.Encryption().Sealed || !hasClear(data, kind.Sensitive) {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeUnprocessable, Key: doc.ID,
		Message: string(doc.ID) + " would be committed to the instance repository in clear, although " + doc.Kind + " is encrypted in the store",
		Remedy:  "give values that are encrypted already, as EnvGene and SOPS do, or start the server with --instance-repo-sensitive clear"}
}

// hasClear says whether a text or number of the sensitive data is in clear.
func hasClear(data *value.Value, sensitive schema.Sensitive) bool {
	if sensitive.Whole {
		return isClear(data)
	}
	for _, path := range sensitive.Paths {
		if v, found := data.Find(path); found && isClear(v) {
			return true
		}
	}
	return false
}

func isClear(v *value.Value) bool {
	switch v.Kind {
	case value.Map:
		for _, m := range v.Members {
			if isClear(m.Value) {
				return true
			}
		}
	case value.List:
		for _, item := range v.Items {
			if isClear(item) {
				return true
			}
		}
	case value.String:
		for _, mark := range encryptedMarks {
			if strings.HasPrefix(v.Text, mark) {
				return false
			}
		}
		return v.Text != ""
	case value.Number:
		return true
	}
	return false
}
