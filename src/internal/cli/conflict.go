package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// conflict is what a file and a document that was changed since the file was made from it disagree about. As the cause of an
// error it is shown with it.
type conflict struct {
	read   dovetail.ETag // the version that the file was made from
	based  bool          // the state of that version is known
	leaves []value.Conflict
	files  []value.Conflict // what tells files apart; those of the base are not known
}

// Error makes it a cause.
func (c *conflict) Error() string {
	return fmt.Sprintf("%d values conflict", len(c.leaves)+len(c.files))
}

// resolver decides what becomes of manifests that carry the version that they were made from (`ifMatch`), when the document
// has another one now.
type resolver struct {
	*session
	st    Store
	model *schema.Model
	last  *lastApplied
}

// newResolver returns one for what the user applied to the store before.
func (s *session) newResolver(t *target, st Store, model *schema.Model) *resolver {
	return &resolver{session: s, st: st, model: model, last: s.lastApplied(t)}
}

// isVersioned reports whether an operation of a file replaces a version of the document. Conditions of other operations are
// as strict as they are written.
func isVersioned(op store.Operation) bool { return op.Verb == store.Put && len(op.IfMatch) > 0 }

// maxRounds bounds how often apply takes what changed in the meantime into account. One round resolves up to
// dovetail.MaxErrors documents, which is how many a refusal lists.
const maxRounds = 100

// apply applies operations of files. A document that has another version than the file was made from is replaced nevertheless
// where nothing is lost: see mine. With force versions do not matter.
func (r *resolver) apply(ctx context.Context, operations []store.Operation, options store.Options, force bool) (*store.Result, error) {
	sent := slices.Clone(operations)
	for i, op := range operations {
		switch {
		case !isVersioned(op):
		case force:
			sent[i].IfMatch = nil
		default:
			sent[i].IfMatch = r.last.versions(op)
		}
	}
	for round := 1; ; round++ {
		result, err := r.session.apply(ctx, r.st, sent, options)
		if err == nil {
			if !options.DryRun {
				r.last.remember(operations, result)
			}
			return result, nil
		}
		resolved, err := r.resolve(ctx, operations, sent, err)
		if !resolved || round == maxRounds {
			return nil, err
		}
	}
}

// resolve looks at what a transaction was refused for. It lets operations replace the versions that are there now where that
// loses nothing, and reports whether the transaction may be tried again. Otherwise it returns what remains, with conflicts.
func (r *resolver) resolve(ctx context.Context, operations, sent []store.Operation, refusal error) (bool, error) {
	whole := dovetail.AsError(refusal)
	resolved := false
	var rest dovetail.Errors
	for _, part := range parts(whole) {
		if part.Code != dovetail.CodeStale || part.Index < 1 || part.Index > len(sent) || !isVersioned(operations[part.Index-1]) {
			rest.Add(part)
			continue
		}
		op := operations[part.Index-1]
		current, err := r.current(ctx, op, part.Current)
		if err != nil {
			return false, err
		}
		if r.mine(op, current) || r.harmless(op, part.Base, current) {
			sent[part.Index-1].IfMatch = []dovetail.ETag{current.ETag()}
			resolved = true
			continue
		}
		rest.Add(r.explain(op, current, part))
	}
	if rest.Total() == 0 {
		return resolved, whole
	}
	rest.Count(omitted(whole))
	return false, rest.Err("the transaction was refused")
}

// current returns the document that an operation would replace, nil if there is none, with its files where the operation has some:
// refusals show documents without.
func (r *resolver) current(ctx context.Context, op store.Operation, shown *dovetail.Document) (*dovetail.Document, error) {
	if shown == nil || op.Content == nil {
		return shown, nil
	}
	doc, err := r.st.Get(ctx, op.ID)
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		return nil, nil
	}
	return doc, err
}

// mine reports whether the operation may replace the document though it has another version than the file: because it equals the
// file, or is what the same user applied last from the same file with the same version. A change of the status alone is none.
func (r *resolver) mine(op store.Operation, current *dovetail.Document) bool {
	if current == nil || len(current.Data) == 0 {
		return false
	}
	is, err := stateOf(current)
	if err != nil {
		return false
	}
	return digestOf(is.data, is.content, op.Content != nil) == digestOfOperation(op) || r.last.applied(op, is)
}

// harmless reports whether the operation may replace the document because it keeps all that was changed since the file was made:
// base is the document at that version, nil where that is not kept.
func (r *resolver) harmless(op store.Operation, base, current *dovetail.Document) bool {
	if base == nil || current == nil {
		return false
	}
	was, err := stateOf(base)
	if err != nil || was.data == nil {
		return false
	}
	is, err := stateOf(current)
	if err != nil || is.data == nil || op.Content != nil && digestOf(nil, is.content, true) != digestOf(nil, op.Content, true) {
		return false
	}
	return len(value.Conflicts(was.data, is.data, withoutStatus(op.Data))) == 0
}

// explain describes a conflict: where the document and the file differ, and what was there at the version that the file was made
// from, where that is kept.
func (r *resolver) explain(op store.Operation, current *dovetail.Document, refusal *dovetail.Error) *dovetail.Error {
	e := *refusal
	read := op.IfMatch[0].Version()
	if current == nil {
		e.Message = fmt.Sprintf("%s does not exist, but the file was made from version %s of it", op.ID, read)
		e.Remedy = "create it again with --force-conflicts, or without ifMatch in the file"
		return &e
	}
	e.Message = fmt.Sprintf("%s was changed since version %s, which the file was made from", op.ID, read)
	e.Remedy = fmt.Sprintf("take over what you want to keep and set ifMatch to %s, or overwrite it with --force-conflicts", current.ETag().Version())
	if is, err := stateOf(current); err == nil && is.data != nil {
		var base *value.Value
		if refusal.Base != nil {
			if was, err := stateOf(refusal.Base); err == nil {
				base = was.data
			}
		}
		leaves := value.Conflicts(base, is.data, withoutStatus(op.Data))
		var files []value.Conflict
		if op.Content != nil {
			files = value.Conflicts(nil, value.NewMap(value.Member{Name: "content", Value: describeFiles(is.content)}),
				value.NewMap(value.Member{Name: "content", Value: describeFiles(op.Content)}))
		}
		if kind, known := r.model.Kind(current.Kind); known && kind.Sensitive.Any() {
			leaves = concealed(leaves)
			e.Base, e.Current = nil, &dovetail.Document{ID: current.ID, Kind: current.Kind, UID: current.UID, Revision: current.Revision}
		}
		e.Err = &conflict{read: op.IfMatch[0], based: base != nil, leaves: leaves, files: files}
	}
	return &e
}

// check returns the conflict for which apply would refuse the operation, nil if there is none. doc is what is stored, nil if there is nothing.
func (r *resolver) check(ctx context.Context, op store.Operation, doc *dovetail.Document) *dovetail.Error {
	if !isVersioned(op) || doc != nil && slices.Contains(r.last.versions(op), doc.ETag()) || r.mine(op, doc) {
		return nil
	}
	refusal := &dovetail.Error{Code: dovetail.CodeStale, Key: op.ID, Position: op.Position, Current: doc}
	_, err := r.st.Apply(ctx, []store.Operation{op}, store.Options{DryRun: true}) // what else is wrong with it is not the question
	for _, part := range partsOf(err) {
		if part.Code == dovetail.CodeStale {
			refusal.Base = part.Base
		}
	}
	if r.harmless(op, refusal.Base, doc) {
		return nil
	}
	return r.explain(op, doc, refusal)
}

// partsOf is parts of an error that may be nil.
func partsOf(err error) []*dovetail.Error {
	if err == nil {
		return nil
	}
	return parts(err)
}

// concealed is the conflicts of secrets: only where they are.
func concealed(leaves []value.Conflict) []value.Conflict {
	conceal := func(v *value.Value) *value.Value {
		if v == nil {
			return nil
		}
		return value.NewString("(sensitive)")
	}
	leaves = slices.Clone(leaves)
	for i, leaf := range leaves {
		leaves[i].Base, leaves[i].Theirs, leaves[i].Yours = conceal(leaf.Base), conceal(leaf.Theirs), conceal(leaf.Yours)
	}
	return leaves
}

// maxLeaves is how many values of a conflict are shown on a terminal, and maxLeaf how much of each.
const maxLeaves, maxLeaf = 20, 120

// text shows the values that conflict.
func (c *conflict) text() string {
	var b strings.Builder
	if len(c.leaves) > 0 && !c.based {
		b.WriteString("  base: version " + c.read.Version() + " is not kept; these values differ now:\n")
	}
	for i, leaf := range append(slices.Clip(c.leaves), c.files...) {
		if i == maxLeaves {
			fmt.Fprintf(&b, "  ... and %d more values\n", len(c.leaves)+len(c.files)-i)
			break
		}
		fmt.Fprintf(&b, "  %s\n", cmp.Or(leaf.Path, "/"))
		if c.based && i < len(c.leaves) {
			fmt.Fprintf(&b, "    base:   %s\n", leafText(leaf.Base))
		}
		fmt.Fprintf(&b, "    theirs: %s\n    yours:  %s\n", leafText(leaf.Theirs), leafText(leaf.Yours))
	}
	return b.String()
}

func leafText(v *value.Value) string {
	if v == nil {
		return "absent"
	}
	text := []rune(string(v.JSON()))
	if len(text) > maxLeaf {
		text = append(text[:maxLeaf:maxLeaf], '…')
	}
	return string(text)
}

// leafReport is a value that conflicts as -o json shows it. What is absent has no member.
type leafReport struct {
	Path   string          `json:"path"`
	Base   json.RawMessage `json:"base,omitempty"` // also absent where the version that the file was made from is not kept
	Theirs json.RawMessage `json:"theirs,omitempty"`
	Yours  json.RawMessage `json:"yours,omitempty"`
}

func (c *conflict) report() []leafReport {
	var all []leafReport
	for _, leaf := range append(slices.Clip(c.leaves), c.files...) {
		all = append(all, leafReport{Path: leaf.Path, Base: leafJSON(leaf.Base), Theirs: leafJSON(leaf.Theirs), Yours: leafJSON(leaf.Yours)})
	}
	return all
}

func leafJSON(v *value.Value) json.RawMessage {
	if v == nil {
		return nil
	}
	return v.JSON()
}
