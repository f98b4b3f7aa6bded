package gitsync

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// ReasonSensitive is that of a write that would commit sensitive data in plaintext.
const ReasonSensitive = instancerepo.ReasonInClear

// unsealed is a document that must be encrypted on its way into the files.
type unsealed struct {
	refusal   *dovetail.Error // otherwise
	before    *value.Value
	sensitive schema.Sensitive
}

// mayCommit returns the refusal of a document whose sensitive data would be committed in plaintext, although the store
// encrypts them. What the repository has in plaintext already may stay, if the principal can read it: otherwise the answer
// would tell it whether it guessed right. The error is one of reading the store.
func (a *Syncer) mayCommit(ctx context.Context, doc *dovetail.Document) (*unsealed, error) {
	kind, known := a.store.Model().Kind(doc.Kind)
	if !known || !kind.Sensitive.Any() || a.options.Clear || !a.store.Encryption().Sealed {
		return nil, nil
	}
	after, err := instancerepo.FromStored(doc)
	if err != nil {
		return nil, err
	}
	before, err := a.readable(ctx, doc.ID)
	if err != nil || !addsClear(after.Data, before, kind.Sensitive) {
		return nil, err
	}
	refusal := &dovetail.Error{Code: dovetail.CodeUnprocessable, Key: doc.ID,
		Message: string(doc.ID) + " would be committed to the instance repository in clear, although " + doc.Kind + " is encrypted in the store",
		Remedy:  "give values that are encrypted already, as EnvGene and SOPS do, or start the server with --credential-keys, or with --instance-repo-sensitive clear"}
	return &unsealed{refusal, before, kind.Sensitive}, nil
}

// readable returns what a document says now; nil where it does not exist or the principal of the context may not read it.
func (a *Syncer) readable(ctx context.Context, id dovetail.ID) (*value.Value, error) {
	doc, err := a.store.Get(ctx, id)
	switch dovetail.CodeOf(err) {
	case "":
	case dovetail.CodeNotFound, dovetail.CodeForbidden:
		return nil, nil
	default:
		return nil, err
	}
	before, err := instancerepo.FromStored(doc)
	return before.Data, err
}

// addsClear reports whether the sensitive data have a text or number in plaintext that was not at the same place before.
func addsClear(after, before *value.Value, sensitive schema.Sensitive) bool {
	if sensitive.Whole {
		return isClear(after, before)
	}
	for _, path := range sensitive.Places() {
		if v, found := after.Find(path); found {
			was, _ := before.Find(path)
			if isClear(v, was) {
				return true
			}
		}
	}
	return false
}

// isClear reports whether a value has a text or number in plaintext that another one, nil if there is none, does not have at the same place.
func isClear(v, before *value.Value) bool {
	switch v.Kind {
	case value.Map:
		was := value.IndexOf(before)
		for _, m := range v.Members {
			if isClear(m.Value, was.Get(m.Name)) {
				return true
			}
		}
	case value.List:
		for i, item := range v.Items {
			var was *value.Value
			if before != nil && before.Kind == value.List && i < len(before.Items) {
				was = before.Items[i]
			}
			if isClear(item, was) {
				return true
			}
		}
	case value.String:
		return v.Text != "" && !ciphertext.Is(v.Text) && !value.Equal(v, before)
	case value.Number:
		return !value.Equal(v, before)
	}
	return false
}
