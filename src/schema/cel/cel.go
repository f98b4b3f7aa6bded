// Package cel compiles the rules of ref-schemas, which are conditions in CEL, the Common Expression Language. A program whose
// ref-schemas may have rules imports it for its effect, as it imports a driver of database/sql:
//
//	import _ "github.com/dovetail-store/dovetail/src/schema/cel"
//
// Without it, package schema refuses ref-schemas with rules. Packages embedded and client import it.
package cel

import (
	"github.com/dovetail-store/dovetail/src/internal/data/condition"
	"github.com/dovetail-store/dovetail/src/internal/data/expression"
	"github.com/dovetail-store/dovetail/src/value"
)

func init() { //nolint:gochecknoinits // imported for this effect, as drivers of database/sql are
	condition.Register(compiler{})
}

// compiler is package expression as a [condition.Compiler]. Its types are of *expression.Type.
type compiler struct{}

// Text returns the type of strings.
func (compiler) Text() condition.Type { return expression.Text }

// ListOf returns the type of lists whose items have a type.
func (compiler) ListOf(items condition.Type) condition.Type { return expression.ListOf(typeOf(items)) }

// ObjectOf returns the type of objects that have only the members.
func (compiler) ObjectOf(name string, members map[string]condition.Type) condition.Type {
	return expression.ObjectOf(name, typesOf(members))
}

// DataOf returns the type of the data of documents that have a JSON Schema.
func (compiler) DataOf(name string, schema *value.Value) condition.Type {
	return expression.DataOf(name, schema)
}

// NewScope returns a scope with variables of the types.
func (compiler) NewScope(variables map[string]condition.Type) (condition.Scope, error) {
	s, err := expression.NewScope(typesOf(variables))
	if err != nil {
		return nil, err
	}
	return scope{s}, nil
}

// scope is an [expression.Scope] as a [condition.Scope].
type scope struct{ of *expression.Scope }

// Compile returns the program of an expression, or the problems of the expression.
func (s scope) Compile(text string) (condition.Program, []condition.Problem) {
	program, problems := s.of.Compile(text)
	if problems != nil {
		return nil, problems
	}
	return program, nil
}

func typeOf(t condition.Type) *expression.Type {
	of, _ := t.(*expression.Type) // nil is any type
	return of
}

func typesOf(all map[string]condition.Type) map[string]*expression.Type {
	types := make(map[string]*expression.Type, len(all))
	for name, t := range all {
		types[name] = typeOf(t)
	}
	return types
}
