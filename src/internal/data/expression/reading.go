package expression

import (
	"slices"
	"strconv"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/dovetail-store/dovetail/src/internal/data/condition"
	"github.com/dovetail-store/dovetail/src/value"
)

// EachItem is the step of a path to every item of a list, or every value of an object.
const EachItem = condition.EachItem

// Reading is what an expression depends on.
type Reading = condition.Reading

// Reading returns what the expression looks at.
func (p *Program) Reading() Reading {
	r := &readings{scope: p.scope, ast: p.ast, ranges: make(map[string]span)}
	r.Compares = r.compares(p.ast.Expr())
	r.visit(p.ast.Expr())
	return r.Reading
}

// Alone returns those of the conditions that && joins at the top of the expression that do not read a variable, where another one
// reads it.
func (p *Program) Alone(variable string) (without []string) {
	reads := false
	var walk func(e ast.Expr)
	walk = func(e ast.Expr) {
		if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.LogicalAnd {
			for _, arg := range e.AsCall().Args() {
				walk(arg)
			}
			return
		}
		found := false
		ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
			found = found || e.Kind() == ast.IdentKind && e.AsIdent() == variable
		}))
		if reads = reads || found; !found {
			without = append(without, p.text(e))
		}
	}
	if walk(p.ast.Expr()); !reads {
		return nil
	}
	return without
}

// String is the expression as all expressions of the same syntax tree are written.
func (p *Program) String() string { return p.text(p.ast.Expr()) }

// text writes a part of the expression; "" where that is not possible.
func (p *Program) text(e ast.Expr) string {
	text, err := cel.ExprToString(e, p.ast.SourceInfo())
	if err != nil {
		return ""
	}
	return text
}

// span is what a variable of a macro goes over.
type span struct {
	path  []string // nil where it is not known
	names bool     // the variable is the name of a member
}

type readings struct {
	Reading
	scope  *Scope
	ast    *ast.AST
	ranges map[string]span
}

func (r *readings) add(path []string) {
	if !slices.ContainsFunc(r.Paths, func(p []string) bool { return slices.Equal(p, path) }) {
		r.Paths = append(r.Paths, path)
	}
}

// path returns the path of the value that an expression reads; nil where it does something else.
func (r *readings) path(e ast.Expr) []string {
	switch e.Kind() {
	case ast.IdentKind:
		if over, bound := r.ranges[e.AsIdent()]; bound {
			if over.names {
				return nil
			}
			return over.path
		}
		if r.scope.has(e.AsIdent()) {
			return []string{e.AsIdent()}
		}
	case ast.SelectKind:
		if on := r.path(e.AsSelect().Operand()); on != nil {
			return append(slices.Clip(on), e.AsSelect().FieldName())
		}
	case ast.CallKind:
		call := e.AsCall()
		if call.FunctionName() != operators.Index || len(call.Args()) != 2 {
			return nil
		}
		on, index := r.path(call.Args()[0]), call.Args()[1]
		if on == nil {
			return nil
		}
		if index.Kind() == ast.LiteralKind {
			if name, is := index.AsLiteral().(types.String); is {
				return append(slices.Clip(on), string(name))
			}
		}
		return append(slices.Clip(on), EachItem)
	}
	return nil
}

// visit collects paths and literals.
func (r *readings) visit(e ast.Expr) {
	if path := r.path(e); path != nil {
		r.add(path)
		for e.Kind() == ast.CallKind || e.Kind() == ast.SelectKind { // what an index reads
			if e.Kind() == ast.CallKind {
				r.visit(e.AsCall().Args()[1])
				e = e.AsCall().Args()[0]
			} else {
				e = e.AsSelect().Operand()
			}
		}
		return
	}
	switch e.Kind() {
	case ast.LiteralKind:
		if v := literal(e.AsLiteral()); v != nil && !slices.ContainsFunc(r.Literals, func(l *value.Value) bool { return value.Equal(l, v) }) {
			r.Literals = append(r.Literals, v)
		}
	case ast.SelectKind:
		r.visit(e.AsSelect().Operand())
	case ast.CallKind:
		if e.AsCall().IsMemberFunction() {
			r.visit(e.AsCall().Target())
		}
		for _, arg := range e.AsCall().Args() {
			r.visit(arg)
		}
	case ast.ListKind:
		for _, item := range e.AsList().Elements() {
			r.visit(item)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			r.visit(entry.AsMapEntry().Key())
			r.visit(entry.AsMapEntry().Value())
		}
	case ast.ComprehensionKind:
		r.comprehension(e.AsComprehension())
	}
}

// comprehension is what macros become.
func (r *readings) comprehension(c ast.ComprehensionExpr) {
	over := c.IterRange()
	r.visit(over)
	s := span{path: r.path(over)}
	if t := r.ast.GetType(over.ID()); t != nil && (t.Kind() == types.MapKind || t.Kind() == types.StructKind) {
		s.names = true
	} else if s.path != nil {
		s.path = append(slices.Clip(s.path), EachItem)
	}
	before, shadowed := r.ranges[c.IterVar()]
	r.ranges[c.IterVar()] = s
	for _, part := range []ast.Expr{c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
		r.visit(part)
	}
	if delete(r.ranges, c.IterVar()); shadowed {
		r.ranges[c.IterVar()] = before
	}
}

// literal is a literal as a value; nil for those that no document has.
func literal(v ref.Val) *value.Value {
	switch v := v.(type) {
	case types.String:
		return value.NewString(string(v))
	case types.Bool:
		return value.NewBool(bool(v))
	case types.Int:
		return value.NewNumber(int64(v))
	case types.Double:
		return &value.Value{Kind: value.Number, Text: strconv.FormatFloat(float64(v), 'f', -1, 64)}
	case types.Null:
		return &value.Value{Kind: value.Null}
	}
	return nil
}

// compares reports whether an expression is made of comparisons only.
func (r *readings) compares(e ast.Expr) bool {
	if path := r.path(e); path != nil {
		return !slices.Contains(path, EachItem) // which is true or false itself
	}
	if e.Kind() == ast.LiteralKind {
		return true
	}
	if e.Kind() != ast.CallKind {
		return false
	}
	args := e.AsCall().Args()
	switch e.AsCall().FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Conditional:
		return !slices.ContainsFunc(args, func(arg ast.Expr) bool { return !r.compares(arg) })
	case operators.Equals, operators.NotEquals:
		return r.operand(args[0]) && r.operand(args[1])
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		return r.operand(args[0]) && r.operand(args[1]) && r.number(args[0]) && r.number(args[1])
	case operators.In:
		return r.operand(args[0]) && args[1].Kind() == ast.ListKind && !slices.ContainsFunc(args[1].AsList().Elements(), func(item ast.Expr) bool { return item.Kind() != ast.LiteralKind })
	}
	return false
}

// operand reports whether an expression is a value of the data, or a literal.
func (r *readings) operand(e ast.Expr) bool {
	path := r.path(e)
	return e.Kind() == ast.LiteralKind || path != nil && !slices.Contains(path, EachItem)
}

func (r *readings) number(e ast.Expr) bool {
	t := r.ast.GetType(e.ID())
	return t != nil && (t.Kind() == types.IntKind || t.Kind() == types.DoubleKind)
}
