package rendering

import "github.com/dovetail-store/dovetail/src/value"

const (
	methodSubstitute = "substitute"
	methodData       = "data" // nothing but the document's own data
)

// origin is what set a value: an action or a substitution of a document.
type origin struct {
	n      *node
	method string
	number int // in the list of actions or substitutions, from 0
	to     path
	text   string       // the path as it was written
	v      *value.Value // where it stands

	source *node // of a substitution
	from   path  // in the source
	part   bool  // only a part of the source's text was taken
	within bool  // only a part of the text was replaced
}

// touch is one step in the history of a value: what it was, and what made it so.
type touch struct {
	n     *node        // whose data, action or substitution it was
	by    *origin      // nil for the document's own data
	at    path         // where the value was then
	value *value.Value // what it became
}

// history follows a value of the rendered data back to where it was written: the last touch first,
// and after it those whose values were replaced. v is the value that the path leads to.
func (n *node) history(at path, v *value.Value) []touch {
	return n.historyBefore(len(n.writes()), at, v)
}

// historyBefore is the history of a value that was there before a write of the document, by its number.
func (n *node) historyBefore(number int, at path, v *value.Value) []touch {
	var all []touch
	for log := n.writes()[:number]; ; log = n.writes() {
		for i := len(log) - 1; i >= 0; i-- {
			w := &log[i]
			if w.removed && len(w.at) > 0 {
				at = at.before(w.at)
				continue
			}
			if !at.isBelow(w.at) {
				continue
			}
			all = append(all, touch{n: n, by: w.by, at: at, value: v})
			if v = at[len(w.at):].find(w.old); v == nil || w.removed {
				return all
			}
		}
		base := n.base()
		if base == nil {
			return append(all, touch{n: n, at: at, value: v})
		}
		n = base
	}
}

// isBelow reports whether the path leads to where the other does, or further.
func (p path) isBelow(other path) bool {
	if len(p) < len(other) {
		return false
	}
	for i := range other {
		if p[i] != other[i] {
			return false
		}
	}
	return true
}

// before is the path that the value had before an item was removed, which moved those behind it up.
func (p path) before(removed path) path {
	if !p.movesUp(removed) {
		return p
	}
	last := len(removed) - 1
	moved := append(path(nil), p...)
	moved[last].index++
	return moved
}

// movesUp reports whether the path leads to an item, or into one, that took the place of another when an item was removed.
func (p path) movesUp(removed path) bool {
	last := len(removed) - 1
	return last >= 0 && len(p) > last && removed[last].item && p[last].item && p.isBelow(removed[:last]) && p[last].index >= removed[last].index
}

// inSource returns the place in the source that a substituted value comes from, and the value there; nil for a map that was made to
// lead to the place of the substitution, such as an item that fills a list.
func (t *touch) inSource() (path, *value.Value) {
	at := t.by.from.locate(t.by.source.data)
	if !t.by.within && len(t.at) < len(t.by.to) {
		return at, nil
	}
	if !t.by.within {
		at = append(at[:len(at):len(at)], t.at[len(t.by.to):]...)
	}
	return at, at.find(t.by.source.data)
}

// locate gives a path with wildcards as the one to the value that find returns.
func (p path) locate(v *value.Value) path {
	if !p.isAmbiguous() {
		return p
	}
	var exact path
	for i, s := range p {
		if !s.any {
			exact, v = append(exact, s), s.of(v)
			continue
		}
		rest := p[i+1:]
		s, v = s.first(v, rest)
		exact = append(exact, s)
	}
	return exact
}

// first returns the first step that a wildcard stands for from which the rest of the path leads to a
// value, and what that step leads to.
func (s step) first(v *value.Value, rest path) (step, *value.Value) {
	if s.item {
		for i, item := range v.Items {
			if rest.find(item) != nil {
				return step{item: true, index: i}, item
			}
		}
		return s, nil
	}
	for _, m := range v.Members {
		if rest.find(m.Value) != nil {
			return step{name: m.Name}, m.Value
		}
	}
	return s, nil
}
