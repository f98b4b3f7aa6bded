package schema

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// index is the field of a resource as it was written: a list of paths, or a mapping of paths and labels.
type index struct {
	at       dovetail.Position // zero when it was not given
	paths    []text
	noLabels bool

	meaning []Path // once checked
}

// index reads the list or the mapping.
func (p *parser) index(f decode.Field) index {
	x := index{at: at(f)}
	switch f.Kind() {
	case value.Map:
		readFields(f, map[string]func(decode.Field){
			"paths":  func(f decode.Field) { x.paths = readTexts(f) },
			"labels": func(f decode.Field) { x.noLabels = !f.Bool() },
		})
	case value.List:
		if x.paths = readTexts(f); len(x.paths) == 0 {
			p.add(FaultBadValue, x.at, "list the paths, or leave the field out", "index is empty")
		}
	default:
		f.WrongType("a list of paths, or a mapping of paths and labels", "write index: [spec.serial]")
	}
	return x
}
