package manifest

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// IfMatch is the member of a manifest with the version that the document must have.
const IfMatch = "ifMatch"

// memberManager is the member with who writes.
const memberManager = "fieldManager"

// The members of a manifest: those that say what to do, and those of a document's envelope that
// mean nothing in a write, so that the answer of a read can be sent back. The latter are known only
// beside `data`; without it they are data like everything else.
var (
	instructions = []string{"op", "kind", "key", "id", IfMatch, "cascade", "content", "data"}
	ofApply      = []string{memberManager, "force"} // beside instructions, of the op apply
	bookkeeping  = []string{"keyId", "references", "uid", "revision", "created", "updated", "schema", "status", "etag"}
)

// Operations reads manifests, in containers or not, and returns what they ask for, in their order.
// file names the input in the positions of errors; "" if there is none.
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

// Applied is Operations for a field manager: what says neither what to do (op) nor which version it replaces (ifMatch) is applied by it, and
// so is what says that it is to be applied and not by whom. force also takes fields of other managers.
func Applied(kinds *Kinds, file string, values []*value.Value, manager string, force bool) ([]store.Operation, error) {
	r := reader{kinds: kinds, manager: manager, force: force}
	operations, errs, _ := r.until(nil, file, values)
	return operations, errs
}

// stopStep is after how many manifests stop is called.
const stopStep = 256

// OperationsUntil is Operations that calls stop every few hundred manifests, and ends with its error as the second. A nil stop
// is none.
func OperationsUntil(stop func() error, kinds *Kinds, file string, values []*value.Value) (operations []store.Operation, faults, stopped error) {
	r := reader{kinds: kinds}
	return r.until(stop, file, values)
}

func (r *reader) until(stop func() error, file string, values []*value.Value) (operations []store.Operation, faults, stopped error) {
	var errs dovetail.Errors
	d := decode.Decoder{File: file, Errors: &r.errs}
	for i, v := range Flatten(values) {
		if stop != nil && i%stopStep == 0 {
			if err := stop(); err != nil {
				return nil, nil, err
			}
		}
		r.errs, d.CountOnly = dovetail.Errors{}, errs.Full()
		r.manifest = d.Root(v, "the manifest", "")
		op := r.operation()
		if d.CountOnly {
			operations[len(operations)-1].MoreFaults += r.errs.Omitted()
			errs.Count(r.errs.Omitted())
			continue
		}
		for _, err := range r.errs.Kept() {
			err.Index = i + 1
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
	manager  string // who applies what does not say; "" to put it
	force    bool   // of the manager
	manifest decode.Field
	errs     dovetail.Errors
}

func (r *reader) operation() store.Operation {
	op := store.Operation{Verb: store.Put, Position: r.manifest.Position()}
	if !r.manifest.IsMap() {
		return op
	}
	op.Verb = r.verb()
	data := r.manifest.Get("data")
	naming := data
	if naming.Value = nil; op.Verb == action {
		r.action(&op)
	} else {
		data, naming = r.data(op.Verb)
	}
	op.Data, op.Position.Path = data.Value, naming.Path()
	r.versions(&op)
	r.cascade(&op)
	r.apply(&op)
	kind := r.kind()
	if kind == nil {
		return op
	}
	op.ID = r.id(kind, naming)
	op.Content = r.content(kind)
	return op
}

// action is what op says of an action, which is no verb of its own.
const action store.Verb = "action"

// action reads which action is done. Its body is the member data, which may be anything.
func (r *reader) action(op *store.Operation) {
	op.Verb = store.PutStatus
	given := r.manifest.Get("action")
	if given.Value == nil {
		r.manifest.Fail("give `action` with the name of an action of the kind", "the manifest has no action")
	} else if text, ok := given.AnyText(); ok {
		op.Action = text
	}
	for name, m := range r.manifest.All() {
		if !slices.Contains(instructions, name) && name != string(action) {
			m.Fail("leave it out; what the action says goes into `data`", "the manifest has an unknown member %q", name)
		}
	}
}

// isInstruction reports whether a member of a manifest says what to do. Inline data may have a member like one of an apply, beside one.
func isInstruction(verb store.Verb, inline bool, name string) bool {
	switch {
	case slices.Contains(instructions, name), verb == store.ApplyFields && slices.Contains(ofApply, name):
		return true
	}
	return name == memberManager && !inline && (verb == store.Put || verb == store.Create || verb == store.Patch)
}

// apply reads who writes, and of an apply whether fields of others are taken.
func (r *reader) apply(op *store.Operation) {
	inline := r.manifest.Get("data").Value == nil
	op.FieldManager = r.manager
	if given := r.manifest.Get(memberManager); given.Value != nil && isInstruction(op.Verb, inline, memberManager) {
		op.FieldManager, _ = given.AnyText()
	}
	if r.manager != "" && r.manifest.Get("op").Value == nil && len(op.IfMatch) == 0 && !op.IfExists {
		op.Verb, op.Force = store.ApplyFields, r.forced()
		return // its members mean what they mean to a put
	}
	if op.Verb != store.ApplyFields {
		return
	}
	op.Force = r.forced()
	if given := r.manifest.Get("force"); given.Value != nil && given.Bool() {
		op.Force = store.ForceAll
	}
}

func (r *reader) forced() store.Force {
	if r.force {
		return store.ForceAll
	}
	return store.ForceUnowned
}

func (r *reader) verb() store.Verb {
	op := r.manifest.Get("op")
	if op.Value == nil {
		return store.Put
	}
	known := []store.Verb{store.Put, store.Create, store.Patch, store.ApplyFields, store.Delete, store.PutStatus, action}
	text, _ := op.Value.Str()
	if !slices.Contains(known, store.Verb(text)) {
		op.Fail("leave it out for put", "op is not one of put, create, patch, apply, delete, status and action")
		return store.Put
	}
	return store.Verb(text)
}

// data returns the data of the operation, and the data that may name the document and leads to the former's place in the
// manifest. They are the member `data`, or without it all members that are not instructions. A new status may also stand in
// `status`, and names nothing; a deletion has no data.
func (r *reader) data(verb store.Verb) (data, naming decode.Field) {
	given := r.manifest.Get("data")
	if verb == store.PutStatus {
		if given.Value == nil {
			given = r.manifest.Get("status")
		}
		if given.Value == nil {
			r.manifest.Fail("give `status`, or the status as `data`", "the manifest has no status")
		} else {
			given.IsMap()
		}
		naming = given
		naming.Value = nil
		return given, naming
	}
	if given.Value != nil {
		if verb == store.Delete {
			return decode.Field{}, given
		}
		r.unknown(verb)
		given.IsMap()
		return given, given
	}
	naming = r.manifest
	naming.Value = value.NewMap()
	naming.Value.Place = r.manifest.Value.Place
	for _, m := range r.manifest.Value.Members {
		if !isInstruction(verb, true, m.Name) {
			naming.Value.Members = append(naming.Value.Members, m)
		}
	}
	if verb == store.Delete {
		return decode.Field{}, naming
	}
	if len(naming.Value.Members) == 0 {
		r.manifest.Fail("give `data`, or metadata and spec", "the manifest has no data")
	}
	return naming, naming
}

// unknown reports the members that are neither instructions nor bookkeeping.
func (r *reader) unknown(verb store.Verb) {
	for name, m := range r.manifest.All() {
		if !isInstruction(verb, false, name) && !slices.Contains(bookkeeping, name) {
			m.Fail("put it into `data`, or use one of "+strings.Join(instructions, ", "), "the manifest has an unknown member %q", name)
		}
	}
}

func (r *reader) versions(op *store.Operation) {
	given := r.manifest.Get(IfMatch)
	if given.Value == nil {
		return
	}
	versions := []*value.Value{given.Value}
	if given.Kind() == value.List {
		versions = given.Value.Items
	}
	for _, v := range versions {
		text, ok := v.Str()
		if text == "*" {
			op.IfExists = true
			continue
		}
		tag, err := dovetail.ParseETag(text)
		if !ok || err != nil {
			given.Fail("give the etag of a read", "ifMatch must be a version, a list of versions, or *")
			return
		}
		op.IfMatch = append(op.IfMatch, tag)
	}
}

func (r *reader) cascade(op *store.Operation) {
	given := r.manifest.Get("cascade")
	switch {
	case !given.Bool():
	case op.Verb != store.Delete:
		given.Fail("leave cascade out, or set op to delete", "only a deletion cascades")
	default:
		op.Cascade = true
	}
}

// kind finds the kind by `kind` or by `id`; both must agree.
func (r *reader) kind() *schema.Kind {
	var kind *schema.Kind
	if given := r.manifest.Get("kind"); given.Value != nil {
		text, _ := given.Value.Str()
		found, err := r.kinds.Find(text)
		if err != nil {
			refuse(given, err)
			return nil
		}
		kind = found
	}
	given := r.manifest.Get("id")
	if given.Value == nil {
		if kind == nil {
			r.manifest.Fail("give kind, or id", "the manifest has no kind")
		}
		return kind
	}
	text, _ := given.Value.Str()
	id, err := dovetail.ParseID(text)
	if err == nil {
		var found *schema.Kind
		if found, err = r.kinds.model.KindOf(id); err == nil && kind != nil && found != kind {
			given.Fail("leave one of kind and id out", "the id is that of a %s, not of a %s", found.Name, kind.Name)
			return nil
		}
		kind = found
	}
	if err != nil {
		refuse(given, err)
		return nil
	}
	return kind
}

// refuse reports why a text is not the name of a kind or a document.
func refuse(f decode.Field, err error) {
	e := dovetail.AsError(err)
	f.Fail(e.Remedy, "%s", e.Message)
}
