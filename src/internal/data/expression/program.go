package expression

import (
	"context"
	"errors"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/interpreter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Program is a compiled expression. It is immutable, and safe for concurrent use.
type Program struct {
	scope   *Scope
	ast     *ast.AST
	program cel.Program
	reads   map[string][]string
}

func newProgram(s *Scope, of *cel.Ast, program cel.Program) *Program {
	p := &Program{scope: s, ast: of.NativeRep(), program: program, reads: make(map[string][]string)}
	ast.PreOrderVisit(of.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.IdentKind:
			if name := e.AsIdent(); s.has(name) && p.reads[name] == nil {
				p.reads[name] = []string{}
			}
		case ast.SelectKind:
			if on := e.AsSelect().Operand(); on.Kind() == ast.IdentKind && s.has(on.AsIdent()) {
				name, member := on.AsIdent(), e.AsSelect().FieldName()
				if !slices.Contains(p.reads[name], member) {
					p.reads[name] = append(p.reads[name], member)
				}
			}
		}
	}))
	return p
}

func (s *Scope) has(name string) bool {
	_, is := s.variables[name]
	return is
}

// Reads reports whether the expression reads a variable, and which members of it by their names.
func (p *Program) Reads(variable string) (members []string, reads bool) {
	members, reads = p.reads[variable]
	return members, reads
}

// Why an expression has no value.
var (
	ErrExpensive = errors.New("its evaluation takes more steps than a rule may: simplify it, or bound the lists that it goes over")
	ErrMissing   = errors.New("it reads a member that is not there: ask with has() first")
	errIndex     = errors.New("it reads an item that is not there: ask for the size() of the list first")
	errTypes     = errors.New("it combines values of types that do not go together")
	errDivision  = errors.New("it divides by zero")
	errRange     = errors.New("a number in it is too large")
	errPattern   = errors.New("it matches with a text that is not a regular expression in the syntax of RE2")
	errOther     = errors.New("its value is not true or false for these values")
)

// Holds evaluates the expression. Its error is one of those above, which shows none of the values, since they may be secret, or
// the end of the context. A variable without a value is not there.
func (p *Program) Holds(ctx context.Context, values map[string]*value.Value) (bool, error) {
	result, _, err := p.program.ContextEval(ctx, activation{p.scope, &evaluation{}, values})
	if err != nil {
		if ctx.Err() != nil {
			return false, dovetail.AsError(ctx.Err())
		}
		return false, classify(err)
	}
	holds, is := result.(types.Bool)
	if !is {
		return false, errOther
	}
	return bool(holds), nil
}

// classify says what an error of an evaluation means. The errors of CEL cannot be shown, as they hold values.
func classify(err error) error {
	var cancelled interpreter.EvalCancelledError
	switch text := err.Error(); {
	case errors.As(err, &cancelled):
		return ErrExpensive
	case errors.Is(err, errNotExact), strings.Contains(text, "overflow"), strings.Contains(text, "range"):
		return errRange
	case errors.Is(err, errPattern):
		return errPattern
	case errors.Is(err, errCompared):
		return errCompared
	case strings.HasPrefix(text, "no such key"), strings.HasPrefix(text, "no such attribute"):
		return ErrMissing
	case strings.HasPrefix(text, "index"):
		return errIndex
	case strings.HasPrefix(text, "no such overload"), strings.Contains(text, "unsupported"), strings.Contains(text, "conversion"):
		return errTypes
	case strings.HasPrefix(text, "division by zero"), strings.HasPrefix(text, "modulus by zero"):
		return errDivision
	}
	return errOther
}

// activation gives an evaluation its variables.
type activation struct {
	scope  *Scope
	e      *evaluation
	values map[string]*value.Value
}

// ResolveName returns the value of a variable.
func (a activation) ResolveName(name string) (any, bool) {
	v := a.values[name]
	if v == nil {
		return nil, false
	}
	return a.e.read(v, a.scope.variables[name]), true
}

// Parent is none.
func (activation) Parent() cel.Activation { return nil }
