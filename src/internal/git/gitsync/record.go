package gitsync

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// heldKinds are the kinds of which repositories hold documents.
var heldKinds = func() map[string]bool {
	kinds := make(map[string]bool)
	for _, kind := range instancerepo.Kinds() {
		kinds[kind] = true
	}
	return kinds
}()

// isHeld reports whether repositories hold documents of a kind.
func isHeld(kind string) bool { return heldKinds[kind] }

const recordKind = "instanceRepository"

// DefaultName is the name of a repository that is attached alone.
const DefaultName = "attached"

// RecordID is the key of the record of a repository.
func RecordID(name string) dovetail.ID { return dovetail.ID("").Child(recordKind, name) }

// maxDefects is how many defects the record lists.
const maxDefects = 100

// record is the document that says up to which commit the store follows the repository. Every change of
// documents that the repository holds writes it in the same transaction, and requires that it was not
// written since it was read.
type record struct {
	doc *dovetail.Document
	state
}

// state is the status of the record.
type state struct {
	Head      string     `json:"head,omitempty"`      // "" until the store follows for the first time
	Attaching *attaching `json:"attaching,omitempty"` // until then
	Defects   defects    `json:"defects"`
}

// attaching is how far a store is that follows for the first time.
type attaching struct {
	Commit       string `json:"commit"`
	Environments int    `json:"environments"` // that the store has
	Of           int    `json:"of"`           // that there are
}

// defects are what is wrong in the repository.
type defects struct {
	Total int      `json:"total"`
	First []defect `json:"first"` // at most maxDefects, in the order of their files
}

// with adds what is wrong in what was read, and what the store could not hold of it.
func (d defects) with(read *surveyed) defects {
	first := slices.Clone(d.First)
	for _, e := range read.defects {
		first = append(first, defectOf(e))
	}
	for _, e := range read.refused {
		refused := defectOf(e)
		refused.Refused = true
		first = append(first, refused)
	}
	slices.SortStableFunc(first, compareDefects)
	return defects{d.Total + len(read.defects) + len(read.refused), first[:min(len(first), maxDefects)]}
}

// defect is one of them.
type defect struct {
	Reason  string `json:"reason,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
	Refused bool   `json:"refused,omitempty"` // by the store, which is asked again with every commit of others
}

// defectOf shows an error, the reason of one that has none being its code.
func defectOf(e *dovetail.Error) defect {
	reason := e.Reason
	if reason == "" {
		reason = string(e.Code)
	}
	p := e.Position
	return defect{Reason: reason, File: p.File, Line: p.Line, Column: p.Column, Path: p.Path, Message: e.Message, Remedy: e.Remedy}
}

// record reads the record. Its document is nil when there is none.
func (a *Syncer) record(ctx context.Context) (*record, error) {
	doc, err := a.store.Get(ctx, a.recordID)
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		return &record{}, nil
	}
	if err != nil {
		return nil, err
	}
	r := &record{doc: doc}
	if len(doc.Status) > 0 {
		if err := json.Unmarshal(doc.Status, &r.state); err != nil {
			return nil, &dovetail.Error{Code: dovetail.CodeCorrupt, Key: a.recordID, Message: "the record of the attached instance repository cannot be read",
				Remedy: "delete " + string(a.recordID) + " while no server runs, and attach the repository again", Err: err}
		}
	}
	return r, nil
}

// begin makes the record when there is none, or when another repository was attached before.
func (a *Syncer) begin(ctx context.Context) error {
	for {
		r, err := a.record(ctx)
		if err != nil {
			return err
		}
		member := func(name string, v *value.Value) value.Member { return value.Member{Name: name, Value: v} }
		data := value.NewMap(member("metadata", value.NewMap(member("name", value.NewString(a.options.Name)))),
			member("spec", value.NewMap(member("url", value.NewString(a.options.URL)), member("branch", value.NewString(a.options.Branch)))))
		op := store.Operation{Verb: store.Create, ID: a.recordID, Data: data}
		if r.doc != nil {
			was, err := value.DataOf(r.doc, nil)
			if err != nil {
				return err
			}
			if value.Equal(was.Get("spec"), data.Get("spec")) {
				return nil
			}
			if sameRepository(was.Get("spec"), data.Get("spec")) { // written by an earlier version, with the user
				_, err := a.store.Apply(ctx, []store.Operation{{Verb: store.Put, ID: a.recordID, Data: data, IfMatch: []dovetail.ETag{r.doc.ETag()}}}, store.Options{})
				if err == nil || !isOvertaken(err) {
					return err
				}
				continue
			}
			// What the store follows is another repository: it starts again, with a new record.
			if _, err := a.store.Apply(ctx, []store.Operation{{Verb: store.Delete, ID: a.recordID, IfMatch: []dovetail.ETag{r.doc.ETag()}}}, store.Options{}); err != nil && !isOvertaken(err) {
				return err
			}
		}
		_, err = a.store.Apply(ctx, []store.Operation{op}, store.Options{})
		if err == nil || !isOvertaken(err) {
			return err
		}
	}
}

// sameRepository reports whether two records are of one branch of one repository, whatever their URLs say of the caller.
func sameRepository(was, is *value.Value) bool {
	text := func(of *value.Value, name string) string {
		if v := of.Get(name); v != nil {
			return v.Text
		}
		return ""
	}
	return text(was, "branch") == text(is, "branch") && gitrepo.WithoutCredentials(text(was, "url")) == text(is, "url")
}

// write is the operation that records a state, made from these inputs, if no process did so since the record was read.
func (r *record) write(next state, inputs []dovetail.ID) (store.Operation, error) {
	text, err := json.Marshal(next)
	if err != nil {
		return store.Operation{}, dovetail.AsError(err)
	}
	status, err := value.ParseStored(text, nil)
	if err != nil {
		return store.Operation{}, dovetail.AsError(err)
	}
	return store.Operation{Verb: store.PutStatus, ID: r.doc.ID, Data: status, Inputs: inputs, IfMatch: []dovetail.ETag{r.doc.ETag()}}, nil
}

// errOvertaken says that another process wrote the record.
func (a *Syncer) errOvertaken() error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Key: a.recordID, Message: "another process follows the instance repository at the same time"}
}

// isOvertaken reports whether a transaction was refused, alone or beside other reasons, because another
// process wrote the record.
func isOvertaken(err error) bool {
	e := dovetail.AsError(err)
	return e != nil && (kindOf(e.Key) == recordKind || slices.ContainsFunc(e.Errors, func(part *dovetail.Error) bool { return kindOf(part.Key) == recordKind }))
}

func compareDefects(a, b defect) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
}
