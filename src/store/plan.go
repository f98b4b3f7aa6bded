package store

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// plan turns operations into a transaction. It is used once.
type plan struct {
	store     *Store
	model     *schema.Model
	lease     *writeLease // under which it is to be committed; nil if there is none
	expand    bool        // deletions take along what refers to them by a cascading rule
	now       time.Time
	may       dovetail.Permissions // nil for everything
	principal string               // whose permissions these are
	author    string               // who writes; "" for an anonymous user
	requested int                  // how many steps, the first ones, need permissions; what a service adds needs none
	view      *view                // what errors may show

	protections []dovetail.Protection
	approved    map[dovetail.ID]bool    // Options.Approved
	hold        func(bytes int64) error // HoldMemory

	steps []step
	// stepOf finds the step of a document, and of one that a cascade takes along the step that took it.
	stepOf   map[dovetail.ID]int
	putting  map[dovetail.ID]*dovetail.Document
	deleting map[dovetail.ID]bool
	cascaded []Outcome
	released map[dovetail.ID]bool // claims of documents that are deleted or changed
	claimed  map[dovetail.ID]claimant

	txn  Txn
	errs dovetail.Errors
	// omitted is how many errors there are beside those that a refusal is made of.
	omitted int
	// unread says that an operation could not be read so far as to know its document: it may be the
	// one that others seem to miss.
	unread bool
}

// step is one operation on its way to its outcome.
type step struct {
	op               *Operation
	kind             *schema.Kind
	current          *dovetail.Document // nil when it does not exist, and for Create, which does not look
	data             *value.Value       // the new data, without status
	stored           *value.Value       // the data of current, once it was needed
	managers         *value.Value       // who set which fields, of an ApplyFields
	invalid          bool               // an error was found: no conditions, no writes
	cascadeForbidden bool               // its cascade would take along what may be neither read nor deleted
	effect           Effect
	document         *dovetail.Document
	warnings         []*dovetail.Error
	action           *schema.LifecycleAction // that the operation does; nil if there is none
	unreferenced     bool                    // the action needs that nothing refers to the document
}

func (s *Store) newPlan(operations []Operation, expand bool) *plan {
	p := &plan{
		store: s, model: s.Model(), expand: expand, now: s.now(),
		steps:   make([]step, len(operations)),
		stepOf:  make(map[dovetail.ID]int, len(operations)),
		putting: make(map[dovetail.ID]*dovetail.Document, len(operations)),
	}
	for i := range operations {
		p.steps[i].op, p.steps[i].warnings = &operations[i], slices.Clip(operations[i].warnings)
	}
	return p
}

// begin finds out what the steps are about.
func (p *plan) begin(ctx context.Context) error {
	p.hold = func(bytes int64) error { return HoldMemory(ctx, bytes) }
	return p.eachStep(ctx, p.identify)
}

// build reads what it must and fills txn and errs. Its own error means that reading failed.
func (p *plan) build(ctx context.Context) error {
	if err := p.begin(ctx); err != nil || p.decided() {
		return err
	}
	if err := p.read(ctx); err != nil {
		return err
	}
	return p.finish(ctx)
}

// finish fills txn and errs once it is known what is there.
func (p *plan) finish(ctx context.Context) error {
	if err := p.eachStep(ctx, func(i int) { p.writeStep(ctx, i) }); err != nil || p.decided() {
		return err
	}
	if err := p.refer(ctx); err != nil {
		return err
	}
	if err := p.cascade(ctx); err != nil {
		return err
	}
	if err := p.states(ctx); err != nil {
		return err
	}
	if err := p.moveClaims(ctx); err != nil {
		return err
	}
	if err := p.rules(ctx); err != nil {
		return err
	}
	claims, err := p.claim(ctx)
	if err != nil {
		return err
	}
	p.protect()
	p.require()
	p.txn.add(claims)
	return nil
}

// eachStep does something for each step as long as the context lasts.
func (p *plan) eachStep(ctx context.Context, do func(i int)) error {
	const often = 64
	for i := range p.steps {
		if i%often == 0 && ctx.Err() != nil {
			return dovetail.AsError(ctx.Err())
		}
		do(i)
	}
	return nil
}

// decided reports whether further errors would no longer change the refusal: it has the maximum of errors, and its code is
// final, which is CodeForbidden if one operation is forbidden.
func (p *plan) decided() bool { return p.errs.Full() && (p.may == nil || p.errs.Forbids()) }

// writeStep makes the new state of a step. Once enough is wrong only rights matter: those to delete also by a cascade.
func (p *plan) writeStep(ctx context.Context, i int) {
	p.permittedNow(i)
	switch st := &p.steps[i]; {
	case st.invalid:
	case p.errs.Full() && st.op.Verb != Delete:
		st.invalid = true
	default:
		p.write(ctx, i, st)
		p.onBehalf(i, st)
	}
}

// fail records an error of a step.
func (p *plan) fail(i int, err *dovetail.Error) {
	st := &p.steps[i]
	st.invalid = true
	if err.Key == "" {
		err.Key = st.op.ID
	}
	if p.errs.Full() && err.Code != dovetail.CodeForbidden { // it is not shown: to find its place could take as long as the data are large
		p.errs.Count(1)
		return
	}
	p.errs.Add(p.locate(i, err))
}

// locate says where in the user's input the error is: the operation's index and position, and, for
// an error at a path of the data, the line and column of the value there.
func (p *plan) locate(i int, err *dovetail.Error) *dovetail.Error {
	op := p.steps[i].op
	err.Index = i + 1
	path := err.Position.Path
	err.Position = op.Position
	if path != "" {
		err.Position.Path = op.Position.Path + path
		if v, found := op.Data.Find(path); found && v.Line > 0 {
			err.Position.Line, err.Position.Column = int(v.Line), int(v.Column)
		}
	}
	return err
}

// identify finds the kind and checks what needs no reading.
func (p *plan) identify(i int) {
	st := &p.steps[i]
	op := st.op
	if len(op.Faults) > 0 {
		p.addFaults(i)
		return
	}
	if first, twice := p.stepOf[op.ID]; twice {
		p.fail(i, &dovetail.Error{Code: dovetail.CodeInvalid,
			Message: string(op.ID) + " is written twice in one transaction" + firstPosition(p.steps[first].op.Position),
			Remedy:  "keep one of the two"})
		return
	}
	p.stepOf[op.ID] = i
	kind, err := p.model.KindOf(op.ID)
	if err != nil {
		p.fail(i, dovetail.AsError(err))
		return
	}
	st.kind = kind
	for _, e := range op.ID.Key() {
		if why := dovetail.CheckValue(e.Value); why != "" {
			p.fail(i, dovetail.Errorf(dovetail.CodeInvalid, "the value of %s %s", e.Name, why))
			return
		}
	}
	p.permitted(i)
	switch {
	case kind.Abstract:
		p.fail(i, &dovetail.Error{Code: dovetail.CodeInvalid,
			Message: "the kind " + kind.Name + " has no documents of its own"})
	case op.Verb == Delete, op.Action != "", op.work != nil:
	case op.Data == nil || op.Data.Kind != value.Map:
		p.fail(i, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the data of " + string(op.ID) + " is not an object",
			Remedy: "send an object with metadata and spec"})
	}
}

// addFaults passes on what is known to be wrong with an operation.
func (p *plan) addFaults(i int) {
	st := &p.steps[i]
	st.invalid = true
	for _, fault := range st.op.Faults {
		copied := *fault
		copied.Index = i + 1
		p.errs.Add(&copied)
	}
	p.errs.Count(st.op.MoreFaults)
	if _, twice := p.stepOf[st.op.ID]; st.op.ID != "" && !twice {
		p.stepOf[st.op.ID] = i
	}
	p.unread = p.unread || st.op.ID == "" || st.op.MoreFaults > 0
}

func firstPosition(at dovetail.Position) string {
	if text := at.String(); text != "" {
		return ", first at " + text
	}
	return ""
}

// read fetches the current state of every document but those to be created.
func (p *plan) read(ctx context.Context) error {
	var ids []dovetail.ID
	var which []int
	for i := range p.steps {
		if st := &p.steps[i]; !st.invalid && st.op.Verb != Create {
			ids, which = append(ids, st.op.ID), append(which, i)
		}
	}
	documents, err := p.store.fetch(ctx, ids)
	for n, doc := range documents {
		p.steps[which[n]].current = doc
	}
	return err
}

// release ends the counting of what the plan read.
func (p *plan) release(ctx context.Context) {
	size := int64(0)
	for i := range p.steps {
		if current := p.steps[i].current; current != nil {
			size += SizeOf(current)
		}
	}
	_ = HoldMemory(ctx, -size) // never refused
}

// write checks the operation against the current state and makes the new one, except references.
func (p *plan) write(ctx context.Context, i int, st *step) {
	op, current := st.op, st.current
	if err := st.checkState(); err != nil {
		p.fail(i, err)
		return
	}
	switch op.Verb {
	case Delete:
		st.effect, st.document = WasDeleted, current
		if p.deleting == nil {
			p.deleting = make(map[dovetail.ID]bool)
		}
		p.deleting[op.ID] = true
		return
	case PutStatus:
		next := *current
		if op.Action != "" || op.work != nil {
			status := p.action(i, st)
			if st.invalid {
				return
			}
			next.Status = status.JSON()
		} else {
			next.Status, next.Inputs = p.standingAuthor(i, st, p.standingManagers(i, st, p.standingStatus(i, st, op.Data.JSON()))), op.Inputs
		}
		if op.Content == nil && len(current.Content) > 0 {
			next.Inputs = union(current.Inputs, op.Inputs) // what the files were made from
		}
		unchanged := bytes.Equal(next.Status, current.Status) && slices.Equal(next.Inputs, current.Inputs)
		if op.Content != nil {
			next.Content = op.Content
			unchanged = unchanged && slices.EqualFunc(next.Content, current.Content, equalFiles)
			for _, mismatch := range st.kind.CheckContent(next.Content) {
				p.fail(i, mismatch)
			}
		}
		if p.checkSize(i, st, &next); st.invalid {
			return
		}
		p.setNext(st, &next, unchanged && !p.writesUnread(i) && (p.mayOf(i) == nil || p.view.shows(current)))
		return
	}
	if err := p.newData(i, st); err != nil {
		p.fail(i, err)
	}
	if st.invalid {
		return
	}
	violations := st.kind.Validate(st.data)
	var refused []string // the places in the data
	for _, violation := range violations.Kept() {
		refused = append(refused, violation.Position.Path)
		p.fail(i, violation)
	}
	p.errs.Count(violations.Omitted())
	p.spelling(i, st, refused)
	p.immutable(i, st)
	if current == nil {
		p.checkName(i, st)
	}
	next := &dovetail.Document{ID: op.ID, Kind: st.kind.Name, Content: op.Content}
	if current != nil {
		next.Status, next.Inputs, next.References = current.Status, current.Inputs, current.References
		next.UID, next.Revision, next.Created, next.Updated = current.UID, current.Revision, current.Created, current.Updated
		next.Schema = current.Schema
		if op.Content == nil {
			next.Content = current.Content
		}
	}
	if op.Status != nil && (op.Verb == Create || op.Verb == Put) {
		if next.Status, next.Inputs = nil, op.Inputs; op.Status.Kind != value.Null {
			next.Status = op.Status.JSON()
		}
	}
	if current == nil && op.restore == nil || op.Status != nil {
		next.Status = p.standingStatus(i, st, next.Status)
	}
	p.restoredState(i, st)
	for _, mismatch := range st.kind.CheckContent(next.Content) {
		p.fail(i, mismatch)
	}
	if st.invalid {
		return
	}
	next.Data = st.data.JSON()
	p.manageFields(i, st, next)
	if was := op.restore; was != nil {
		next.Status, next.Inputs = was.Status, was.Inputs
	}
	p.setAuthor(i, st, next)
	p.setActor(ctx, i, st, next)
	if p.checkSize(i, st, next); st.invalid {
		return
	}
	st.document = next
	p.putting[op.ID] = next
}

// spelling refuses members that look like misspelt ones, except at places that are refused already. Those that are stored already stay, so
// that documents of before can be changed, and states of before restored.
func (p *plan) spelling(i int, st *step, refused []string) {
	misspelt := st.kind.Misspelt(st.data)
	if misspelt.Total() == 0 || st.op.restore != nil || st.op.renamed {
		return
	}
	var stored *value.Value
	if !p.writesUnread(i) { // otherwise the refusal tells which members are stored
		stored = p.stored(i, st)
	}
	for _, e := range misspelt.Kept() {
		if _, before := stored.Find(e.Position.Path); !before && !slices.Contains(refused, e.Position.Path) {
			p.fail(i, e)
		}
	}
	p.errs.Count(misspelt.Omitted())
}

// checkName refuses a new document whose name may be taken for another. Its ancestors are there already, or are checked
// themselves.
func (p *plan) checkName(i int, st *step) {
	key := st.op.ID.Key()
	above := st.kind.Parent
	for above != nil && above.Abstract {
		above = above.Parent
	}
	if above != nil {
		key = key[min(len(key), len(above.Elements)):]
	}
	for _, e := range key {
		if why := dovetail.CheckNewValue(e.Value); why != "" {
			p.fail(i, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the value of " + e.Name + " in " + string(st.op.ID) + " " + why,
				Remedy: "choose a name of visible characters, without spaces at its ends, in normalization form C"})
		}
	}
}

// union returns the ids of both lists, those of the first one first.
func union(a, b []dovetail.ID) []dovetail.ID {
	all := slices.Clone(a)
	for _, id := range b {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// checkState compares what the operation expects of the document with what is there.
func (st *step) checkState() *dovetail.Error {
	op, current := st.op, st.current
	stale := func(message string) *dovetail.Error {
		return &dovetail.Error{Code: dovetail.CodeStale, Message: message, Current: current,
			Remedy: "read it again, repeat your change on the current version, and send its ETag"}
	}
	switch {
	case op.Verb == Create:
		return nil
	case current == nil && op.Verb != Put && op.Verb != ApplyFields:
		return notFound(op.ID)
	case current == nil && (len(op.IfMatch) > 0 || op.IfExists):
		return stale(string(op.ID) + " does not exist, though a version of it was expected")
	case current != nil && len(op.IfMatch) > 0 && !slices.Contains(op.IfMatch, current.ETag()):
		return stale(string(op.ID) + " was changed by another user: it is at version " + current.ETag().Version())
	}
	return nil
}

// setNext gives a document that was there its next version, unless nothing changes.
func (p *plan) setNext(st *step, next *dovetail.Document, unchanged bool) {
	st.document = next
	p.putting[next.ID] = next
	if unchanged {
		st.effect = WasUnchanged
		st.document = st.current
		return
	}
	st.effect = WasUpdated
	next.Revision++
	if view := p.store.overlay(); view != nil && !view.stages(next.ID) {
		next.UID = p.store.config.NewUID() // a version of its own, which the store has nowhere
	}
	next.Updated = p.now
	next.Schema = p.model.Hash()
}

// writes reports whether the transaction would change anything.
func (p *plan) writes() bool { return len(p.txn.Puts)+len(p.txn.Deletes) > 0 }

// result is what the plan did, once committed, or would do: then without a new version.
func (p *plan) result(dryRun bool) *Result {
	r := &Result{Outcomes: make([]Outcome, len(p.steps)), Cascaded: p.cascaded}
	for i, st := range p.steps {
		doc := st.document
		if dryRun && (st.effect == WasCreated || st.effect == WasUpdated) {
			would, was := *doc, dovetail.Document{}
			if st.current != nil {
				was = *st.current
			}
			would.UID, would.Revision, would.Created, would.Updated = was.UID, was.Revision, was.Created, was.Updated
			doc = &would
		}
		r.Outcomes[i] = Outcome{Effect: st.effect, Document: doc, Warnings: st.warnings}
	}
	return r
}
