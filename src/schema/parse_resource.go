package schema

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// resource is one entry of a ref-schema as it was written.
type resource struct {
	at          dovetail.Position
	name        text
	own         []string // the halves of the name
	parent      text
	references  []*rule
	served      []place
	methods     []method
	actions     []action
	content     []part
	schema      *value.Value // nil for none
	abstract    bool
	managed     bool
	sensitive   sensitive
	inputs      []text
	service     string
	description string

	// What the checks find out.
	up       *resource // the parent; nil at the top
	upHalf   bool      // the parent is only the first half of up
	elements []string  // of the key, from the root on
	broken   bool      // its place in the hierarchy is not known
}

// rule is one entry of references.
type rule struct {
	at         dovetail.Position
	targets    []text // what name or oneOf give
	kind       text   // the field type
	member     text   // the field map
	field      text
	fixed      []pair
	filterKeys []text
	skip       []text
	commonKey  text
	onDelete   text
	enforce    text
	value      *value.Value

	to     []*resource // the targets, once checked
	common []string    // the elements that commonKey means
	broken bool        // it cannot be compiled
}

// place is one entry of collections, or what path, alias and fixed of the resource say.
type place struct {
	at      dovetail.Position
	path    text
	alias   text
	fixed   []pair
	methods []method
	broken  bool // it cannot be compiled
}

// method is one entry of methods.
type method struct {
	verb text
	code number
}

// action is one entry of actions.
type action struct {
	path   text
	method text
	code   number // zero when not given
}

// part is one entry of content.
type part struct {
	name     text
	required bool
	multiple bool
}

// resource reads one entry; nil when it is not a mapping.
func (p *parser) resource(v *value.Value) *resource {
	r := &resource{at: p.at(v)}
	var path, alias, fixed, collections *value.Value
	ok := p.fields(v, "a resource", map[string]func(*value.Value){
		"name":        func(v *value.Value) { r.name = p.text(v, "name") },
		"parent":      func(v *value.Value) { r.parent = p.text(v, "parent") },
		"references":  func(v *value.Value) { r.references = p.rules(v) },
		"path":        func(v *value.Value) { path = v },
		"alias":       func(v *value.Value) { alias = v },
		"fixed":       func(v *value.Value) { fixed = v },
		"collections": func(v *value.Value) { collections = v },
		"methods":     func(v *value.Value) { r.methods = p.methods(v) },
		"actions":     func(v *value.Value) { r.actions = p.actions(v) },
		"content":     func(v *value.Value) { r.content = p.content(v) },
		"schema":      func(v *value.Value) { r.schema = v },
		"abstract":    func(v *value.Value) { r.abstract = p.boolean(v, "abstract") },
		"managed":     func(v *value.Value) { r.managed = p.boolean(v, "managed") },
		"sensitive":   func(v *value.Value) { r.sensitive = p.sensitive(v) },
		"inputs":      func(v *value.Value) { r.inputs = p.texts(v, "inputs") },
		"service":     func(v *value.Value) { r.service = p.text(v, "service").value },
		"description": func(v *value.Value) { r.description = p.text(v, "description").value },
	})
	if !ok {
		return nil
	}
	if r.name.at.Line == 0 {
		r.name.at = r.at
	}
	r.own = strings.Split(r.name.value, ".")
	r.served = p.places(collections, path, alias, fixed)
	return r
}

// rules reads references: of each its mapping, or only the name of the kind.
func (p *parser) rules(v *value.Value) []*rule {
	var rules []*rule
	for _, item := range p.list(v, "references") {
		r := &rule{at: p.at(item), value: item}
		if item.Kind == value.String {
			r.targets = []text{p.text(item, "a reference")}
			rules = append(rules, r)
			continue
		}
		var name, oneOf *value.Value
		ok := p.fields(item, "a reference", map[string]func(*value.Value){
			"name":       func(v *value.Value) { name = v },
			"oneOf":      func(v *value.Value) { oneOf = v },
			"type":       func(v *value.Value) { r.kind = p.text(v, "type") },
			"map":        func(v *value.Value) { r.member = p.text(v, "map") },
			"field":      func(v *value.Value) { r.field = p.text(v, "field") },
			"fixedKv":    func(v *value.Value) { r.fixed = p.pairs(v, "fixedKv") },
			"filterKeys": func(v *value.Value) { r.filterKeys = p.texts(v, "filterKeys") },
			"skip":       func(v *value.Value) { r.skip = p.texts(v, "skip") },
			"commonKey":  func(v *value.Value) { r.commonKey = p.text(v, "commonKey") },
			"onDelete":   func(v *value.Value) { r.onDelete = p.text(v, "onDelete") },
			"enforce":    func(v *value.Value) { r.enforce = p.text(v, "enforce") },
		})
		if !ok {
			continue
		}
		if name != nil {
			r.targets = []text{p.text(name, "name")}
		}
		if oneOf != nil {
			r.targets = append(r.targets, p.texts(oneOf, "oneOf")...)
		}
		if name != nil && oneOf != nil {
			p.add(FaultBadValue, p.at(name), "keep one of the two", "a reference has both name and oneOf")
		}
		rules = append(rules, r)
	}
	return rules
}

// places reads where a resource is served: collections, or path, alias and fixed, which are short
// for a list of one. Without any of them there is one place with nothing said.
func (p *parser) places(collections, path, alias, fixed *value.Value) []place {
	short := place{}
	for _, field := range []*value.Value{fixed, alias, path} {
		if field != nil {
			short.at = p.at(field)
		}
	}
	if path != nil {
		short.path = p.text(path, "path")
	}
	if alias != nil {
		short.alias = p.text(alias, "alias")
	}
	if fixed != nil {
		short.fixed = p.pairs(fixed, "fixed")
	}
	if collections == nil {
		return []place{short}
	}
	if short.at.Line > 0 {
		p.add(FaultBadValue, short.at, "say all of it in collections", "path, alias or fixed stands beside collections")
	}
	var places []place
	for _, item := range p.list(collections, "collections") {
		one := place{at: p.at(item)}
		p.fields(item, "a collection", map[string]func(*value.Value){
			"path":    func(v *value.Value) { one.path = p.text(v, "path") },
			"alias":   func(v *value.Value) { one.alias = p.text(v, "alias") },
			"fixed":   func(v *value.Value) { one.fixed = p.pairs(v, "fixed") },
			"methods": func(v *value.Value) { one.methods = p.methods(v) },
		})
		places = append(places, one)
	}
	if len(places) == 0 {
		p.add(FaultBadValue, p.at(collections), "list at least one, or leave the field out", "collections is empty")
	}
	return places
}

func (p *parser) methods(v *value.Value) []method {
	var all []method
	for _, m := range p.members(v, "methods") {
		all = append(all, method{p.nameOf(m), p.number(m.Value, "the code of "+m.Name)})
	}
	return all
}

// actions reads a list whose items are paths, or mappings of path, method and code.
func (p *parser) actions(v *value.Value) []action {
	var all []action
	for _, item := range p.list(v, "actions") {
		a := action{path: text{at: p.at(item)}, method: text{value: "POST"}}
		if item.Kind == value.String {
			a.path = p.text(item, "an action")
		} else {
			p.fields(item, "an action", map[string]func(*value.Value){
				"path":   func(v *value.Value) { a.path = p.text(v, "path") },
				"method": func(v *value.Value) { a.method = p.text(v, "method") },
				"code":   func(v *value.Value) { a.code = p.number(v, "code") },
			})
		}
		all = append(all, a)
	}
	return all
}

// content reads a list whose items are names, or mappings of name, required and multiple.
func (p *parser) content(v *value.Value) []part {
	var all []part
	for _, item := range p.list(v, "content") {
		c := part{name: text{at: p.at(item)}}
		if item.Kind == value.String {
			c.name = p.text(item, "content")
		} else {
			p.fields(item, "a content part", map[string]func(*value.Value){
				"name":     func(v *value.Value) { c.name = p.text(v, "name") },
				"required": func(v *value.Value) { c.required = p.boolean(v, "required") },
				"multiple": func(v *value.Value) { c.multiple = p.boolean(v, "multiple") },
			})
		}
		all = append(all, c)
	}
	return all
}

// last is what the kind is called: the name, of a dotted one the second half.
func (r *resource) last() string { return r.own[len(r.own)-1] }
