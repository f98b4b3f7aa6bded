package solver

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	cel "github.com/dovetail-store/dovetail/src/internal/data/expression"
	"github.com/dovetail-store/dovetail/src/value"
)

// variableProperties is what a rule calls the properties of a version.
const variableProperties = "properties"

// typePackage is the type of the property that says which version of which package this is.
const typePackage = "olm.package"

// celRule is a condition in CEL on the properties of one version.
type celRule struct {
	text    string
	program *cel.Program
}

// ruleScope is what rules know: as in constraints of OLM, a list of {type, value}, and semver_compare.
var ruleScope = sync.OnceValues(func() (*cel.Scope, error) {
	properties := cel.ListOf(cel.MapOf(nil))
	return cel.NewScope(map[string]*cel.Type{variableProperties: properties}, cel.Comparison("semver_compare", semverCompare), cel.MixedLiterals())
})

// holds reports whether a version meets the rule. One for which it cannot be evaluated does not.
func (r *celRule) holds(p *Package, v *Version) bool {
	met, err := r.program.Holds(context.Background(), map[string]*value.Value{variableProperties: v.listed(p)})
	return met && err == nil
}

// listed returns the properties for rules. Every version has one of the type olm.package.
func (v *Version) listed(p *Package) *value.Value {
	if list := v.shown.Load(); list != nil {
		return list
	}
	list := value.NewList()
	described := false
	for _, has := range v.properties {
		parsed, err := value.ParseJSON([]byte(has.value), value.Limits{})
		if err != nil {
			continue // no JSON: it was written by canonical
		}
		described = described || has.kind == typePackage
		list.Items = append(list.Items, shownProperty(has.kind, parsed))
	}
	if !described {
		list.Items = append(list.Items, shownProperty(typePackage, value.NewMap(
			value.Member{Name: "packageName", Value: value.NewString(p.Name)}, value.Member{Name: "version", Value: value.NewString(v.Text)})))
	}
	v.shown.Store(list)
	return list
}

func shownProperty(kind string, v *value.Value) *value.Value {
	return value.NewMap(value.Member{Name: "type", Value: value.NewString(kind)}, value.Member{Name: "value", Value: v})
}

// exampleRule is the remedy if there is none of more use.
const exampleRule = "write a condition in CEL, such as properties.exists(p, p.type == 'certified' && p.value == true)"

// CheckRule says what is wrong with a rule in CEL on the properties of a version; nil if it is valid.
func CheckRule(text string) error {
	_, err := compileRule(text)
	return err
}

// compileRule compiles a rule. The error tells all that is wrong.
func compileRule(text string) (*celRule, error) {
	scope, err := ruleScope()
	if err != nil {
		return nil, dovetail.Errorf(dovetail.CodeInternal, "rules cannot be compiled: %v", err)
	}
	program, problems := scope.Compile(text)
	if len(problems) == 0 {
		return &celRule{text, program}, nil
	}
	var errs dovetail.Errors
	for _, p := range problems {
		where := "the rule is refused: "
		if p.Line > 0 {
			where = fmt.Sprintf("the rule is refused, line %d, column %d: ", p.Line, p.Column)
		}
		errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Message: where + p.Message, Remedy: cmp.Or(p.Remedy, exampleRule)})
	}
	return nil, errs.Err("the rule is refused")
}

// rule reads a condition in CEL, nil if it is refused.
func (r *reader) rule(f decode.Field) *celRule {
	text, ok := f.AnyText()
	if !ok {
		return nil
	}
	if known := r.rules[text]; known != nil {
		return known
	}
	made, err := compileRule(text)
	if err != nil {
		f.Join(err)
		return nil
	}
	keep(r.rules, text, made)
	return made
}
