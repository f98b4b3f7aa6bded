package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// unique is an entry of the field unique as it was written: a path, or a mapping of paths and within.
type unique struct {
	at     dovetail.Position
	paths  []text
	within text

	meaning *Unique // once checked; nil where it is wrong
}

// uniques reads one entry, or a list of them.
func (p *parser) uniques(f decode.Field) []*unique {
	if f.Kind() == value.Map {
		return []*unique{p.unique(f)}
	}
	var all []*unique
	for _, item := range f.Items("a path or a mapping of unique") {
		if item.Kind() == value.Map {
			all = append(all, p.unique(item))
			continue
		}
		all = append(all, &unique{at: at(item), paths: []text{readText(item)}})
	}
	if len(all) == 0 && f.Kind() == value.List {
		p.add(FaultBadValue, at(f), "list what is unique, or leave the field out", "unique is empty")
	}
	return all
}

func (p *parser) unique(f decode.Field) *unique {
	u := &unique{at: at(f)}
	readFields(f, map[string]func(decode.Field){
		"paths":  func(f decode.Field) { u.paths = readTexts(f) },
		"within": func(f decode.Field) { u.within = readText(f) },
	})
	if len(u.paths) == 0 {
		p.add(FaultBadValue, u.at, "write paths: [spec.serial]", "an entry of unique has no paths")
	}
	return u
}

// uniques compiles what was checked, in an order that does not depend on how it was written.
func (c *compiler) uniques(r *resource) []*Unique {
	var all []*Unique
	for _, u := range r.uniques {
		if u.meaning != nil {
			all = append(all, u.meaning)
		}
	}
	slices.SortFunc(all, func(a, b *Unique) int { return cmp.Compare(a.String(), b.String()) })
	return slices.CompactFunc(all, func(a, b *Unique) bool { return a.String() == b.String() })
}

// uniqueMeanings is what counts of the field for the meaning of a model.
func uniqueMeanings(k *Kind) []string {
	var all []string
	for _, u := range k.Unique {
		all = append(all, u.String())
	}
	return all
}

// listUnique names constraints in a sentence.
func listUnique(all []*Unique) string {
	if len(all) == 0 {
		return "nothing"
	}
	var texts []string
	for _, u := range all {
		texts = append(texts, u.String())
	}
	return strings.Join(texts, "; ")
}
