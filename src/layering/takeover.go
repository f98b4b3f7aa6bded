package layering

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/history"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// TakeOver returns the documents of the store that hold a history, to be imported in one transaction; none where the store holds
// it already, whatever came after it. Secrets are sealed with the store's data key. Errors: CodeConflict where the store has other
// revisions, those of the keyring.
func (r *Revisions) TakeOver(ctx context.Context, h *history.History) ([]*dovetail.Document, error) {
	from, err := r.head(ctx)
	if err != nil {
		return nil, err
	}
	if from.Number > 0 {
		return nil, r.holds(ctx, h, from)
	}
	t := &takeover{revisions: r, names: make(map[string]string), documents: make(map[string]*rendering.Document), created: make(map[string]time.Time), first: make(map[rendering.ID]int)}
	for _, b := range h.Buckets {
		t.add(store.Operation{ID: bucketID(b.Name), Data: value.NewMap(nameMember(b.Name))}, b.Created)
	}
	for state := range h.States {
		t.revision(state)
	}
	if t.last == nil {
		return t.imports, nil
	}
	if err := t.newest(ctx); err != nil {
		return nil, err
	}
	return t.imports, nil
}

// takeover is one on its way.
type takeover struct {
	revisions *Revisions
	imports   []*dovetail.Document
	last      *Revision // that was added

	names     map[string]string              // of contents, by what rows call them
	documents map[string]*rendering.Document // by the names of their content
	created   map[string]time.Time           // of contents
	first     map[rendering.ID]int           // the first row of each document
}

// add adds a document of the store with the time of its creation.
func (t *takeover) add(op store.Operation, created time.Time) {
	sum := sha256.Sum256([]byte(string(op.ID) + "\x00" + created.UTC().Format(time.RFC3339Nano)))
	key := op.ID.Key()
	doc := &dovetail.Document{ID: op.ID, Kind: key[len(key)-1].Name, Data: op.Data.JSON(), Inputs: op.Inputs,
		UID: hex.EncodeToString(sum[:12]), Revision: 1, Created: created, Updated: created}
	if op.Status != nil {
		doc.Status = op.Status.JSON()
	}
	t.imports = append(t.imports, doc)
}

// revision adds a revision with its index, tags and reports.
func (t *takeover) revision(of history.State) {
	next := &Revision{Number: of.Number, Created: of.Created, index: t.index(of)}
	previous := t.last
	if previous == nil {
		previous = &Revision{}
	}
	next.rows.last = previous.rows.last
	buckets := make(map[string]bool)
	for _, row := range of.Rows {
		next.rows.last = max(next.rows.last, row.Number)
		buckets[row.Bucket] = true
		if row.Document == nil {
			next.rows.tombstones = append(next.rows.tombstones, tombstone{row.ID, row.Number})
		}
	}
	// Indexes are put together from those of all numbers between, so that one after a gap is whole.
	before := previous.index
	if next.whole = previous.whole; before == nil || next.Number != previous.Number+1 || next.Number-next.whole >= maxDifferences {
		next.whole, before = next.Number, nil
	}
	d := next.index.differenceFrom(before)
	d.rows = next.rows
	for _, op := range revisionOperations(next, sortedKeys(buckets), d) {
		t.add(op, of.Created)
	}
	for _, tag := range of.Tags {
		t.add(tagOperation(of.Number, tag.Name, tag.Data), tag.Created)
	}
	numbers := make(map[string]int)
	for _, report := range of.Reports {
		t.add(reportOperation(of.Number, report.Name, numbers[report.Name], report.Result), report.Created)
		numbers[report.Name]++
	}
	t.last = next
}

// index is that of a revision.
func (t *takeover) index(of history.State) index {
	for _, row := range of.Rows {
		t.first[row.ID] = cmp.Or(t.first[row.ID], row.Number)
	}
	x := make(index, len(of.Live))
	for id, row := range of.Live {
		e := entry{id: id, bucket: row.Bucket, content: t.content(row), since: row.Since, put: of.Number, row: row.Number, first: t.first[id]}
		if t.last != nil {
			if old, had := t.last.index[id]; had && old.row == row.Number {
				e.put = old.put
			}
		}
		x[id] = e
	}
	return x
}

// content names what a row says.
func (t *takeover) content(row *history.Row) string {
	said := row.ID.String() + "\x00" + row.Content
	name := t.names[said]
	if name == "" {
		name = t.revisions.nameOf(row.Document)
		t.names[said] = name
	}
	if t.documents[name] == nil {
		t.documents[name], t.created[name] = row.Document, row.Created
	}
	return name
}

// newest adds the documents of the newest revision, the contents of older ones, and the head.
func (t *takeover) newest(ctx context.Context) error {
	r, x := t.revisions, t.last.index
	options := r.options.Profile.Options()
	empty := &head{Revision: &Revision{}}
	s := &step{from: empty, was: newSite(nil, "", nil, options), next: t.last, is: newSite(x, x.digest(), t.documents, options)}
	operations, err := r.documentOperations(ctx, s)
	if err != nil {
		return err
	}
	said := make(map[string]bool, len(x))
	at := make(map[dovetail.ID]string, len(x))
	for _, e := range x {
		said[e.content], at[placeOf(e)] = true, e.content
	}
	for _, op := range operations {
		if content, is := at[op.ID]; is {
			t.add(op, t.created[content])
		} // the buckets are there already
	}
	for _, name := range sortedKeys(t.documents) {
		if said[name] {
			continue
		}
		op, err := r.archive(ctx, name, t.documents[name])
		if err != nil {
			return err
		}
		t.add(op, t.created[name])
	}
	t.add(headOperation(t.last.Number), t.last.Created)
	return nil
}

// holds returns nil if the store holds all of a history, and CodeConflict otherwise, with the first difference.
func (r *Revisions) holds(ctx context.Context, h *history.History, newest *head) error {
	t := &takeover{first: make(map[rendering.ID]int), names: make(map[string]string)}
	for state := range h.States {
		if state.Number > newest.Number {
			return otherHistory("it ends with revision %d", newest.Number)
		}
		of, err := r.existing(ctx, state.Number)
		if err != nil {
			return err
		}
		if !of.Created.Equal(state.Created) {
			return otherHistory("its revision %d is of %s", of.Number, of.Created.UTC().Format(timeFormat))
		}
		if err := r.holdsIndex(ctx, t, of, state); err != nil {
			return err
		}
		if err := r.holdsNotes(ctx, of, state); err != nil {
			return err
		}
	}
	return nil
}

// holdsIndex compares the documents of a revision.
func (r *Revisions) holdsIndex(ctx context.Context, t *takeover, of *Revision, state history.State) error {
	if len(of.index) != len(state.Live) {
		return otherHistory("its revision %d has %d documents", of.Number, len(of.index))
	}
	for _, row := range state.Rows {
		t.first[row.ID] = cmp.Or(t.first[row.ID], row.Number)
	}
	unread := make(index)
	for id, row := range state.Live {
		e, is := of.index[id]
		if !is || e.bucket != row.Bucket || e.since != row.Since || e.row != row.Number || e.first != t.first[id] {
			return otherHistory("its revision %d has another %s", of.Number, id)
		}
		said := id.String() + "\x00" + row.Content
		if known := t.names[said]; known != "" && known != e.content {
			return otherHistory("its revision %d has another %s", of.Number, id)
		} else if known == "" {
			unread[id] = e
			t.names[said] = e.content
		}
	}
	documents, err := r.contents(ctx, unread)
	if err != nil {
		return err
	}
	for id, e := range unread {
		if !value.Equal(documents[e.content].Value(), state.Live[id].Document.Value()) {
			return otherHistory("its revision %d has another %s", of.Number, id)
		}
	}
	return nil
}

// holdsNotes compares tags and reports, of which the store may have more.
func (r *Revisions) holdsNotes(ctx context.Context, of *Revision, state history.State) error {
	tags, err := r.Tags(ctx, of.Number)
	if err != nil {
		return err
	}
	for _, tag := range state.Tags {
		if !value.Equal(tags.Get(tag.Name), tag.Data) {
			return otherHistory("its revision %d has no such tag %s", of.Number, tag.Name)
		}
	}
	found, err := r.validations(ctx, of.Number)
	if err != nil {
		return err
	}
	numbers := make(map[string]int)
	for _, report := range state.Reports {
		n := numbers[report.Name]
		numbers[report.Name]++
		i := slices.IndexFunc(found, func(v validation) bool { return v.name == report.Name })
		if i < 0 || len(found[i].reports) <= n {
			return otherHistory("its revision %d lacks a report of %s", of.Number, report.Name)
		}
	}
	return nil
}

func otherHistory(format string, args ...any) error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Message: "the target has other revisions: " + fmt.Sprintf(format, args...),
		Remedy: "migrate into a database without revisions"}
}
