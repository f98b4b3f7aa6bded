package yaml

import "github.com/dovetail-store/dovetail/src/value"

// What readers in Go take for an attack: the number of values from which on the share of those that aliases repeat counts, and that share.
const (
	aliasedFew, allFew   = 100, 1000
	allMany, allMost     = 400_000, 4_000_000
	shareMany, shareMost = 0.99, 0.1
)

// expands reports whether a reader in Go would refuse the text for its aliases.
func expands(v *value.Value) bool {
	c := aliasCount{sizes: make(map[*value.Value]int)}
	c.count(v)
	return c.refused
}

type aliasCount struct {
	sizes        map[*value.Value]int
	all, aliased int
	refused      bool
}

func (c *aliasCount) count(v *value.Value) int {
	if v.Kind != value.Map && v.Kind != value.List {
		c.all++
		return 1
	}
	if size, again := c.sizes[v]; again {
		c.all, c.aliased = c.all+size, c.aliased+size
		return size
	}
	c.all++
	size := 1
	for _, item := range v.Items {
		size += c.count(item)
	}
	for _, m := range v.Members {
		c.all++
		size += 1 + c.count(m.Value)
	}
	c.sizes[v] = size
	c.refused = c.refused || c.aliased > aliasedFew && c.all > allFew && float64(c.aliased)/float64(c.all) > allowedShare(c.all)
	return size
}

func allowedShare(all int) float64 {
	switch {
	case all <= allMany:
		return shareMany
	case all >= allMost:
		return shareMost
	}
	return shareMany - (shareMany-shareMost)*float64(all-allMany)/float64(allMost-allMany)
}
