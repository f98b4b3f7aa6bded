package layering

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/value"
)

// Redacted is the text that stands where secrets are hidden.
const Redacted = "REDACTED"

// Redacted is the whole document as it was read, but for the data of an encrypted one, in whose place
// is the text Redacted.
func (d *Document) Redacted() *value.Value {
	if !d.Encrypted {
		return d.whole
	}
	return d.withData(value.NewString(Redacted))
}

// Secret says whether there may be something to hide: the document is encrypted, or inherits or
// substitutes from one that is.
func (r *Rendered) Secret() bool { return r.node.secret }

// Redacted is the rendered data without secrets. The data of an encrypted document is the text
// Redacted. In other documents each value is that came, on whatever way, out of an encrypted one.
func (r *Rendered) Redacted() *value.Value {
	n := r.node
	n.redactOnce.Do(func() { n.redacted = n.redact(nil, n.data) })
	return n.redacted
}

// inheritSecrecy notes whether a document may hold secrets, when that is known of those it needs.
func (n *node) inheritSecrecy() {
	n.secret = n.Encrypted
	n.needs(func(needed *node) { n.secret = n.secret || needed.secret })
}

// redact returns a value of the rendered data without secrets.
func (n *node) redact(at path, v *value.Value) *value.Value {
	switch {
	case !n.secret:
		return v
	case n.Encrypted:
		return value.NewString(Redacted)
	case len(v.Items) == 0 && len(v.Members) == 0:
		if n.hides(at, v) {
			return &value.Value{Kind: value.String, Text: Redacted, Line: v.Line, Column: v.Column}
		}
		return v
	}
	c := *v
	c.Items = slices.Clone(v.Items)
	c.Members = slices.Clone(v.Members)
	at = slices.Clip(at)
	for i, item := range c.Items {
		c.Items[i] = n.redact(append(at, step{item: true, index: i}), item)
	}
	for i, m := range c.Members {
		c.Members[i].Value = n.redact(append(at, step{name: m.Name}), m.Value)
	}
	return &c
}

// hides says whether a value of the rendered data came out of an encrypted document.
func (n *node) hides(at path, v *value.Value) bool {
	if !n.secret || n.Encrypted {
		return n.Encrypted
	}
	for _, t := range n.history(at, v) {
		if t.isSecret() {
			return true
		}
		if t.by == nil || !t.by.within {
			return false
		}
		// What was replaced within a text leaves the rest of it as it was before.
	}
	return false
}

// isSecret says whether what this step put there is a secret.
func (t *touch) isSecret() bool {
	if t.n.Encrypted {
		return true
	}
	if t.by == nil || t.by.source == nil {
		return false
	}
	at, v := t.inSource()
	return v != nil && t.by.source.hides(at, v)
}
