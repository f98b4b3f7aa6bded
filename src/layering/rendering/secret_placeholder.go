package rendering

import "github.com/dovetail-store/dovetail/src/value"

// StandIn returns an encrypted document of a schema that holds one text with another text in its place: documents that
// substitute it can be rendered with it as far as they do not depend on what it says. Others have none.
func (d *Document) StandIn() (*Document, bool) {
	if !d.Encrypted || !isUtility(d.Schema) {
		return nil, false
	}
	c := *d
	c.whole = d.withData(value.NewString(Redacted))
	return &c, true
}

// LooksInto reports whether more than the place of values decides what rendering a document of the site gives, or whether it
// can be rendered: a pattern, or a DataSchema.
func (s *Site) LooksInto(d *Document) bool {
	if len(s.dataSchemas[d.Schema]) > 0 {
		return true
	}
	for i := range d.substitutions {
		sub := &d.substitutions[i]
		if sub.pattern != nil {
			return true
		}
		for j := range sub.to {
			if sub.to[j].pattern != nil {
				return true
			}
		}
	}
	return false
}
