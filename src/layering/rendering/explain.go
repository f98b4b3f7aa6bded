package rendering

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Explanation tells where a value of the rendered data comes from.
type Explanation struct {
	Document ID           `json:"document"` // the rendered one
	Path     string       `json:"path"`     // in its data, as ".a.b[0]"
	Value    *value.Value `json:"value"`
	Origin   Origin       `json:"origin"`
	// Replaced are the values that were there before, the last one first.
	Replaced []Replaced `json:"replaced,omitempty"`
}

// Replaced is a value that another one took the place of.
type Replaced struct {
	Value  *value.Value `json:"value"`
	Origin Origin       `json:"origin"`
}

// Origin is what put a value where it is.
type Origin struct {
	Document ID `json:"document"` // the one whose data, action or substitution it was
	// How is data for a document's own data, the method of an action (merge, replace, delete), or
	// substitute.
	How    string `json:"how"`
	Number int    `json:"number,omitempty"` // of the action or substitution, from 1
	Path   string `json:"path,omitempty"`   // of the action or the destination, as it is written there
	// Source is where a substitution took the value from; nil, too, at the end of a very long way of substitutions.
	Source *Source `json:"source,omitempty"`
	File   string  `json:"file,omitempty"`
	Line   int     `json:"line,omitempty"`   // of the value, or of the substitution; from 1
	Column int     `json:"column,omitempty"` // from 1, in bytes
}

// Source is a place in another document.
type Source struct {
	Document ID     `json:"document"`
	Path     string `json:"path"`
	Origin   Origin `json:"origin"` // what put the value there
}

// Explain explains every value at or below a path of the rendered data of a document, in the order of
// the data: texts, numbers, booleans, nulls, and empty maps and lists. The path is written as those
// of actions are. Secrets are hidden unless cleartext asks for them.
//
// A document that is not rendered is CodeNotFound, and so is a path to nothing; a path that is none
// is CodeInvalid.
func (r *Rendering) Explain(id ID, where string, cleartext bool) ([]Explanation, error) {
	i, ok := slices.BinarySearchFunc(r.Documents, id, func(d *Rendered, id ID) int { return d.compare(id) })
	if !ok {
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no rendered document " + id.String(),
			Remedy: "abstract and replaced documents are not rendered by themselves"}
	}
	at, err := exactPath(where)
	if err != nil {
		return nil, err
	}
	n := r.Documents[i].node
	v := at.find(n.data)
	if v == nil {
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is nothing at " + at.String() + " of " + id.String(),
			Remedy: "render the document to see what it has"}
	}
	e := explainer{n: n, cleartext: cleartext, secrecy: make(secrecy)}
	e.explain(at, v)
	return e.all, nil
}

// exactPath reads a path that a user wrote, to one place.
func exactPath(where string) (path, error) {
	at, problem := parsePath(where)
	if problem != "" || at.isAmbiguous() {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: short(where) + " is not a path to one place", Remedy: "write it as .a.b or .a[0]"}
	}
	return at, nil
}

type explainer struct {
	n         *node
	cleartext bool
	secrecy   secrecy
	all       []Explanation
}

func (e *explainer) explain(at path, v *value.Value) {
	at = slices.Clip(at)
	for i, item := range v.Items {
		e.explain(append(at, step{item: true, index: i}), item)
	}
	for _, m := range v.Members {
		e.explain(append(at, step{name: m.Name}), m.Value)
	}
	if len(v.Items) > 0 || len(v.Members) > 0 {
		return
	}
	history := e.n.history(at, v)
	hidden := e.hidden(history)
	one := Explanation{Document: e.n.ID, Path: at.String(), Value: e.show(v, hidden[0]), Origin: history[0].origin(maxSources)}
	for i := range history[1:] {
		t := &history[1+i]
		one.Replaced = append(one.Replaced, Replaced{Value: e.show(t.value, hidden[1+i]), Origin: t.origin(maxSources)})
	}
	e.all = append(e.all, one)
}

// hidden says of each step of a history whether its value must be hidden. A text that was changed in
// part shows what it was before.
func (e *explainer) hidden(history []touch) []bool {
	hidden := make([]bool, len(history))
	for i := len(history) - 1; i >= 0; i-- {
		t := &history[i]
		before := i+1 < len(history) && hidden[i+1] && t.by != nil && t.by.within
		hidden[i] = e.n.Encrypted || before || e.n.secret && e.secrecy.isSecret(t)
	}
	return hidden
}

func (e *explainer) show(v *value.Value, hidden bool) *value.Value {
	if hidden && !e.cleartext {
		return value.NewString(Redacted)
	}
	return v
}

// maxSources is through how many substitutions a value is followed, so that an explanation stays one that can be read.
const maxSources = 50

// origin describes what made a value so, and from where on the way of at most this many substitutions.
func (t *touch) origin(sources int) Origin {
	o := Origin{Document: t.n.ID, How: methodData}
	place := t.value
	if t.by != nil {
		o.How, o.Number, o.Path = t.by.method, t.by.number+1, t.by.text
		if t.by.source != nil || place == nil || place.Line == 0 {
			place = t.by.v
		}
	}
	at := t.n.place(place)
	o.File, o.Line, o.Column = at.File, at.Line, at.Column
	if t.by != nil && t.by.source != nil && sources > 0 {
		o.Source = t.source(sources - 1)
	}
	return o
}

func (t *touch) source(sources int) *Source {
	at, v := t.inSource()
	source := &Source{Document: t.by.source.ID, Path: at.String()}
	if v != nil {
		first := t.by.source.history(at, v)[0]
		source.Origin = first.origin(sources)
	}
	return source
}
