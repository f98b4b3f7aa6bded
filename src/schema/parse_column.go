package schema

import (
	"cmp"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// column is an entry of the field columns as it was written.
type column struct {
	at    dovetail.Position
	name  text
	path  location
	typ   text
	wide  bool
	wrong bool // it cannot be compiled
}

func (p *parser) columns(f decode.Field) []*column {
	var all []*column
	for _, item := range f.Items("a column") {
		c := &column{at: at(item)}
		if !readFields(item, map[string]func(decode.Field){
			"name": func(f decode.Field) { c.name = readText(f) },
			"path": func(f decode.Field) { c.path = p.location(f) },
			"type": func(f decode.Field) { c.typ = readText(f) },
			"wide": func(f decode.Field) { c.wide = f.Bool() },
		}) {
			continue
		}
		all = append(all, c)
	}
	if f.Kind() == value.List && len(f.Value.Items) == 0 {
		p.add(FaultBadValue, at(f), "list columns, or leave the field out", "columns is empty")
	}
	return all
}

// columnsOf compiles what was checked.
func columnsOf(r *resource) []Column {
	var all []Column
	for _, c := range r.columns {
		if !c.wrong {
			all = append(all, Column{Name: c.name.value, Path: c.path.path, Type: ColumnType(cmp.Or(c.typ.value, string(ColumnString))), Wide: c.wide})
		}
	}
	return all
}
