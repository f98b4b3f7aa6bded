package rendering

import (
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/value"
)

// lost adds the values that something that the document inherits from, or itself, had at or below the path, and that did not
// stay there.
func (w *absences) lost() {
	at := w.at
	for n := w.n; n != nil; n = n.base() {
		w.withoutAction(n)
		w.withoutMatch(n, at)
		log := n.writes()
		for i := len(log) - 1; i >= 0; i-- {
			w.lostIn(n, i, at)
			if log[i].removed && len(log[i].at) > 0 {
				at = at.before(log[i].at)
			}
		}
	}
}

// lostIn adds what a write of a document, by its number, took from the path.
func (w *absences) lostIn(n *node, number int, at path) {
	wrote := &n.writes()[number]
	if w.value == nil && wrote.removed && at.movesUp(wrote.at) {
		by := (&touch{n: n, by: wrote.by, at: at}).origin(maxSources)
		w.add(Reason{Cause: CauseDeleted, Document: n.ID, Message: "the item " + wrote.at.String() + " was deleted, and those behind it moved up", By: &by})
	}
	from, old := wrote.at, wrote.old
	if at.isBelow(wrote.at) {
		from, old = at, at[len(wrote.at):].find(wrote.old)
	} else if !wrote.at.isBelow(at) {
		return
	}
	eachLeaf(from, old, func(leaf path, v *value.Value) {
		with := leaf[len(wrote.at):].find(wrote.to)
		if with != nil && value.Equal(with, v) || w.arrived(leaf, v) {
			return
		}
		history := n.historyBefore(number, leaf, v)
		by := (&touch{n: n, by: wrote.by, at: leaf, value: with}).origin(maxSources)
		origin := history[0].origin(maxSources)
		r := Reason{Cause: CauseOverridden, Document: n.ID, Path: leaf.String(), Value: w.show(v, w.hidden(history)[0]), From: &origin, By: &by}
		all := ""
		if len(leaf) > len(wrote.at) {
			all = " with all that was at " + wrote.at.String()
		}
		switch {
		case wrote.removed:
			r.Cause, r.Message = CauseDeleted, "deleted"+all
		case with == nil:
			r.Message = "replaced" + all
		default:
			put := touch{n: n, by: wrote.by, at: leaf, value: with}
			r.With = w.show(with, w.hidden(append([]touch{put}, history...))[0])
			r.Message = "replaced by " + shortJSON(r.With)
		}
		w.add(r)
	})
}

// arrived reports whether the value is in the rendered data after all.
func (w *absences) arrived(at path, v *value.Value) bool {
	there := at.find(w.n.data)
	return there != nil && value.Equal(there, v)
}

// withoutAction adds the values of a document's own data that no action takes, or that one takes to another place.
func (w *absences) withoutAction(n *node) {
	if n.base() == nil {
		return
	}
	eachLeaf(w.at, w.at.find(n.Data()), func(leaf path, v *value.Value) {
		taken, appended := n.takes(leaf)
		if taken || w.arrived(leaf, v) {
			return
		}
		r := Reason{Cause: CauseNoAction, Document: n.ID, Path: leaf.String(), Value: w.show(v, n.Encrypted && !w.cleartext),
			Message: "the document's own data has it, but none of its actions merges or replaces it", Remedy: "add an action for the path"}
		if appended != nil {
			r.Cause, r.Remedy = CauseAppended, "set arrayIndex: element in the layering policy to merge the one item"
			r.Message = "the action " + appended.method + " " + appended.text + " puts the document's items behind those that it inherits"
		}
		r.From = &Origin{Document: n.ID, How: methodData}
		place := n.place(v)
		r.From.File, r.From.Line, r.From.Column = place.File, place.Line, place.Column
		w.add(r)
	})
}

// takes reports whether an action of the document takes its own value at a path, to the same place, or which one takes it to another.
func (n *node) takes(leaf path) (taken bool, appended *action) {
	for i := range n.actions {
		a := &n.actions[i]
		switch {
		case a.method == methodDelete:
		case a.method == methodMerge && n.site.appends(a.path):
			if leaf.isBelow(a.path[:len(a.path)-1]) {
				appended = a
			}
		case leaf.isBelow(a.path):
			return true, nil
		}
	}
	return false, appended
}

// withoutMatch adds the substitutions to places at or below the path that have no source, and those into texts whose patterns
// change nothing there.
func (w *absences) withoutMatch(n *node, at path) {
	for i := range n.substitutions {
		sub := &n.substitutions[i]
		for j := range sub.to {
			to := &sub.to[j]
			if !to.path.isBelow(at) && !at.isBelow(to.path) {
				continue
			}
			source := n.sources[i]
			if source == nil || sub.path.find(source.data) == nil {
				w.addAt(Reason{Cause: CauseNoSource, Document: n.ID, Remedy: "add the source, or the value there",
					Message: "substitution " + strconv.Itoa(i+1) + " of " + n.String() + " is skipped: there is no " + sub.schema + " " + sub.name + " with a value at " + sub.path.String()},
					n.place(sub.v))
				continue
			}
			if to.pattern == nil {
				continue
			}
			changed := slices.ContainsFunc(n.writes(), func(wrote write) bool {
				by := wrote.by
				return by != nil && by.method == methodSubstitute && by.number == i && slices.Equal(by.to, to.path)
			})
			if !changed {
				w.addAt(Reason{Cause: CausePattern, Document: n.ID, Remedy: "correct the pattern",
					Message: "the pattern " + short(to.pattern.text) + " of substitution " + strconv.Itoa(i+1) + " of " + n.String() + " changes nothing at " + to.path.String()},
					n.place(to.v))
			}
		}
	}
}

// eachLeaf calls visit for all values at or below one that hold no others.
func eachLeaf(at path, v *value.Value, visit func(path, *value.Value)) {
	if v == nil {
		return
	}
	at = slices.Clip(at)
	for i, item := range v.Items {
		eachLeaf(append(at, step{item: true, index: i}), item, visit)
	}
	for _, m := range v.Members {
		eachLeaf(append(at, step{name: m.Name}), m.Value, visit)
	}
	if len(v.Items)+len(v.Members) == 0 {
		visit(at, v)
	}
}

// shortJSON shows a value in a message.
func shortJSON(v *value.Value) string {
	const most = 60
	text := v.JSON()
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}
