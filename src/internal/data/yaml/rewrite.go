package yaml

import (
	"bytes"

	"github.com/dovetail-store/dovetail/src/value"
)

// Rewrite makes a text mean a value, and keeps of the text whatever means the same already: as Edit, but
// found by equality instead of by positions, which need not be those of the text. Members keep the
// order that they have in the text, and new ones come last. Items of a list are the same when they are
// equal, when they are maps that begin with the same name and value, or when as many stand between two
// that are the same.
//
// A text of nothing but comments keeps them, above the value. One that is no YAML, or more than one
// document, is written again.
func Rewrite(text []byte, to *value.Value) []byte { return rewrite(yaml12, text, to) }

// RewriteClassic is Rewrite of a text that is read by YAML 1.1, as ParseClassic does.
func RewriteClassic(text []byte, to *value.Value) []byte { return rewrite(yaml11, text, to) }

// reading is how texts are read.
type reading struct {
	parse   func(file string, data []byte, limits value.Limits) ([]*value.Value, error)
	resolve func(text string) resolved
}

var yaml12, yaml11 = reading{Parse, resolve}, reading{ParseClassic, resolveClassic}

func rewrite(by reading, text []byte, to *value.Value) []byte {
	read, err := by.parse("", text, value.Limits{})
	switch {
	case err != nil || len(read) > 1:
		return Marshal(to)
	case len(read) == 0 || read[0].Kind == value.Null && isCollection(to) && len(bytes.TrimSpace(text)) > 0:
		return below(by, text, to)
	}
	return edit(by, text, read[0], placed(read[0], to))
}

// below writes a value under comments, if that is all there is.
func below(by reading, text []byte, to *value.Value) []byte {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(bytes.Clone(text), '\n')
	}
	all := append(bytes.Clone(text), Marshal(to)...)
	if again, err := by.parse("", all, value.Limits{}); err == nil && len(again) == 1 && value.Equal(again[0], to) {
		return all
	}
	return Marshal(to)
}

// placed returns a copy of to with the positions of from where they are the same thing.
func placed(from, to *value.Value) *value.Value {
	if value.Equal(from, to) {
		return from.Clone()
	}
	if from.Kind != to.Kind && (isCollection(from) || isCollection(to)) {
		return to.Unplaced()
	}
	result := &value.Value{Kind: to.Kind, Text: to.Text, Place: from.Place}
	switch to.Kind {
	case value.Map:
		result.Members = placedMembers(from, to)
	case value.List:
		result.Items = placedItems(from.Items, to.Items)
	}
	return result
}

func placedMembers(from, to *value.Value) []value.Member {
	members := make([]value.Member, 0, len(to.Members))
	had := make(map[string]bool, len(from.Members))
	wanted := make(map[string]*value.Value, len(to.Members))
	for _, m := range to.Members {
		wanted[m.Name] = m.Value
	}
	for _, m := range from.Members {
		had[m.Name] = true
		if v, stays := wanted[m.Name]; stays {
			m.Value = placed(m.Value, v)
			members = append(members, m)
		}
	}
	for _, m := range to.Members {
		if !had[m.Name] {
			members = append(members, value.Member{Name: m.Name, Value: m.Value.Unplaced()})
		}
	}
	return members
}

// placedItems aligns two lists: what is the same in both divides them into parts, and parts of the same
// length go together one by one.
func placedItems(from, to []*value.Value) []*value.Value {
	items := make([]*value.Value, 0, len(to))
	i, j := 0, 0
	part := func(endI, endJ int) {
		together := endI-i == endJ-j
		for ; j < endJ; i, j = i+1, j+1 {
			if together {
				items = append(items, placed(from[i], to[j]))
			} else {
				items = append(items, to[j].Unplaced())
			}
		}
	}
	for _, same := range alignment(from, to) {
		part(same[0], same[1])
		items = append(items, placed(from[same[0]], to[same[1]]))
		i, j = same[0]+1, same[1]+1
	}
	part(len(from), len(to))
	return items
}

// mostAligned bounds the work of an alignment, which grows with the product of two lengths.
const mostAligned = 4_000_000

// alignment returns the longest sequence of pairs of items that are the same, as indexes in both lists.
func alignment(from, to []*value.Value) [][2]int {
	var pairs [][2]int
	first := 0
	for first < len(from) && first < len(to) && isSame(from[first], to[first]) {
		pairs = append(pairs, [2]int{first, first})
		first++
	}
	from, to = from[first:], to[first:]
	if len(from)*len(to) > mostAligned {
		return pairs
	}
	// longest[i][j] is how many pairs there are in from[i:] and to[j:].
	longest := make([][]int, len(from)+1)
	for i := range longest {
		longest[i] = make([]int, len(to)+1)
	}
	same := make([][]bool, len(from))
	for i := len(from) - 1; i >= 0; i-- {
		same[i] = make([]bool, len(to))
		for j := len(to) - 1; j >= 0; j-- {
			if same[i][j] = isSame(from[i], to[j]); same[i][j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(from) && j < len(to); {
		switch {
		case same[i][j]:
			pairs = append(pairs, [2]int{first + i, first + j})
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// isSame reports whether two items of lists are the same thing, which may have changed.
func isSame(a, b *value.Value) bool {
	if a.Kind == value.Map && b.Kind == value.Map && len(a.Members) > 0 {
		name := a.Members[0].Name
		if is := a.Members[0].Value; !isCollection(is) && value.Equal(is, b.Get(name)) {
			return true
		}
	}
	return value.Equal(a, b)
}
