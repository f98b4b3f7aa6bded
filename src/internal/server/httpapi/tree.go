package httpapi

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// node is one place in the tree of paths. Words go before variables, and words of today before
// aliases; a path that leads nowhere along the one is tried along the other.
type node struct {
	words   map[string]*node
	aliases map[string]*node // singular spellings
	value   *node            // any segment
	route   *route           // what is served here, nil if there is nothing
}

// child returns the node a segment further, made when it is not there.
func (n *node) child(s segment) *node {
	if s.word == "" {
		if n.value == nil {
			n.value = &node{}
		}
		return n.value
	}
	return grow(&n.words, s.word, nil)
}

// grow returns the map's node of a word. Where there is none it puts the given one there, or a new one.
func grow(children *map[string]*node, word string, to *node) *node {
	if *children == nil {
		*children = make(map[string]*node)
	}
	if have := (*children)[word]; have != nil {
		return have
	}
	if to == nil {
		to = &node{}
	}
	(*children)[word] = to
	return to
}

// descend returns the node at the end of the segments, made when it is not there.
func (n *node) descend(segments []segment) *node {
	for _, s := range segments {
		n = n.child(s)
	}
	return n
}

// alias makes another spelling of the way to a node, through words that are not taken.
func (n *node) alias(spelling string, to *node) {
	words := strings.Split(spelling, "/")
	for i, word := range words {
		target := to
		if i < len(words)-1 {
			target = nil
		}
		n = grow(&n.aliases, word, target)
	}
}

// match is what the tree says about a path.
type match struct {
	route   *route
	values  []string
	aliased bool
}

// find follows the path, which has no slash at its ends, and reports whether something is served there.
func (n *node) find(path string, m *match) bool {
	if path == "" {
		m.route = n.route
		return n.route != nil
	}
	word, rest, _ := strings.Cut(path, "/")
	if next := n.words[word]; next != nil && next.find(rest, m) {
		return true
	}
	if n.value != nil && word != "" {
		m.values = append(m.values, word)
		if n.value.find(rest, m) {
			return true
		}
		m.values = m.values[:len(m.values)-1]
	}
	if next := n.aliases[word]; next != nil && next.find(rest, m) {
		m.aliased = true
		return true
	}
	return false
}

// near returns the collections that a path that leads nowhere may have meant: those next to the
// last node that it reaches, the most similar words first.
func (n *node) near(path string) []string {
	word, rest, _ := strings.Cut(path, "/")
	for _, next := range []*node{n.words[word], n.aliases[word], n.value} {
		if next != nil && rest != "" {
			return next.near(rest)
		}
	}
	const most = 3
	var templates []string
	for _, w := range slices.SortedFunc(maps.Keys(n.words), func(a, b string) int {
		return cmp.Or(distance(a, word)-distance(b, word), strings.Compare(a, b))
	}) {
		if r := n.words[w].collection(); r != nil && len(templates) < most {
			templates = append(templates, r.template)
		}
	}
	return templates
}

// collection returns the route of the first collection at the node, or along its words.
func (n *node) collection() *route {
	if n.route != nil && n.route.what == collectionRoute {
		return n.route
	}
	for _, word := range slices.Sorted(maps.Keys(n.words)) {
		if r := n.words[word].collection(); r != nil {
			return r
		}
	}
	return nil
}

// distance counts the letters to be inserted, deleted or replaced to make one word of the other.
func distance(a, b string) int {
	const longest = 64
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
