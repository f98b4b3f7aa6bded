package simulation

import (
	"errors"
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// outcome is what an operation's answer says of the transaction.
type outcome uint8

const (
	maybe   outcome = iota // no answer, or one that says that it is not known
	applied                // it was done
	never                  // it was not done and will not be
	reads                  // it was no transaction
)

// operation is a request of a process, from its first step to its last, and the answer.
type operation struct {
	process    string
	begin, end int

	txn     *store.Txn
	outcome outcome
	claims  []claim // what a refusal says

	read dovetail.ID
	seen version
}

// version is what there is of a document: the zero value says that there is nothing.
type version dovetail.ETag

// claim is something that an answer says was so at some moment.
type claim struct {
	condition store.Condition
	code      dovetail.Code
	current   version
	blocker   dovetail.ID // of CodeInUse: one that holds the document
}

// answer notes what Commit returned.
func (op *operation) answer(err error) {
	switch dovetail.CodeOf(err) {
	case "":
		op.outcome = applied
		return
	case dovetail.CodeUnknown:
		op.outcome = maybe
		return
	}
	op.outcome = never
	var failure *dovetail.Error
	if !errors.As(err, &failure) {
		return
	}
	if failure.Reason == store.ReasonTooLate {
		op.claims = append(op.claims, claim{code: failure.Code})
	}
	parts := failure.Errors
	if len(parts) == 0 {
		parts = []*dovetail.Error{failure}
	}
	for _, part := range parts {
		op.claim(part)
	}
}

// claim notes what a part of a refusal says.
func (op *operation) claim(part *dovetail.Error) {
	tests := map[dovetail.Code][]store.Test{
		dovetail.CodeExists: {store.Absent}, dovetail.CodeNotFound: {store.AtVersion}, dovetail.CodeStale: {store.AtVersion},
		dovetail.CodeMissing: {store.Exists}, dovetail.CodeInUse: {store.Childless, store.Unreferenced}}[part.Code]
	for _, c := range op.txn.Require {
		for _, test := range tests {
			if c.ID != part.Key || c.Test != test {
				continue
			}
			made := claim{condition: c, code: part.Code}
			if part.Current != nil {
				made.current = version(part.Current.ETag())
			}
			if part.BlockedBy == nil {
				op.claims = append(op.claims, made)
				continue
			}
			for _, blocker := range part.BlockedBy.IDs {
				if (test == store.Childless) == blocker.IsDescendantOf(c.ID) {
					made.blocker = blocker
					op.claims = append(op.claims, made)
				}
			}
		}
	}
}

// sees notes what Get returned.
func (op *operation) sees(doc *dovetail.Document, err error) {
	switch {
	case err == nil:
		op.outcome, op.seen = reads, version(doc.ETag())
	case dovetail.CodeOf(err) == dovetail.CodeNotFound:
		op.outcome = reads
	default:
		op.outcome = never
	}
}

func (v version) String() string {
	if v == (version{}) {
		return "nothing"
	}
	return dovetail.ETag(v).Version()
}

// String says what was asked and answered.
func (op *operation) String() string {
	answers := map[outcome]string{maybe: "not known", applied: "done", never: "not done", reads: op.seen.String()}
	text := fmt.Sprintf("%s (steps %d to %d)", op.process, op.begin, op.end)
	if op.end > 1<<30 {
		text = fmt.Sprintf("%s (from step %d)", op.process, op.begin)
	}
	if op.txn == nil {
		return text + " reads " + string(op.read) + ": " + answers[op.outcome]
	}
	text += ":"
	for _, doc := range op.txn.Puts {
		text += " put " + string(doc.ID) + "@" + doc.ETag().Version()
	}
	for _, id := range op.txn.Deletes {
		text += " delete " + string(id)
	}
	text += ": " + answers[op.outcome]
	for _, c := range op.claims {
		text += fmt.Sprintf(" (%s %s %s %s)", c.code, c.condition.ID, c.current, c.blocker)
	}
	return text
}
