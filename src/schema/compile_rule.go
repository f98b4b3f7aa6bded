package schema

import (
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/data/condition"
)

// The variables of rules.
const (
	varSelf   = "self"    // the data of the document
	varOld    = "oldSelf" // its data before the update
	varParent = "parent"  // the data of the parent
	varKey    = "key"     // the elements of the key
	varRefs   = "refs"    // the data of the documents referred to, by the names of slots
)

// ruleSlot is a slot whose targets rules may read.
type ruleSlot struct {
	name  string // in refs
	at    Path
	many  bool // it is a list
	rules []*Reference
}

// slotsOf are the slots of a kind. Each has the name of the last member of its path; where several have that, all members of the
// path joined by _.
func slotsOf(k *Kind) []ruleSlot {
	var all []ruleSlot
	byPath := make(map[Path]int)
	last := make(map[string]int)
	for _, r := range k.References {
		if r.At.IsZero() {
			continue
		}
		if i, known := byPath[r.At]; known {
			all[i].rules = append(all[i].rules, r)
			continue
		}
		s := ruleSlot{at: r.At, rules: []*Reference{r}}
		var names []string
		for _, step := range r.At.steps() {
			if step.any {
				s.many = true
			} else {
				names = append(names, step.name)
			}
		}
		s.name = names[len(names)-1]
		byPath[r.At] = len(all)
		last[s.name]++
		all = append(all, s)
	}
	for i := range all {
		s := &all[i]
		if last[s.name] == 1 {
			continue
		}
		var names []string
		for _, step := range s.at.steps() {
			if !step.any {
				names = append(names, step.name)
			}
		}
		s.name = strings.Join(names, "_")
	}
	return all
}

// rules compiles the rules of all kinds, once their references are.
func (c *compiler) rules() {
	b := &scopes{compiler: c, conditions: condition.Registered(),
		resources: make(map[*Kind]*resource, len(c.resources)), types: make(map[*Kind]condition.Type)}
	if b.conditions != nil {
		b.anyDocument = b.conditions.DataOf("the data of a document", nil)
	}
	for _, r := range c.resources {
		b.resources[c.kinds[r]] = r
	}
	for _, r := range c.resources {
		switch {
		case len(r.conditions) == 0:
		case b.conditions == nil:
			b.add(FaultBadRule, r.conditions[0].at, "import _ \"github.com/dovetail-store/dovetail/src/schema/cel\"",
				"%s: this program cannot compile rules", r.name.value)
		default:
			b.compile(r, c.kinds[r])
		}
	}
}

// scopes makes the scopes of the rules of kinds.
type scopes struct {
	*compiler
	resources   map[*Kind]*resource
	types       map[*Kind]condition.Type
	conditions  condition.Compiler
	anyDocument condition.Type // of the data of documents of any kind
}

// compile compiles the rules of one kind.
func (b *scopes) compile(r *resource, k *Kind) {
	k.ruleSlots = slotsOf(k)
	scope, err := b.conditions.NewScope(b.variables(k))
	if err != nil {
		b.add(FaultBadRule, r.conditions[0].at, "", "%s: %s", r.name.value, err)
		return
	}
	for _, one := range r.conditions {
		if one.broken {
			continue
		}
		program, problems := scope.Compile(one.expr.value)
		for _, p := range problems {
			where := ""
			if p.Line > 0 {
				where = fmt.Sprintf("line %d, column %d of the expression: ", p.Line, p.Column)
			}
			b.add(FaultBadRule, one.expr.at, p.Remedy, "%s: rule: %s%s", r.name.value, where, p.Message)
		}
		if problems == nil {
			k.Rules = append(k.Rules, newRule(k, one, program))
		}
	}
}

// variables are what rules of a kind may read, and of which types.
func (b *scopes) variables(k *Kind) map[string]condition.Type {
	elements := make(map[string]condition.Type)
	for _, name := range k.Elements {
		elements[name] = b.conditions.Text()
	}
	refs := make(map[string]condition.Type)
	for _, s := range k.ruleSlots {
		of := b.anyDocument // where there are several kinds
		if len(s.rules) == 1 && len(s.rules[0].To) == 1 {
			of = b.data(s.rules[0].To[0])
		}
		if s.many {
			of = b.conditions.ListOf(of)
		}
		refs[s.name] = of
	}
	variables := map[string]condition.Type{varSelf: b.data(k), varOld: b.data(k),
		varKey: b.conditions.ObjectOf("the key", elements), varRefs: b.conditions.ObjectOf("the references", refs)}
	if parent := k.holder(); parent != nil {
		variables[varParent] = b.data(parent)
	}
	return variables
}

// holder is the kind of the parent that documents have; nil at the top.
func (k *Kind) holder() *Kind {
	up := k.Parent
	for up != nil && up.Abstract {
		up = up.Parent
	}
	return up
}

// data is the type of the data of a kind.
func (b *scopes) data(k *Kind) condition.Type {
	t, made := b.types[k]
	if !made {
		name := "the data of " + k.Name // which no expression can write
		t = b.conditions.DataOf(name, nil)
		if r := b.resources[k]; r != nil && k.schema != nil {
			t = b.conditions.DataOf(name, r.schema)
		}
		b.types[k] = t
	}
	return t
}
