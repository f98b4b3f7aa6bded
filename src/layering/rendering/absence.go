package rendering

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Absence tells why a document does not have a value that is expected of it at a path.
type Absence struct {
	Document ID           `json:"document"`
	Path     string       `json:"path"`            // in its data, as ".a.b[0]"
	Value    *value.Value `json:"value,omitempty"` // what is there; nil if there is nothing
	// Found is, if there is nothing, how far the path leads, Missing the next name on it, and Members are the names that are there.
	Found   string   `json:"found,omitempty"`
	Missing string   `json:"missing,omitempty"`
	Members []string `json:"members,omitempty"`
	// Reasons are what kept values from arriving at or below the path, the last one first.
	Reasons []Reason `json:"reasons"`

	sets bool // the document was refused, and what it is made of has something there
}

// Cause is the kind of a reason.
type Cause string

// The causes.
const (
	CauseAbstract    Cause = "abstract"     // the document is only inherited from
	CauseReplaced    Cause = "replaced"     // another document takes its place
	CauseRefused     Cause = "refused"      // something is wrong with the document or with one that it needs
	CauseOverridden  Cause = "overridden"   // an action or a substitution put another value there
	CauseDeleted     Cause = "deleted"      // an action deleted the value
	CauseNoAction    Cause = "no-action"    // the document's own data has the value, but no action takes it
	CauseAppended    Cause = "appended"     // an action put the value at the end of a list
	CausePattern     Cause = "pattern"      // the pattern of a substitution matches nothing there
	CauseNoSource    Cause = "no-source"    // the source of a substitution, or the value in it, does not exist
	CauseNoParent    Cause = "no-parent"    // the document's parentSelector matches nothing
	CauseNotSelected Cause = "not-selected" // a document that is not inherited from has the value
	CauseUnset       Cause = "unset"        // nothing that the document is made of has a value there
)

// Reason is one thing that kept a value from arriving.
type Reason struct {
	Cause    Cause        `json:"cause"`
	Message  string       `json:"message"`
	Document ID           `json:"document"`        // whose action, selector, data or fault it is
	Path     string       `json:"path,omitempty"`  // where the value was
	Value    *value.Value `json:"value,omitempty"` // that did not arrive
	From     *Origin      `json:"from,omitempty"`  // what had put it there
	By       *Origin      `json:"by,omitempty"`    // what took it away
	With     *value.Value `json:"with,omitempty"`  // what came in its place
	// Candidates are the documents that come nearest to what is missing.
	Candidates []Candidate `json:"candidates,omitempty"`
	Remedy     string      `json:"remedy,omitempty"`
	File       string      `json:"file,omitempty"` // where the document says so
	Line       int         `json:"line,omitempty"`
	Column     int         `json:"column,omitempty"`
}

// Candidate is a document that is not inherited from.
type Candidate struct {
	Document ID       `json:"document"`
	Differs  []string `json:"differs"`  // what keeps it from being the parent
	HasValue bool     `json:"hasValue"` // at the path
}

// Sets reports whether there is a value at the path, or anything that could have put one there: the document, one that it inherits
// from, or one that its selector does not match.
func (a *Absence) Sets() bool {
	return a.sets || a.Value != nil || slices.ContainsFunc(a.Reasons, func(r Reason) bool {
		return r.Value != nil || r.By != nil || r.Cause == CausePattern || r.Cause == CauseNoSource ||
			r.Cause == CauseNoParent && slices.ContainsFunc(r.Candidates, func(c Candidate) bool { return c.HasValue })
	})
}

// WhyNot tells why a document does not have a value at or below a path, or has another one than it should: which values were
// overridden or deleted on the way, and by what; which are not taken by an action; and which parents were not selected. The
// site need not be free of errors. Secrets are hidden unless cleartext asks for them.
//
// A document that the site does not have is CodeNotFound; a path that is none is CodeInvalid.
func (s *Site) WhyNot(id ID, where string, cleartext bool) (*Absence, error) {
	at, err := exactPath(where)
	if err != nil {
		return nil, err
	}
	i, ok := slices.BinarySearchFunc(s.nodes, id, func(n *node, id ID) int { return n.compare(id) })
	if !ok {
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no document " + id.String(), Remedy: "name a document of the site"}
	}
	_, refused := s.Render()
	n := s.nodes[i]
	w := absences{explainer: explainer{n: n, cleartext: cleartext, secrecy: make(secrecy)}, at: at,
		found: &Absence{Document: n.ID, Path: at.String(), Reasons: []Reason{}}}
	if refused != nil && w.refused(refused) {
		w.parents()
		w.found.sets = w.inputs()
		return w.found, nil
	}
	w.instead()
	w.value = at.find(n.data)
	if w.value == nil {
		w.deepest()
	} else {
		w.found.Value = w.shown(n, at, w.value)
	}
	w.lost()
	w.parents()
	if w.value == nil && !slices.ContainsFunc(w.found.Reasons, func(r Reason) bool {
		return r.By != nil || r.From != nil || r.Candidates != nil || r.Cause == CauseNoSource || r.Cause == CausePattern
	}) {
		w.add(Reason{Cause: CauseUnset, Document: n.ID, Message: "nothing that the document is made of has a value there", Remedy: "correct the path, or add the value"})
	}
	return w.found, nil
}

// absences collects the reasons.
type absences struct {
	explainer

	at    path
	value *value.Value // there; nil if there is nothing
	found *Absence
}

func (w *absences) add(r Reason) { w.found.Reasons = append(w.found.Reasons, r) }

func (w *absences) addAt(r Reason, at dovetail.Position) {
	r.File, r.Line, r.Column = at.File, at.Line, at.Column
	w.add(r)
}

func (w *absences) shown(n *node, at path, v *value.Value) *value.Value {
	if w.cleartext {
		return v
	}
	return w.secrecy.redact(n, at, v)
}

// refused adds what is wrong with the document and with those that it needs. It returns whether nothing was rendered of it.
func (w *absences) refused(err error) bool {
	needed := map[ID]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if !needed[n.ID] {
			needed[n.ID] = true
			n.needs(visit)
		}
	}
	visit(w.n)
	others := 0
	for _, e := range partsOf(err) {
		id, ok := DocumentOf(e)
		if ok && !needed[id] && w.n.data != nil {
			others++
			continue
		}
		w.addAt(Reason{Cause: CauseRefused, Document: id, Message: e.Reason + ": " + e.Message, Remedy: e.Remedy}, e.Position)
	}
	nothing := w.n.failed || w.n.data == nil
	switch {
	case len(w.found.Reasons) > 0:
	case nothing:
		w.add(Reason{Cause: CauseRefused, Document: w.n.ID, Message: "the document needs one that is refused", Remedy: "correct the errors first"})
	case others > 0:
		w.add(Reason{Cause: CauseRefused, Document: w.n.ID, Message: "the site is not rendered, because other documents are refused", Remedy: "correct their errors"})
	}
	return nothing
}

// inputs reports whether the data of the document, or of one that it inherits from, has a value at the path, or a substitution leads there.
func (w *absences) inputs() bool {
	for n := w.n; n != nil; n = n.parent {
		if w.at.find(n.Data()) != nil || slices.ContainsFunc(n.substitutions, func(sub substitution) bool {
			return slices.ContainsFunc(sub.to, func(to destination) bool { return to.path.isBelow(w.at) || w.at.isBelow(to.path) })
		}) {
			return true
		}
	}
	return false
}

func partsOf(err error) []*dovetail.Error {
	e := dovetail.AsError(err)
	if len(e.Errors) > 0 {
		return e.Errors
	}
	return []*dovetail.Error{e}
}

// instead says why the document is not rendered by itself.
func (w *absences) instead() {
	n := w.n
	switch {
	case n.Control:
		w.add(Reason{Cause: CauseNotSelected, Document: n.ID, Message: "the document is a control document, which inherits nothing"})
	case n.Abstract:
		var heirs []*node
		for _, other := range n.site.nodes {
			if other.parent == n {
				heirs = append(heirs, other)
			}
		}
		message := "the document is abstract: it is not rendered itself, and no document inherits from it"
		if len(heirs) > 0 {
			message = "the document is abstract: it is not rendered itself, only inherited from, by " + names(heirs, len(heirs))
		}
		w.add(Reason{Cause: CauseAbstract, Document: n.ID, Message: message})
	}
	if r := n.inEffect(); r != n {
		w.addAt(Reason{Cause: CauseReplaced, Document: r.ID, Message: r.String() + " replaces the document", Remedy: "ask about that document"}, r.replacementPlace())
	}
}

// deepest tells how far the path leads.
func (w *absences) deepest() {
	v := w.n.data
	steps := 0
	for ; steps < len(w.at); steps++ {
		next := w.at[steps].of(v)
		if next == nil {
			break
		}
		v = next
	}
	w.found.Found = w.at[:steps].String()
	w.found.Missing = w.at[steps].name
	for _, m := range v.Members {
		w.found.Members = append(w.found.Members, m.Name)
	}
}
