package simulation

import (
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// document returns a revision of a document that refers to others.
func document(id dovetail.ID, uid string, revision uint64, references ...dovetail.ID) *dovetail.Document {
	d := &dovetail.Document{ID: id, Kind: "any", UID: uid, Revision: revision, Data: []byte("{}")}
	for _, ref := range references {
		d.References = append(d.References, dovetail.Reference{ID: ref, Kind: "any"})
	}
	return d
}

// create is the transaction that creates documents, as the store makes it.
func create(documents ...*dovetail.Document) Action {
	txn := &store.Txn{Puts: documents}
	for _, d := range documents {
		txn.Require = append(txn.Require, store.Condition{Test: store.Absent, ID: d.ID})
		if parent := parentOf(d.ID); parent != "" {
			txn.Require = append(txn.Require, store.Condition{Test: store.Exists, ID: parent})
		}
		requireReferences(txn, d)
	}
	return Action{Commit: txn}
}

func requireReferences(txn *store.Txn, d *dovetail.Document) {
	for _, ref := range d.References {
		txn.Require = append(txn.Require, store.Condition{Test: store.Exists, ID: ref.ID})
	}
}

// update is the transaction that replaces documents at the versions before.
func update(documents ...*dovetail.Document) Action {
	txn := &store.Txn{Puts: documents}
	for _, d := range documents {
		txn.Require = append(txn.Require, atVersion(d.ID, d.UID, d.Revision-1))
		requireReferences(txn, d)
	}
	return Action{Commit: txn}
}

func atVersion(id dovetail.ID, uid string, revision uint64) store.Condition {
	return store.Condition{Test: store.AtVersion, ID: id, Version: dovetail.ETag{UID: uid, Revision: revision}}
}

// remove is the transaction that deletes documents.
func remove(documents ...*dovetail.Document) Action {
	txn := deletionOf(documents...)
	return Action{Commit: &txn}
}

// combined joins transactions into one.
func combined(actions ...Action) Action {
	txn := &store.Txn{}
	for _, a := range actions {
		txn.Require = append(txn.Require, a.Commit.Require...)
		txn.Puts = append(txn.Puts, a.Commit.Puts...)
		txn.Deletes = append(txn.Deletes, a.Commit.Deletes...)
	}
	return Action{Commit: txn}
}

func read(id dovetail.ID) Action { return Action{Read: id} }

func does(name string, actions ...Action) Process { return Process{Name: name, Actions: actions} }

// What the scenarios begin with.
var (
	parent = document("p/1", "p", 1)
	target = document("t/1", "t", 1)
	other  = document("t/2", "o", 1)
	holder = document("h/1", "h", 1)
)

// scenarios are the small worlds that are explored. Those of two processes are explored with one fault and
// one live process that seems dead, those of more with less.
func scenarios() []Scenario {
	all := slices.Concat(pairs(), removers(), contended(), answered(), levels(), passing(), claims(), timed())
	for i := range all {
		all[i].Attempts, all[i].Expiries = 1, 1
		if len(all[i].Processes) < 4 {
			all[i].Faults = 1
		}
	}
	return all
}

// contended are scenarios of several writers that compete for one document.
func contended() []Scenario {
	referrer := func(id dovetail.ID) Action { return create(document(id, "a", 1, "t/1")) }
	referring := document("h/1", "h", 2, "t/1")
	return []Scenario{
		{Name: "two creators of referrers and two deleters of the target", Documents: documents(target),
			Processes: []Process{does("A", referrer("h/2")), does("B", referrer("h/3")), does("C", remove(target)), does("D", remove(target))}},
		{Name: "an updater that adds a reference, a creator of a referrer, and two deleters of the target", Documents: documents(target, holder),
			Processes: []Process{does("A", update(referring)), does("B", referrer("h/2")), does("C", remove(target)), does("D", remove(target))}},
		{Name: "a transaction of two documents, a creator, a deleter, and a sweep", Documents: documents(target, other),
			Processes: []Process{
				does("A", combined(create(document("h/2", "a", 1, "t/1")), update(document("t/2", "o", 2)))),
				does("B", create(document("t/2/c/1", "b", 1))), does("C", remove(target)), does("R", Action{Sweep: true})}},
	}
}

// removers are scenarios of processes that lock a document before they know it, to delete it.
func removers() []Scenario {
	removes := func(name string, id dovetail.ID) Process { return does(name, Action{Remove: id}) }
	return []Scenario{
		{Name: "creator of a child, remover of the parent", Documents: documents(parent),
			Processes: []Process{does("A", create(document("p/1/c/1", "a", 1))), removes("B", "p/1")}},
		{Name: "creator of a referrer, remover of the target", Documents: documents(target),
			Processes: []Process{does("A", create(document("h/2", "a", 1, "t/1"))), removes("B", "t/1")}},
		{Name: "updater that adds a reference, remover of the target", Documents: documents(target, holder),
			Processes: []Process{does("A", update(document("h/1", "h", 2, "t/1"))), removes("B", "t/1")}},
		{Name: "two removers of one document", Documents: documents(parent),
			Processes: []Process{removes("A", "p/1"), removes("B", "p/1")}},
		{Name: "an updater, and a remover, of one document", Documents: documents(target),
			Processes: []Process{does("A", update(document("t/1", "t", 2))), removes("B", "t/1")}},
		{Name: "a parent and a child at once, and a remover of the child", Documents: documents(),
			Processes: []Process{does("A", create(document("p/2", "a", 1), document("p/2/c/1", "a", 1))), removes("B", "p/2/c/1")}},
		{Name: "a remover, and a reader of a snapshot", Documents: documents(target),
			Processes: []Process{removes("A", "t/1"), does("B", Action{Snapshot: true})}},
		{Name: "two creators of referrers, a remover of the target, and a sweep", Documents: documents(target),
			Processes: []Process{does("A", create(document("h/2", "a", 1, "t/1"))), does("B", create(document("h/3", "a", 1, "t/1"))), removes("C", "t/1"),
				does("R", Action{Sweep: true})}},
	}
}

// pairs are scenarios of two processes, or little more.
func pairs() []Scenario {
	child := func(uid string) *dovetail.Document { return document("p/1/c/1", uid, 1) }
	referring := document("h/1", "h", 2, "t/1")
	return []Scenario{
		{Name: "two creators of one document", Documents: documents(),
			Processes: []Process{does("A", create(document("p/2", "a", 1))), does("B", create(document("p/2", "b", 1)))}},
		{Name: "two deleters of one document", Documents: documents(parent),
			Processes: []Process{does("A", remove(parent)), does("B", remove(parent))}},
		{Name: "creator of a child, deleter of the parent", Documents: documents(parent),
			Processes: []Process{does("A", create(child("a"))), does("B", remove(parent))}},
		{Name: "creator of a referrer, deleter of the target", Documents: documents(target),
			Processes: []Process{does("A", create(document("h/2", "a", 1, "t/1"))), does("B", remove(target))}},
		{Name: "updater that adds a reference, deleter of the target", Documents: documents(target, holder),
			Processes: []Process{does("A", update(referring)), does("B", remove(target))}},
		{Name: "updater that takes a reference away, deleter of the target", Documents: documents(target, document("h/1", "h", 1, "t/1")),
			Processes: []Process{does("A", update(document("h/1", "h", 2))), does("B", remove(target))}},
		{Name: "updater and deleter of one document", Documents: documents(target, holder),
			Processes: []Process{does("A", update(referring)), does("B", remove(holder))}},
		{Name: "two updaters of one document", Documents: documents(target, holder),
			Processes: []Process{does("A", update(referring)), does("B", update(document("h/1", "h", 2)))}},
		{Name: "a target that is created again, and a creator of a referrer", Documents: documents(target),
			Processes: []Process{does("A", create(document("h/2", "a", 1, "t/1"))), does("B", remove(target), create(document("t/1", "u", 1)))}},
		{Name: "two creators, who refer to each other's documents", Documents: documents(),
			Processes: []Process{does("A", create(document("h/1", "a", 1), document("h/2", "a", 1, "h/1"))), does("B", create(document("h/3", "b", 1, "h/2")))}},
		{Name: "a parent and a child at once, and a reader", Documents: documents(),
			Processes: []Process{does("A", create(document("p/2", "a", 1), document("p/2/c/1", "a", 1))), does("B", read("p/2"), read("p/2/c/1"))}},
		{Name: "a parent and a child at once, and a creator of another child", Documents: documents(),
			Processes: []Process{does("A", create(document("p/2", "a", 1), document("p/2/c/1", "a", 1))), does("B", create(document("p/2/c/2", "b", 1)))}},
		{Name: "a reference that moves while its target goes, and a creator of a referrer",
			Documents: documents(target, other, document("h/1", "h", 1, "t/1")),
			Processes: []Process{does("A", combined(update(document("h/1", "h", 2, "t/2")), remove(target))), does("B", create(document("h/2", "b", 1, "t/1")))}},
		{Name: "a parent and a child deleted at once, and a creator of another child", Documents: documents(parent, child("c")),
			Processes: []Process{does("A", remove(parent, child("c"))), does("B", create(document("p/1/c/2", "b", 1)))}},
		{Name: "two transactions on the same two documents", Documents: documents(target, other),
			Processes: []Process{does("A", update(document("t/1", "t", 2), document("t/2", "o", 2))), does("B", update(document("t/2", "o", 2), document("t/1", "t", 2)))}},
		{Name: "a document that is created again while another is replaced, and a transaction on both", Documents: documents(target, holder),
			Processes: []Process{
				does("A", remove(holder), combined(create(document("h/1", "a", 1)), update(document("t/1", "t", 2)))),
				does("B", update(document("h/1", "h", 2), document("t/1", "t", 2)))}},
		{Name: "a parent and a child at once, then without the child before their intents are gone, and a creator of another child", Documents: documents(),
			Processes: []Process{
				{Name: "A", Lazy: true, Actions: []Action{create(document("p/2", "a", 1), document("p/2/c/1", "a", 1)), remove(document("p/2/c/1", "a", 1))}},
				does("B", create(document("p/2/c/2", "b", 1)))}},
		{Name: "a reference that moves while its target goes, on an entry written ahead, a creator of a referrer, and a sweep",
			Documents: documents(target, other, document("h/1", "h", 1, "t/1")),
			Processes: []Process{does("A", Action{Reserve: true}, combined(update(document("h/1", "h", 2, "t/2")), remove(target))),
				does("B", create(document("h/2", "b", 1, "t/1"))), does("R", Action{Sweep: true})}},
		{Name: "a reference that moves while its target goes, on an entry written ahead, and a reader of a snapshot",
			Documents: documents(target, other, document("h/1", "h", 1, "t/1")),
			Processes: []Process{does("A", Action{Reserve: true}, combined(update(document("h/1", "h", 2, "t/2")), remove(target))), does("S", Action{Snapshot: true})}},
		{Name: "a deletion whose intent stays for a while, a creator of the document, and a sweep", Documents: documents(target),
			Processes: []Process{{Name: "A", Lazy: true, Actions: []Action{remove(target), read("t/1")}},
				does("B", create(document("t/1", "u", 1))), does("R", Action{Sweep: true})}},
		{Name: "a version that must stay, and its updater", Documents: documents(target, holder),
			Processes: []Process{
				does("A", combined(create(document("p/2", "a", 1)), Action{Commit: &store.Txn{Require: []store.Condition{atVersion("t/1", "t", 1)}}})),
				does("B", update(document("t/1", "t", 2)))}},
		{Name: "a parent and a child at once, a reader, and the log forgotten", Documents: documents(),
			Processes: []Process{does("A", create(document("p/2", "a", 1), document("p/2/c/1", "a", 1))), does("B", read("p/2/c/1"), read("p/2")), does("C", Action{Purge: true})}},
		{Name: "a parent and a child at once, a reader, and a sweep", Documents: documents(),
			Processes: []Process{does("A", create(document("p/2", "a", 1), document("p/2/c/1", "a", 1))), does("B", read("p/2")), does("R", Action{Sweep: true})}},
		{Name: "two transactions of two documents each, and a sweep", Documents: documents(target, other),
			Processes: []Process{
				does("A", combined(update(document("t/1", "t", 2)), create(document("t/3", "a", 1)))),
				does("B", combined(remove(other), create(document("t/4", "b", 1)))), does("R", Action{Sweep: true})}},
		{Name: "a deletion, and a reader of the changes", Documents: documents(parent),
			Processes: []Process{does("A", remove(parent)), does("F", Action{Follow: 2})}},
		{Name: "an updater, a deleter, and a reader of the changes", Documents: documents(target),
			Processes: []Process{does("A", update(document("t/1", "t", 2))), does("B", remove(target)), does("F", Action{Follow: 1})}},
		{Name: "updates alone and with another document, and a reader of the changes at two processes", Documents: documents(target, other),
			Processes: []Process{
				does("A", update(document("t/1", "t", 2), document("t/2", "o", 2)), update(document("t/1", "t", 3))), roams(late, late)}},
		{Name: "updates alone and with another document, and a reader of the changes who starts again", Documents: documents(target, other),
			Processes: []Process{
				does("A", update(document("t/1", "t", 2), document("t/2", "o", 2)), update(document("t/1", "t", 3))), roams(late, 0)}},
		{Name: "a document that is created again, and a reader of the changes at two processes", Documents: documents(target),
			Processes: []Process{does("A", remove(target), create(document("t/1", "u", 1))), roams(late, late)}},
		{Name: "a document that is created again, and a reader of the changes whose cursors name them", Documents: documents(target),
			Processes: []Process{does("A", remove(target), create(document("t/1", "u", 1))), named(roams(late, late))}},
		{Name: "a document that is created again with another one, and a reader of the changes who takes few at a time", Documents: documents(target),
			Processes: []Process{
				does("A", remove(target), combined(create(document("t/1", "u", 1)), create(document("t/2", "o", 1))), update(document("t/1", "u", 2))),
				few(roams(late, late))}},
		{Name: "a document that is created again with another one, and a reader of the changes who takes few at a time and starts again", Documents: documents(target),
			Processes: []Process{
				does("A", remove(target), combined(create(document("t/1", "u", 1)), create(document("t/2", "o", 1))), update(document("t/1", "u", 2))),
				few(roams(late, 0))}},
		{Name: "a document that is created again and deleted again, and a reader of the changes at two processes", Documents: documents(target),
			Processes: []Process{
				does("A", remove(target), create(document("t/1", "u", 1)), remove(document("t/1", "u", 1))), roams(late, late)}},
		{Name: "a document that is created again and deleted again, and a reader of the changes who starts again", Documents: documents(target),
			Processes: []Process{
				does("A", remove(target), create(document("t/1", "u", 1)), remove(document("t/1", "u", 1))), again(roams(late, 0))}},
		{Name: "an updater, a deleter, and a reader of the changes at two processes", Documents: documents(target, other),
			Processes: []Process{
				does("A", update(document("t/1", "t", 2), document("t/2", "o", 2))), does("B", Action{Change: &Reaction{"t/1", removes}}), roams(late, late)}},
		{Name: "two creators, and a reader of the changes who polls", Documents: documents(),
			Processes: []Process{does("A", create(target)), does("B", create(other)), polling()}},
		{Name: "an updater, a deleter of another document, and a reader of the changes who polls", Documents: documents(target, other),
			Processes: []Process{does("A", remove(target)), does("B", update(document("t/2", "o", 2))), polling()}},
		{Name: "a reference that moves, then its target goes, and a reader of a snapshot",
			Documents: documents(target, other, document("h/1", "h", 1, "t/1")),
			Processes: []Process{does("A", update(document("h/1", "h", 2, "t/2")), remove(target)), does("S", Action{Snapshot: true})}},
		{Name: "a reference that moves while its target goes, and a reader of a snapshot",
			Documents: documents(target, other, document("h/1", "h", 1, "t/1")),
			Processes: []Process{does("A", combined(update(document("h/1", "h", 2, "t/2")), remove(target))), does("S", Action{Snapshot: true})}},
		{Name: "a target that is created and then referred to, and a reader of a snapshot", Documents: documents(holder),
			Processes: []Process{does("A", create(target)), does("B", update(document("h/1", "h", 2, "t/1"))), does("S", Action{Snapshot: true})}},
		{Name: "two updates of a document, and a reader of a snapshot", Documents: documents(target),
			Processes: []Process{does("A", update(document("t/1", "t", 2)), update(document("t/1", "t", 3))), does("S", Action{Snapshot: true})}},
		{Name: "updates of a document in a row, and a reader of a snapshot", Documents: documents(target),
			Processes: []Process{inRow(), does("S", Action{Snapshot: true})}},
		{Name: "updates of a document in a row, and a reader of two snapshots", Documents: documents(target),
			Processes: []Process{inRow(), does("S", Action{Snapshot: true}, Action{Snapshot: true})}},
		{Name: "updates of a document in a row, another updater, and a sweep", Documents: documents(target),
			Processes: []Process{inRow(), does("B", Action{Change: &Reaction{"t/1", raises}}), does("R", Action{Sweep: true})}},
		{Name: "updates of a document in a row, and its deleter", Documents: documents(target),
			Processes: []Process{inRow(), does("B", Action{Change: &Reaction{"t/1", removes}})}},
		{Name: "an updater, and a reader of two snapshots", Documents: documents(target),
			Processes: []Process{does("A", update(document("t/1", "t", 2))), does("S", Action{Snapshot: true}, Action{Snapshot: true})}},
		{Name: "an updater, an updater of another document, and a reader of a snapshot", Documents: documents(target, other),
			Processes: []Process{does("A", update(document("t/1", "t", 2))), does("B", Action{Change: &Reaction{"t/1", follows}}), does("S", Action{Snapshot: true})}},
		{Name: "a group of creations, and deleters of a parent and of a target", Documents: documents(parent, target),
			Processes: []Process{
				does("A", Action{Group: []GroupMember{{document("h/2", "a", 1, "t/1"), []dovetail.ID{"t/1"}}, {child("b"), []dovetail.ID{"p/1"}}}}),
				does("B", remove(parent)), does("C", remove(target))}},
	}
}

// late is a window in which all is that a scenario writes.
const late = 10 * time.Second

// roams looks at the changes three times, by engines with these windows in turns.
func roams(windows ...time.Duration) Process {
	p := does("F", Action{Follow: 3})
	p.Windows = windows
	return p
}

// polling looks at the changes by polls of one engine, which look back less than all the way.
func polling() Process {
	p := does("F", Action{Follow: 2})
	p.Windows, p.Polls = []time.Duration{late}, true
	return p
}

// named has the cursors of a process name the commits that it has seen.
func named(p Process) Process {
	p.Named = 40
	return p
}

// few has a process take one transaction at a time, but look more often.
func few(p Process) Process {
	p.Few = 1
	p.Actions = []Action{{Follow: 4}}
	return p
}

// again has a process look at the changes once more, so that two engines have begun when the first one has seen all.
func again(p Process) Process {
	p.Actions = []Action{{Follow: 4}}
	return p
}

// inTime has the transaction commit before timeLimit.
func inTime(a Action) Action {
	a.Commit.Before = func() time.Time { return timeLimit }
	return a
}

// timed are transactions that must commit before a moment, in each way that there is, and readers from that moment on.
func timed() []Scenario {
	after := func(ids ...dovetail.ID) Process {
		p := does("T", Action{EndTime: true})
		for _, id := range ids {
			p.Actions = append(p.Actions, read(id))
		}
		return p
	}
	return []Scenario{
		{Name: "a creation in time, and a reader after it", Documents: documents(target),
			Processes: []Process{does("A", inTime(create(document("h/2", "a", 1, "t/1")))), after("h/2")}},
		{Name: "an update in time, and a reader after it", Documents: documents(target),
			Processes: []Process{does("A", inTime(update(document("t/1", "t", 2)))), after("t/1")}},
		{Name: "an update of references in time, and a reader after it", Documents: documents(target, holder),
			Processes: []Process{does("A", inTime(update(document("h/1", "h", 2, "t/1")))), after("h/1")}},
		{Name: "a deletion in time, and a reader after it", Documents: documents(target),
			Processes: []Process{does("A", inTime(remove(target))), after("t/1")}},
		{Name: "a transaction in time, and a reader after it", Documents: documents(target),
			Processes: []Process{does("A", inTime(combined(update(document("t/1", "t", 2)), create(document("t/3", "n", 1))))), after("t/1", "t/3")}},
	}
}

// inRow updates a document three times, and keeps nothing before the last time.
func inRow() Process {
	p := does("A", update(document("t/1", "t", 2)), update(document("t/1", "t", 3)), update(document("t/1", "t", 4)))
	p.Lazy = true
	return p
}

// raises updates what is there.
func raises(doc *dovetail.Document) *store.Txn {
	if doc == nil {
		return nil
	}
	return update(document(doc.ID, doc.UID, doc.Revision+1)).Commit
}

// removes deletes what is there.
func removes(doc *dovetail.Document) *store.Txn {
	if doc == nil {
		return nil
	}
	return remove(doc).Commit
}

func documents(all ...*dovetail.Document) []*dovetail.Document { return all }

// follows updates t/2 once t/1 has been updated.
func follows(doc *dovetail.Document) *store.Txn {
	if doc == nil || doc.Revision < 2 {
		return nil
	}
	return update(document("t/2", "o", 2)).Commit
}
