package schema

import "slices"

// inputs checks the kinds that documents are made of.
func (c *checker) inputs(r *resource) {
	for i, name := range r.inputs {
		to := c.find(name.value)
		same := func(other text) bool { return other.value == name.value }
		switch {
		case name.bad:
		case to == nil:
			c.add(FaultMissingReference, name.at, didYouMean(name.value, c.names, "define it as a resource, or correct the name"),
				"%s: unknown kind %s in inputs", r.name.value, short(name.value))
		case to.abstract:
			c.add(FaultBadValue, name.at, "name one of its children", "%s: %s is abstract, it has no documents to be made of", r.name.value, short(name.value))
		case slices.ContainsFunc(r.inputs[:i], same):
			c.add(FaultBadValue, name.at, "remove one of the two", "%s: inputs names %s twice", r.name.value, short(name.value))
		}
	}
}
