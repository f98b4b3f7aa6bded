package schema

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
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
	schema      *value.Value // nil if there is none
	abstract    bool
	managed     bool
	strict      bool
	defaults    bool
	defaultsAt  dovetail.Position
	sensitive   sensitive
	inputs      []text
	history     history
	uniques     []*unique
	columns     []*column
	immutable   []location
	conditions  []*ruleEntry
	lifecycle   *lifecycle // nil if there is none
	index       index
	queries     []*query
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
	member     text   // the field map where it is a text
	field      text
	fixed      []pair
	filterKeys []text
	skip       []text
	commonKey  text
	onDelete   text
	enforce    text
	slot       slot
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
func (p *parser) resource(f decode.Field) *resource {
	r := &resource{at: at(f)}
	var path, alias, fixed, collections decode.Field
	ok := readFields(f, map[string]func(decode.Field){
		"name":        func(f decode.Field) { r.name = readText(f) },
		"parent":      func(f decode.Field) { r.parent = readText(f) },
		"references":  func(f decode.Field) { r.references = p.rules(f) },
		"path":        func(f decode.Field) { path = f },
		"alias":       func(f decode.Field) { alias = f },
		"fixed":       func(f decode.Field) { fixed = f },
		"collections": func(f decode.Field) { collections = f },
		"methods":     func(f decode.Field) { r.methods = methods(f) },
		"actions":     func(f decode.Field) { r.actions = actions(f) },
		"content":     func(f decode.Field) { r.content = content(f) },
		"schema":      func(f decode.Field) { r.schema = f.Value },
		"abstract":    func(f decode.Field) { r.abstract = f.Bool() },
		"managed":     func(f decode.Field) { r.managed = f.Bool() },
		"sensitive":   func(f decode.Field) { r.sensitive = p.sensitive(f) },
		"inputs":      func(f decode.Field) { r.inputs = readTexts(f) },
		"history":     func(f decode.Field) { r.history = p.history(f) },
		"index":       func(f decode.Field) { r.index = p.index(f) },
		"unique":      func(f decode.Field) { r.uniques = p.uniques(f) },
		"immutable":   func(f decode.Field) { r.immutable = p.locations(f) },
		"rules":       func(f decode.Field) { r.conditions = p.conditions(f) },
		"defaults":    func(f decode.Field) { r.defaults, r.defaultsAt = f.Bool(), at(f) },
		"lifecycle":   func(f decode.Field) { r.lifecycle = p.lifecycle(f) },
		"strict":      func(f decode.Field) { r.strict = f.Bool() },
		"columns":     func(f decode.Field) { r.columns = p.columns(f) },
		"queries":     func(f decode.Field) { r.queries = p.queries(f) },
		"service":     func(f decode.Field) { r.service = readText(f).value },
		"description": func(f decode.Field) { r.description = readText(f).value },
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
func (p *parser) rules(f decode.Field) []*rule {
	var rules []*rule
	for _, item := range f.Items("a reference") {
		r := &rule{at: at(item), value: item.Value}
		if item.Kind() == value.String {
			r.targets = []text{readText(item)}
			rules = append(rules, r)
			continue
		}
		var name, oneOf decode.Field
		ok := readFields(item, map[string]func(decode.Field){
			"name":       func(f decode.Field) { name = f },
			"oneOf":      func(f decode.Field) { oneOf = f },
			"type":       func(f decode.Field) { r.kind = readText(f) },
			"map":        r.mapOf,
			"at":         func(f decode.Field) { r.slot.at = p.location(f) },
			"required":   func(f decode.Field) { r.slot.required = f.Bool() },
			"min":        func(f decode.Field) { r.slot.min = readNumber(f) },
			"max":        func(f decode.Field) { r.slot.max = readNumber(f) },
			"exclusive":  func(f decode.Field) { r.slot.exclusive = f.Bool() },
			"field":      func(f decode.Field) { r.field = readText(f) },
			"fixedKv":    func(f decode.Field) { r.fixed = readPairs(f) },
			"filterKeys": func(f decode.Field) { r.filterKeys = readTexts(f) },
			"skip":       func(f decode.Field) { r.skip = readTexts(f) },
			"commonKey":  func(f decode.Field) { r.commonKey = readText(f) },
			"onDelete":   func(f decode.Field) { r.onDelete = readText(f) },
			"enforce":    func(f decode.Field) { r.enforce = readText(f) },
		})
		if !ok {
			continue
		}
		if name.Value != nil {
			r.targets = []text{readText(name)}
		}
		if oneOf.Value != nil {
			r.targets = append(r.targets, readTexts(oneOf)...)
		}
		if name.Value != nil && oneOf.Value != nil {
			p.add(FaultBadValue, at(name), "keep one of the two", "a reference has both name and oneOf")
		}
		rules = append(rules, r)
	}
	return rules
}

// places reads where a resource is served: collections, or path, alias and fixed, which are short
// for a list of one. Without any of them there is one place with nothing said.
func (p *parser) places(collections, path, alias, fixed decode.Field) []place {
	short := place{}
	for _, field := range []decode.Field{fixed, alias, path} {
		if field.Value != nil {
			short.at = at(field)
		}
	}
	if path.Value != nil {
		short.path = readText(path)
	}
	if alias.Value != nil {
		short.alias = readText(alias)
	}
	if fixed.Value != nil {
		short.fixed = readPairs(fixed)
	}
	if collections.Value == nil {
		return []place{short}
	}
	if short.at.Line > 0 {
		p.add(FaultBadValue, short.at, "say all of it in collections", "path, alias or fixed stands beside collections")
	}
	var places []place
	for _, item := range collections.Items("a collection") {
		one := place{at: at(item)}
		readFields(item, map[string]func(decode.Field){
			"path":    func(f decode.Field) { one.path = readText(f) },
			"alias":   func(f decode.Field) { one.alias = readText(f) },
			"fixed":   func(f decode.Field) { one.fixed = readPairs(f) },
			"methods": func(f decode.Field) { one.methods = methods(f) },
		})
		places = append(places, one)
	}
	if len(places) == 0 {
		p.add(FaultBadValue, at(collections), "list at least one, or leave the field out", "collections is empty")
	}
	return places
}

func methods(f decode.Field) []method {
	var all []method
	for _, m := range members(f) {
		all = append(all, method{m.name, readNumber(m.As("the code of " + m.name.value))})
	}
	return all
}

// actions reads a list whose items are paths, or mappings of path, method and code.
func actions(f decode.Field) []action {
	var all []action
	for _, item := range f.Items("an action") {
		a := action{path: text{at: at(item)}, method: text{value: "POST"}}
		if item.Kind() == value.String {
			a.path = readText(item)
		} else {
			readFields(item, map[string]func(decode.Field){
				"path":   func(f decode.Field) { a.path = readText(f) },
				"method": func(f decode.Field) { a.method = readText(f) },
				"code":   func(f decode.Field) { a.code = readNumber(f) },
			})
		}
		all = append(all, a)
	}
	return all
}

// content reads a list whose items are names, or mappings of name, required and multiple.
func content(f decode.Field) []part {
	var all []part
	for _, item := range f.Items("a content part") {
		c := part{name: text{at: at(item)}}
		if item.Kind() == value.String {
			c.name = readText(item)
		} else {
			readFields(item, map[string]func(decode.Field){
				"name":     func(f decode.Field) { c.name = readText(f) },
				"required": func(f decode.Field) { c.required = f.Bool() },
				"multiple": func(f decode.Field) { c.multiple = f.Bool() },
			})
		}
		all = append(all, c)
	}
	return all
}

// last is what the kind is called: the name, of a dotted one the second half.
func (r *resource) last() string { return r.own[len(r.own)-1] }
