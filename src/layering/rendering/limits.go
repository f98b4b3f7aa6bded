package rendering

import "github.com/dovetail-store/dovetail/src/value"

// Documents that substitute each other's data can grow with every step, so that a few of them would
// fill any memory. The limits are far beyond what documents are used for.
const (
	// MaxValues is how many values the rendered data of one document may have.
	MaxValues = value.DefaultValues
	// MaxTexts is how many bytes all the texts of a site may have in which patterns were replaced.
	MaxTexts = 256 << 20
)

// measure keeps the size of a rendered document within the limit. It adds up what the document was
// made of, which is never too little, and counts only when that is too much.
func (s *Site) measure(n *node) {
	own := counter{}
	n.size = own.count(n.Data())
	if base := n.base(); base != nil {
		n.size += base.size
	}
	for i, source := range n.sources {
		if source == nil {
			continue
		}
		n.size += len(n.substitutions[i].to) * source.size
	}
	if n.size <= MaxValues {
		return
	}
	rendered := counter{known: make(map[*value.Value]int)}
	if n.size = rendered.count(n.data); n.size > MaxValues {
		s.refuse(n, ClassInvalidDocumentFormat, n.Position(), "substitute less", "the rendered document has more than %d values", MaxValues)
	}
}

// counter counts values. Those that stand in many places are examined once when they are noted.
type counter struct {
	known map[*value.Value]int // nil to look at all
}

func (c *counter) count(v *value.Value) int {
	if len(v.Items) == 0 && len(v.Members) == 0 {
		return 1
	}
	if n, ok := c.known[v]; ok {
		return n
	}
	n := 1
	for _, item := range v.Items {
		n = min(n+c.count(item), 2*MaxValues)
	}
	for _, m := range v.Members {
		n = min(n+c.count(m.Value), 2*MaxValues)
	}
	if c.known != nil {
		c.known[v] = n
	}
	return n
}
