package simulation

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// Mutants are defects of the protocol, each put between one process and the server. A simulation that
// does not notice one of them would not notice such a mistake in the protocol either.

// TestMutants explores scenarios with a defect until a promise is broken.
func TestMutants(t *testing.T) {
	const childAndParent, referrerAndTarget = "creator of a child, deleter of the parent", "creator of a referrer, deleter of the target"
	const adder = "updater that adds a reference, deleter of the target"
	const mover = "a reference that moves while its target goes, and a creator of a referrer"
	const moved = "a reference that moves, then its target goes, and a reader of a snapshot"
	const movedAtOnce = "a reference that moves while its target goes, and a reader of a snapshot"
	const changed, changedAndRead = "two updates of a document, and a reader of a snapshot", "an updater, and a reader of two snapshots"
	const inRow, inRowDeleted = "updates of a document in a row, and a reader of a snapshot", "updates of a document in a row, and its deleter"
	testMutants(t, []mutant{
		{"deleter ignores intents of children", childAndParent, 1, 0, 0, func(c *Client) protocol.Server { return ignoresIntents{c} }},
		{"deleter ignores intents of referrers", referrerAndTarget, 1, 0, 0, func(c *Client) protocol.Server { return ignoresIntents{c} }},
		{"deleter ignores intents of updates", adder, 1, 0, 0, func(c *Client) protocol.Server { return ignoresIntents{c} }},
		{"deleter sets no intent", childAndParent, 1, 0, 0, func(c *Client) protocol.Server { return &setsNoIntent{Client: c} }},
		{"creator ignores intents of targets", childAndParent, 0, 0, 0, func(c *Client) protocol.Server { return seesNoDeletion{c} }},
		{"updater ignores intents of targets", adder, 0, 0, 0, func(c *Client) protocol.Server { return seesNoDeletion{c} }},
		{"creator checks before it sets its intent", referrerAndTarget, 0, 0, 0, func(c *Client) protocol.Server { return &checksFirst{Client: c} }},
		{"updater announces no links", adder, 0, 0, 0, func(c *Client) protocol.Server { return linksLate{c} }},
		{"insertion overwrites", "two creators of one document", 0, 0, 0, func(c *Client) protocol.Server { return overwrites{c} }},
		{"updater commits without its intent", adder, 0, 0, 1, func(c *Client) protocol.Server { return comparesNothing{c} }},
		{"reader ignores the log", "a parent and a child at once, and a reader", 1, 1, 0, func(c *Client) protocol.Server { return knowsNoLog{c} }},
		{"reader takes every transaction for done", "a parent and a child at once, and a reader", 1, 0, 0, func(c *Client) protocol.Server { return believesAll{c} }},
		{"transaction is decided by intents alone", mover, 0, 0, 1, func(c *Client) protocol.Server { return writesSingleIntents{c} }},
		{"transaction commits though it was aborted", mover, 0, 0, 1, func(c *Client) protocol.Server { return updatesAnyState{c} }},
		{"transaction commits though its entry was aborted before it took it", "a reference that moves while its target goes, on an entry written ahead, a creator of a referrer, and a sweep", 0, 0, 2,
			func(c *Client) protocol.Server { return updatesAnyState{c} }},
		{"snapshot does not fence entries written ahead", "a reference that moves while its target goes, on an entry written ahead, and a reader of a snapshot", 1, 0, 0,
			func(c *Client) protocol.Server { return fencesNothing{c} }},
		{"reader does not read again", "a parent and a child at once, a reader, and the log forgotten", 1, 0, 0, func(c *Client) protocol.Server { return &readsOnce{Client: c} }},
		{"transaction is closed before its intents are gone", "a parent and a child at once, a reader, and the log forgotten", 0, 0, 0, func(c *Client) protocol.Server { return closesEarly{c} }},
		{"sweep ignores the log", "a parent and a child at once, a reader, and a sweep", 2, 0, 0, func(c *Client) protocol.Server { return knowsNoLog{c} }},
		{"sweep takes every transaction for done", "a parent and a child at once, a reader, and a sweep", 2, 1, 0, func(c *Client) protocol.Server { return believesAll{c} }},
		{"sweep resolves all intents as one transaction's", "two transactions of two documents each, and a sweep", 2, 1, 1, func(c *Client) protocol.Server { return &mixesIntents{Client: c} }},
		{"feed does not know of deletions", "a deletion, and a reader of the changes", 1, 0, 0, func(c *Client) protocol.Server { return logIsEmpty{c} }},
		{"feed goes on without looking again", "updates alone and with another document, and a reader of the changes at two processes", 1, 0, 0, func(c *Client) protocol.Server { return &looksOnce{Client: c} }},
		{"feed believes that nothing has changed again", "updates alone and with another document, and a reader of the changes who starts again", 1, 0, 0, func(c *Client) protocol.Server { return findsFirst{c} }},
		{"feed does not know that a document was deleted again", "a document that is created again and deleted again, and a reader of the changes who starts again", 1, 0, 0,
			func(c *Client) protocol.Server { return &knowsNoLaterDeletion{Client: c} }},
		{"poll never goes back to documents that became visible late", "two creators, and a reader of the changes who polls", 2, 0, 0,
			func(c *Client) protocol.Server { return &goesBackNowhere{Client: c} }},
		{"poll never goes back to deletions that became visible late", "an updater, a deleter of another document, and a reader of the changes who polls", 2, 0, 0,
			func(c *Client) protocol.Server { return &goesBackNowhere{Client: c, ofLog: true} }},
		{"version is kept after the write", moved, 0, 0, 0, func(c *Client) protocol.Server { return &keepsLate{Client: c} }},
		{"version of a transaction is kept after the write", movedAtOnce, 0, 0, 0, func(c *Client) protocol.Server { return &keepsLate{Client: c} }},
		{"version before a deletion is not kept", moved, 0, 0, 0, func(c *Client) protocol.Server { return keepsOnlyEnd{c} }},
		{"deletion is not kept", moved, 0, 0, 0, func(c *Client) protocol.Server { return keepsNoEnd{c} }},
		{"snapshot does not wait", moved, 1, 0, 0, func(c *Client) protocol.Server { return seesNoIntents{c} }},
		{"snapshot does not fence", movedAtOnce, 1, 0, 0, func(c *Client) protocol.Server { return fencesNothing{c} }},
		{"transaction ignores its fence", movedAtOnce, 0, 0, 0, func(c *Client) protocol.Server { return ignoresFence{c} }},
		{"snapshot reads what is there now", moved, 1, 0, 0, func(c *Client) protocol.Server { return hasNoVersions{c} }},
		{"updater does not look at the clock", changed, 0, 0, 0, func(c *Client) protocol.Server { return looksAtNoClock{c} }},
		{"updater does not compare the version before", changed, 0, 1, 0, func(c *Client) protocol.Server { return keepsAnother{c} }},
		{"updater keeps nothing", changed, 0, 0, 0, func(c *Client) protocol.Server { return keepsNothing{c} }},
		{"updater in a row keeps nothing", inRow, 0, 0, 0, func(c *Client) protocol.Server { return keepsNothing{c} }},
		{"updater in a row keeps the version after the write", inRow, 0, 0, 0, func(c *Client) protocol.Server { return &keepsAfterReplace{Client: c} }},
		{"updater in a row does not look at the clock", inRow, 0, 0, 0, func(c *Client) protocol.Server { return looksAtNoClock{c} }},
		{"updater in a row does not compare the intent", inRowDeleted, 0, 0, 1, func(c *Client) protocol.Server { return replacesAnyIntent{c} }},
		{"snapshot does not wait for updates", changed, 1, 0, 0, func(c *Client) protocol.Server { return seesNoIntents{c} }},
		{"snapshot believes the stamp of an update that it finishes", changedAndRead, 1, 0, 0, func(c *Client) protocol.Server { return believesStamps{c} }},
		{"snapshot finishes an update without a version", changedAndRead, 1, 1, 0, func(c *Client) protocol.Server { return keepsNothing{c} }},
		{"creator ignores the time", "a creation in time, and a reader after it", 0, 0, 0, func(c *Client) protocol.Server { return hasTime{c} }},
		{"updater ignores the time", "an update in time, and a reader after it", 0, 0, 0, func(c *Client) protocol.Server { return hasTime{c} }},
		{"updater of references ignores the time", "an update of references in time, and a reader after it", 0, 0, 0, func(c *Client) protocol.Server { return hasTime{c} }},
		{"deleter ignores the time", "a deletion in time, and a reader after it", 0, 0, 0, func(c *Client) protocol.Server { return hasTime{c} }},
		{"transaction ignores the time", "a transaction in time, and a reader after it", 0, 0, 0, func(c *Client) protocol.Server { return hasTime{c} }},
		{"creator takes its own time for the server's", untargetedInTime, 0, 0, 0, func(c *Client) protocol.Server { return looksFirst{c} }},
		{"deletion is not answered, and believed", "two deleters of one document", 0, 1, 1, func(c *Client) protocol.Server { return believesLost{c} }},
	})
}

// peek reads a record behind the schedule's back.
func peek(c *Client, id dovetail.ID) *protocol.Record { return c.server.records[id] }

type ignoresIntents struct{ *Client }

func (d ignoresIntents) Children(ctx context.Context, of []dovetail.ID) iter.Seq2[*protocol.Record, error] {
	return withoutIntents(d.Client.Children(ctx, of))
}

func (d ignoresIntents) Referrers(ctx context.Context, of []dovetail.ID) iter.Seq2[*protocol.Record, error] {
	return withoutIntents(d.Client.Referrers(ctx, of))
}

func (d ignoresIntents) Holders(ctx context.Context, of dovetail.ID) iter.Seq2[*protocol.Record, error] {
	return withoutIntents(d.Client.Holders(ctx, of))
}

func withoutIntents(records iter.Seq2[*protocol.Record, error]) iter.Seq2[*protocol.Record, error] {
	return func(yield func(*protocol.Record, error) bool) {
		for r, err := range records {
			if (err != nil || r.Intent == nil) && !yield(r, err) {
				return
			}
		}
	}
}

// setsNoIntent claims to have set an intent, and deletes the document by its version.
type setsNoIntent struct {
	*Client
	claimed protocol.Change
}

func (d *setsNoIntent) SetIntent(ctx context.Context, change protocol.Change) (*protocol.Record, error) {
	d.claimed = change
	records, err := d.Find(ctx, []dovetail.ID{change.ID}, true)
	if r := records[change.ID]; r != nil && change.AnyVersion {
		d.claimed.Version = r.Doc.ETag()
	}
	return records[change.ID], err
}

func (d *setsNoIntent) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	for i := range changes {
		if changes[i].Remove {
			changes[i].IntentTxn, changes[i].Version = "", d.claimed.Version
		}
	}
	return d.Client.Apply(ctx, changes)
}

type seesNoDeletion struct{ *Client }

func (d seesNoDeletion) Find(ctx context.Context, ids []dovetail.ID, all bool) (map[dovetail.ID]*protocol.Record, error) {
	records, err := d.Client.Find(ctx, ids, all)
	for _, r := range records {
		if r.Intent != nil && r.Intent.Op == protocol.Delete {
			r.Intent = nil
		}
	}
	return records, err
}

// checksFirst reads the targets of what it inserts before it inserts it.
type checksFirst struct {
	*Client
	read map[dovetail.ID]*protocol.Record
}

func (d *checksFirst) Insert(ctx context.Context, records []*protocol.Record) []error {
	targets := append([]dovetail.ID(nil), records[0].Strong...)
	d.read, _ = d.Client.Find(ctx, targets, false)
	return d.Client.Insert(ctx, records)
}

func (d *checksFirst) Find(ctx context.Context, ids []dovetail.ID, all bool) (map[dovetail.ID]*protocol.Record, error) {
	if read := d.read; read != nil {
		d.read = nil
		return read, nil
	}
	return d.Client.Find(ctx, ids, all)
}

type linksLate struct{ *Client }

func (d linksLate) SetIntent(ctx context.Context, change protocol.Change) (*protocol.Record, error) {
	change.Link = protocol.KeepLinks
	return d.Client.SetIntent(ctx, change)
}

type overwrites struct{ *Client }

func (d overwrites) Insert(ctx context.Context, records []*protocol.Record) []error {
	return []error{d.step(ctx, true, func() string { return "overwrite " + describe(records[0]) }, func() {
		d.server.records[records[0].ID] = records[0]
	})}
}

// comparesNothing makes every change without comparing the intent.
type comparesNothing struct{ *Client }

func (d comparesNothing) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	n := 0
	for _, change := range changes {
		err := d.step(ctx, true, func() string { return explain(change) }, func() {
			switch r := peek(d.Client, change.ID); {
			case r == nil && change.Txn != "": // as if it had never been rolled back
				d.server.records[change.ID] = &protocol.Record{ID: change.ID, Doc: resurrected(change), Strong: []dovetail.ID{parentOf(change.ID)}}
			case r == nil:
			case r.Intent != nil:
				change.IntentTxn = r.Intent.Txn
			default:
				change.IntentTxn, change.Version = "", r.Doc.ETag()
			}
			d.server.apply(change, nil)
			n++
		})
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

func resurrected(change protocol.Change) *dovetail.Document {
	if change.Doc != nil {
		return change.Doc
	}
	return document(change.ID, "a", 1)
}

type knowsNoLog struct{ *Client }

func (knowsNoLog) Entries(context.Context, []string) (map[string]protocol.LogEntry, error) {
	return nil, nil
}

type believesAll struct{ *Client }

func (believesAll) Entries(_ context.Context, txns []string) (map[string]protocol.LogEntry, error) {
	entries := make(map[string]protocol.LogEntry)
	for _, txn := range txns {
		entries[txn] = protocol.LogEntry{Txn: txn, State: protocol.Committed}
	}
	return entries, nil
}

// mixesIntents takes away the intents of whatever transactions where the first of the changes is for an intent.
type mixesIntents struct{ *Client }

func (d *mixesIntents) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	all := slices.Clone(changes)
	for id, r := range d.server.records {
		if r.Intent != nil && r.Intent.Op == protocol.Create && !slices.ContainsFunc(changes, func(c protocol.Change) bool { return c.ID == id }) {
			all = append(all, protocol.Change{ID: id, IntentTxn: r.Intent.Txn, Remove: changes[0].Remove, Txn: changes[0].Txn, Stamping: changes[0].Stamping, Since: changes[0].Since})
		}
	}
	slices.SortFunc(all, func(a, b protocol.Change) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return d.Client.Apply(ctx, all)
}

type writesSingleIntents struct{ *Client }

func (d writesSingleIntents) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	for i := range changes {
		if changes[i].Intent != nil {
			changes[i].Intent.Multi = false
		}
	}
	return d.Client.Apply(ctx, changes)
}

type updatesAnyState struct{ *Client }

func (d updatesAnyState) CommitEntry(ctx context.Context, entry protocol.LogEntry, before time.Time) (protocol.Stamp, bool, error) {
	at, done, err := d.Client.CommitEntry(ctx, entry, before)
	if !done && err == nil {
		return at, true, d.WriteEntries(ctx, []protocol.LogEntry{{Txn: entry.Txn, State: protocol.Committed, Changes: entry.Changes}})
	}
	return at, done, err
}

// readsOnce answers a second reading of a document with the first.
type readsOnce struct {
	*Client
	read map[dovetail.ID]*protocol.Record
}

func (d *readsOnce) Find(ctx context.Context, ids []dovetail.ID, all bool) (map[dovetail.ID]*protocol.Record, error) {
	if r := d.read[ids[0]]; r != nil {
		return d.read, nil
	}
	read, err := d.Client.Find(ctx, ids, all)
	d.read = read
	return read, err
}

type logIsEmpty struct{ *Client }

func (logIsEmpty) Log(context.Context, protocol.Stamp) iter.Seq2[protocol.LogEntry, error] {
	return func(func(protocol.LogEntry, error) bool) {}
}

// believesLost takes a commit without an answer for done.
type believesLost struct{ *Client }

func (d believesLost) CommitEntry(ctx context.Context, entry protocol.LogEntry, before time.Time) (protocol.Stamp, bool, error) {
	at, done, err := d.Client.CommitEntry(ctx, entry, before)
	if dovetail.CodeOf(err) == dovetail.CodeUnknown {
		return at, true, nil
	}
	return at, done, err
}

// keepsLate keeps versions after the next write, not before.
type keepsLate struct {
	*Client
	versions []*protocol.Record
}

func (d *keepsLate) Keep(_ context.Context, versions []*protocol.Record) error {
	d.versions = append(d.versions, versions...)
	return nil
}

func (d *keepsLate) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	n, err := d.Client.Apply(ctx, changes)
	if failed := d.Client.Keep(ctx, d.versions); failed == nil {
		d.versions = nil
	}
	return n, err
}

// closesEarly says that the intents of a committed transaction are gone before they are.
type closesEarly struct{ *Client }

func (d closesEarly) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	if changes[0].Stamping == protocol.StampOrigin {
		return len(changes), nil
	}
	return d.Client.Apply(ctx, changes)
}

type keepsNoEnd struct{ *Client }

func (d keepsNoEnd) Keep(ctx context.Context, versions []*protocol.Record) error {
	return d.Client.Keep(ctx, slices.DeleteFunc(slices.Clone(versions), func(v *protocol.Record) bool { return v.Gone }))
}

type keepsOnlyEnd struct{ *Client }

func (d keepsOnlyEnd) Keep(ctx context.Context, versions []*protocol.Record) error {
	return d.Client.Keep(ctx, slices.DeleteFunc(slices.Clone(versions), func(v *protocol.Record) bool { return !v.Gone && v.ID == target.ID }))
}

type seesNoIntents struct{ *Client }

func (seesNoIntents) WithIntent(context.Context, string) iter.Seq2[*protocol.Record, error] {
	return func(func(*protocol.Record, error) bool) {}
}

type fencesNothing struct{ *Client }

func (fencesNothing) FenceEntries(context.Context, []string, string) error { return nil }

type ignoresFence struct{ *Client }

func (d ignoresFence) CommitEntry(ctx context.Context, commit protocol.LogEntry, _ time.Time) (at protocol.Stamp, done bool, err error) {
	taken, err := d.stamp(ctx, true)
	if err != nil {
		return at, false, err
	}
	err = d.step(ctx, true, func() string { return "commit " + commit.Txn + " whatever its fence" }, func() {
		if entry, there := d.server.entries[commit.Txn]; there && entry.State == protocol.Pending {
			at, done = *taken, true
			entry.State, entry.Changes, entry.Stamp = protocol.Committed, commit.Changes, at
			d.server.entries[commit.Txn] = entry
		}
	})
	return at, done && err == nil, err
}

type hasNoVersions struct{ *Client }

func (hasNoVersions) ScanVersions(context.Context, store.Query, dovetail.ID, protocol.Stamp) iter.Seq2[*protocol.Record, error] {
	return func(func(*protocol.Record, error) bool) {}
}

type looksAtNoClock struct{ *Client }

func (d looksAtNoClock) Find(ctx context.Context, ids []dovetail.ID, all bool) (map[dovetail.ID]*protocol.Record, error) {
	records, err := d.Client.Find(ctx, ids, all)
	delete(records, protocol.ClockID)
	return records, err
}

// keepsAnother has the record keep another version than the one that is replaced.
type keepsAnother struct{ *Client }

func (d keepsAnother) Replace(ctx context.Context, change protocol.Change) (protocol.Stamp, bool, error) {
	prev, intent := *change.Intent.Prev, *change.Intent
	prev.Doc = document(change.ID, "another", 1)
	intent.Prev, change.Intent = &prev, &intent
	return d.Client.Replace(ctx, change)
}

type keepsNothing struct{ *Client }

func (keepsNothing) Keep(context.Context, []*protocol.Record) error { return nil }

// keepsAfterReplace keeps versions after the next update of the document, not before.
type keepsAfterReplace struct {
	*Client
	versions []*protocol.Record
}

func (d *keepsAfterReplace) Keep(_ context.Context, versions []*protocol.Record) error {
	d.versions = append(d.versions, versions...)
	return nil
}

func (d *keepsAfterReplace) Replace(ctx context.Context, change protocol.Change) (protocol.Stamp, bool, error) {
	at, done, err := d.Client.Replace(ctx, change)
	if failed := d.Client.Keep(ctx, d.versions); failed == nil {
		d.versions = nil
	}
	return at, done, err
}

func (d *keepsAfterReplace) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	if failed := d.Client.Keep(ctx, d.versions); failed == nil {
		d.versions = nil
	}
	return d.Client.Apply(ctx, changes)
}

// replacesAnyIntent puts an update in the place of any other, or of none.
type replacesAnyIntent struct{ *Client }

func (d replacesAnyIntent) Replace(ctx context.Context, change protocol.Change) (at protocol.Stamp, done bool, err error) {
	if change.IntentTxn == "" {
		return d.Client.Replace(ctx, change)
	}
	err = d.step(ctx, true, func() string { return explain(change) + ", whatever the intent" }, func() {
		r := peek(d.Client, change.ID)
		if r == nil {
			return
		}
		if change.IntentTxn = ""; r.Intent != nil {
			change.IntentTxn = r.Intent.Txn
		}
		if done = d.server.apply(change, nil) != nil; done {
			at = d.server.records[change.ID].Stamp
		}
	})
	return at, done && err == nil, err
}

// believesStamps lets updates that it finishes for others have the stamps that they have.
type believesStamps struct{ *Client }

func (d believesStamps) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	for i := range changes {
		if changes[i].Moved {
			changes[i].Stamping = protocol.KeepStamp
		}
	}
	return d.Client.Apply(ctx, changes)
}

// hasTime commits whatever the time.
type hasTime struct{ *Client }

func (d hasTime) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	for i := range changes {
		changes[i].Before = time.Time{}
	}
	return d.Client.Apply(ctx, changes)
}

func (d hasTime) Replace(ctx context.Context, change protocol.Change) (protocol.Stamp, bool, error) {
	change.Before = time.Time{}
	return d.Client.Replace(ctx, change)
}

func (d hasTime) CommitEntry(ctx context.Context, entry protocol.LogEntry, _ time.Time) (protocol.Stamp, bool, error) {
	return d.Client.CommitEntry(ctx, entry, time.Time{})
}

// looksFirst looks at the clock and then commits, in two steps.
type looksFirst struct{ *Client }

func (d looksFirst) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	if before := changes[0].Before; !before.IsZero() {
		if now, err := d.Time(ctx); err != nil || !now.Before(before) {
			return 0, err
		}
	}
	return hasTime(d).Apply(ctx, changes)
}
