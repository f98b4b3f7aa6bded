package rendering

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/value"
)

// Redacted is the text that stands where secrets are hidden.
const Redacted = "REDACTED"

// Redacted is the whole document as it was read, except the data of an encrypted one, in whose place
// is the text Redacted.
func (d *Document) Redacted() *value.Value {
	if !d.Encrypted {
		return d.whole
	}
	return d.withData(value.NewString(Redacted))
}

// AsSecret is the document as one whose data is a secret, whatever its storagePolicy says. A control document is none.
func (d *Document) AsSecret() *Document {
	if d.Encrypted || d.Control {
		return d
	}
	c := *d
	c.Encrypted = true
	return &c
}

// Secret reports whether there may be something to hide: the document is encrypted, or inherits or
// substitutes from one that is.
func (r *Rendered) Secret() bool { return r.node.secret }

// FromSecret reports whether the source of a substitution of the document, by its number, is encrypted.
func (r *Rendered) FromSecret(substitution int) bool {
	return substitution < len(r.node.sources) && r.node.sources[substitution] != nil && r.node.sources[substitution].Encrypted
}

// Redacted is the rendered data without secrets. The data of an encrypted document is the text
// Redacted. In other documents so is each value that was copied, directly or not, from an encrypted one.
func (r *Rendered) Redacted() *value.Value {
	n := r.node
	n.redactOnce.Do(func() { n.redacted = make(secrecy).redact(n, nil, n.data) })
	return n.redacted
}

// inheritSecrecy notes whether a document may hold secrets, when that is known of those it needs.
func (n *node) inheritSecrecy() {
	n.secret = n.Encrypted
	n.needs(func(needed *node) { n.secret = n.secret || needed.secret })
}

// secrecy knows of places of rendered documents whether what is there came out of an encrypted one. A text that is
// made of others, which are made of others, leads to the same places on more ways than could be followed.
type secrecy map[placeIn]bool

// placeIn is a place in the rendered data of a document.
type placeIn struct {
	n  *node
	at string
}

// redact returns a value of the rendered data of a document without secrets.
func (k secrecy) redact(n *node, at path, v *value.Value) *value.Value {
	switch {
	case !n.secret:
		return v
	case n.Encrypted:
		return value.NewString(Redacted)
	case len(v.Items) == 0 && len(v.Members) == 0:
		if k.hides(n, at, v) {
			return &value.Value{Kind: value.String, Text: Redacted, Place: v.Place}
		}
		return v
	}
	c := *v
	c.Items = slices.Clone(v.Items)
	c.Members = slices.Clone(v.Members)
	at = slices.Clip(at)
	for i, item := range c.Items {
		c.Items[i] = k.redact(n, append(at, step{item: true, index: i}), item)
	}
	for i, m := range c.Members {
		c.Members[i].Value = k.redact(n, append(at, step{name: m.Name}), m.Value)
	}
	return &c
}

// hides reports whether a value of the rendered data of a document came out of an encrypted document.
func (k secrecy) hides(n *node, at path, v *value.Value) bool {
	if !n.secret || n.Encrypted {
		return n.Encrypted
	}
	place := placeIn{n, at.String()}
	is, known := k[place]
	if !known {
		is = k.found(n.history(at, v))
		k[place] = is
	}
	return is
}

// found reports whether there is a secret in a value with that history.
func (k secrecy) found(history []touch) bool {
	for i := range history {
		t := &history[i]
		if k.isSecret(t) {
			return true
		}
		if t.by == nil || !t.by.within {
			return false
		}
		// What was replaced within a text leaves the rest of it as it was before.
	}
	return false
}

// isSecret reports whether what this step put there is a secret.
func (k secrecy) isSecret(t *touch) bool {
	if t.n.Encrypted {
		return true
	}
	if t.by == nil || t.by.source == nil {
		return false
	}
	at, v := t.inSource()
	return v != nil && k.hides(t.by.source, at, v)
}
