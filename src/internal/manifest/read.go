package manifest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// The members of a manifest: those that say what to do, and those of a document's envelope that
// mean nothing in a write, so that the answer of a read can be sent back. The latter are known only
// beside `data`; without it they are data like everything else.
var (
	instructions = []string{"op", "kind", "key", "id", "ifMatch", "cascade", "content", "data"}
	bookkeeping  = []string{"keyId", "references", "uid", "revision", "created", "updated", "schema", "status", "etag"}
)

// Operations reads manifests, in containers or not, and returns what they ask for, in their order.
// file names the input in the positions of errors; "" for none.
//
// Errors: CodeInvalid, with a part for everything that is wrong in any of them, each with the
// manifest's index (from 1) and the place inside it. The operations are returned nevertheless, one
// for each manifest, and carry these parts as their Faults: store.Store.Apply refuses them, and
// reports them together with the errors of the others. After dovetail.MaxErrors faults the rest is only counted:
// it is refused in any case, so that the last operation returned has the number as its MoreFaults.
func Operations(kinds *Kinds, file string, values []*value.Value) ([]store.Operation, error) {
	operations, errs, _ := OperationsUntil(nil, kinds, file, values)
	return operations, errs
}

// stopStep is after how many manifests stop is called.
const stopStep = 256

// OperationsUntil is Operations that calls stop every few hundred manifests, and ends with its error as the second. A nil stop
// is none.
func OperationsUntil(stop func() error, kinds *Kinds, file string, values []*value.Value) (operations []store.Operation, faults, stopped error) {
	var errs dovetail.Errors
	for i, v := range Flatten(values) {
		if stop != nil && i%stopStep == 0 {
			if err := stop(); err != nil {
				return nil, nil, err
			}
		}
		r := reader{kinds: kinds, manifest: v, counting: errs.Full()}
		op := r.operation()
		if r.counting {
			operations[len(operations)-1].MoreFaults += r.errs.Omitted()
			errs.Count(r.errs.Omitted())
			continue
		}
		op.Position.File = file
		for _, err := range r.errs.Kept() {
			err.Index = i + 1
			err.Position.File = file
		}
		op.Faults, op.MoreFaults = r.errs.Kept(), r.errs.Omitted()
		operations = append(operations, op)
		errs.Add(op.Faults...)
		errs.Count(op.MoreFaults)
	}
	return operations, errs.Err("invalid manifests"), nil
}

// reader reads one manifest.
type reader struct {
	kinds    *Kinds
	manifest *value.Value
	counting bool // faults are counted, not described
	errs     dovetail.Errors
}

// fail records an error at a path of the manifest, with the place of the value there, or of the
// manifest where there is none.
func (r *reader) fail(path []string, message, remedy string) {
	if r.counting || r.errs.Full() {
		r.errs.Count(1)
		return
	}
	at := r.manifest
	if found := r.manifest.At(path...); found != nil {
		at = found
	}
	position := at.Position()
	position.Path = value.Pointer(path...)
	r.errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Message: message, Remedy: remedy, Position: position})
}

// pass records an error of another function, whose position is below the prefix.
func (r *reader) pass(err error, prefix string) {
	if err == nil {
		return
	}
	e := dovetail.AsError(err)
	parts := e.Errors
	if len(parts) == 0 {
		parts = []*dovetail.Error{e}
	}
	if r.counting {
		r.errs.Count(len(parts))
		return
	}
	for _, part := range parts {
		part.Position.Path = prefix + part.Position.Path
		if part.Position.Line == 0 {
			at := r.manifest.Position()
			part.Position.Line, part.Position.Column = at.Line, at.Column
		}
		r.errs.Add(part)
	}
}

func (r *reader) operation() store.Operation {
	op := store.Operation{Verb: store.Put, Position: r.manifest.Position()}
	if r.manifest.Kind != value.Map {
		r.fail(nil, "a manifest must be an object, not a "+r.manifest.Kind.String(), "write kind, key and data")
		return op
	}
	op.Verb = r.verb()
	var naming *value.Value
	op.Data, naming, op.Position.Path = r.data(op.Verb)
	r.versions(&op)
	r.cascade(&op)
	kind := r.kind()
	if kind == nil {
		return op
	}
	op.ID = r.id(kind, naming, op.Position.Path)
	op.Content = r.content(kind)
	return op
}

func (r *reader) verb() store.Verb {
	op := r.manifest.Get("op")
	if op == nil {
		return store.Put
	}
	known := []store.Verb{store.Put, store.Create, store.Patch, store.Delete, store.PutStatus}
	text, _ := op.Str()
	if !slices.Contains(known, store.Verb(text)) {
		r.fail([]string{"op"}, "op is not one of put, create, patch, delete and status", "leave it out for put")
		return store.Put
	}
	return store.Verb(text)
}

// data returns the data of the operation, the data that may name the document, and the path of
// these in the manifest. They are the member `data`, or without it all members that are not
// instructions. A new status may also stand in `status`; a deletion has no data.
func (r *reader) data(verb store.Verb) (data, naming *value.Value, path string) {
	given := r.manifest.Get("data")
	switch {
	case verb == store.PutStatus:
		if path = "/data"; given == nil {
			given, path = r.manifest.Get("status"), "/status"
		}
		if given == nil {
			r.fail(nil, "the manifest has no status", "give `status`, or the status as `data`")
		}
		return r.object(given, path), nil, path
	case given != nil:
		if verb == store.Delete {
			return nil, given, "/data"
		}
		r.unknown()
		return r.object(given, "/data"), given, "/data"
	}
	naming = value.NewMap()
	naming.Place = r.manifest.Place
	for _, m := range r.manifest.Members {
		if !slices.Contains(instructions, m.Name) {
			naming.Members = append(naming.Members, m)
		}
	}
	if verb == store.Delete {
		return nil, naming, ""
	}
	if len(naming.Members) == 0 {
		r.fail(nil, "the manifest has no data", "give `data`, or metadata and spec")
	}
	return naming, naming, ""
}

func (r *reader) object(v *value.Value, path string) *value.Value {
	if v != nil && v.Kind != value.Map {
		r.fail([]string{path[1:]}, path[1:]+" must be an object, not a "+v.Kind.String(), "")
	}
	return v
}

// unknown reports the members that are neither instructions nor bookkeeping.
func (r *reader) unknown() {
	for _, m := range r.manifest.Members {
		if !slices.Contains(instructions, m.Name) && !slices.Contains(bookkeeping, m.Name) {
			r.fail([]string{m.Name}, fmt.Sprintf("the manifest has an unknown member %q", m.Name),
				"put it into `data`, or use one of "+strings.Join(instructions, ", "))
		}
	}
}

func (r *reader) versions(op *store.Operation) {
	given := r.manifest.Get("ifMatch")
	if given == nil {
		return
	}
	versions := []*value.Value{given}
	if given.Kind == value.List {
		versions = given.Items
	}
	for _, v := range versions {
		text, ok := v.Str()
		if text == "*" {
			op.IfExists = true
			continue
		}
		tag, err := dovetail.ParseETag(text)
		if !ok || err != nil {
			r.fail([]string{"ifMatch"}, "ifMatch must be a version, a list of versions, or *", "give the etag of a read")
			return
		}
		op.IfMatch = append(op.IfMatch, tag)
	}
}

func (r *reader) cascade(op *store.Operation) {
	given := r.manifest.Get("cascade")
	switch {
	case given == nil:
	case given.Kind != value.Bool:
		r.fail([]string{"cascade"}, "cascade must be true or false, not a "+given.Kind.String(), "")
	case given.Text == "true" && op.Verb != store.Delete:
		r.fail([]string{"cascade"}, "only a deletion cascades", "leave cascade out, or set op to delete")
	default:
		op.Cascade = given.Text == "true"
	}
}

// kind finds the kind by `kind` or by `id`; both must agree.
func (r *reader) kind() *schema.Kind {
	var kind *schema.Kind
	if given := r.manifest.Get("kind"); given != nil {
		text, _ := given.Str()
		found, err := r.kinds.Find(text)
		if err != nil {
			e := dovetail.AsError(err)
			r.fail([]string{"kind"}, e.Message, e.Remedy)
			return nil
		}
		kind = found
	}
	given := r.manifest.Get("id")
	if given == nil {
		if kind == nil {
			r.fail(nil, "the manifest has no kind", "give kind, or id")
		}
		return kind
	}
	text, _ := given.Str()
	id, err := dovetail.ParseID(text)
	if err == nil {
		var found *schema.Kind
		if found, err = r.kinds.model.KindOf(id); err == nil && kind != nil && found != kind {
			r.fail([]string{"id"}, "the id is that of a "+found.Name+", not of a "+kind.Name, "leave one of kind and id out")
			return nil
		}
		kind = found
	}
	if err != nil {
		e := dovetail.AsError(err)
		r.fail([]string{"id"}, e.Message, e.Remedy)
		return nil
	}
	return kind
}
