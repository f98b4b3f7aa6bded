package expression

import (
	"regexp"
	"regexp/syntax"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/decls"
	"cel.dev/cel-go/common/functions"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// maxCall is the product of the sizes of its arguments up to which a function is called. CEL counts the cost of a call after it,
// so that one call could take any time or memory.
const maxCall = 10_000_000

// guarded are the functions whose work is more than the sum of the sizes of their arguments.
var guarded = []string{
	"replace", "join", "split", "format", "indexOf", "lastIndexOf",
	"lists.range", "distinct", "flatten", "hasOnly", "hasAny", "hasAll", "hasExactly",
	"sets.contains", "sets.equivalent", "sets.intersects",
}

// guards declares the guarded functions again, with a check before each call.
func guards(env *cel.Env) ([]cel.EnvOption, error) {
	var options []cel.EnvOption
	for _, name := range guarded {
		function := env.Functions()[name]
		bindings, err := function.Bindings()
		if err != nil {
			return nil, err
		}
		var overloads []cel.FunctionOpt
		for _, o := range function.OverloadDecls() {
			at := slices.IndexFunc(bindings, func(b *functions.Overload) bool { return b.Operator == o.ID() })
			if at < 0 {
				continue
			}
			declare := cel.Overload
			if o.IsMemberFunction() {
				declare = cel.MemberOverload
			}
			overloads = append(overloads, declare(o.ID(), o.ArgTypes(), o.ResultType(), guard(o, bindings[at])))
		}
		options = append(options, cel.Function(name, overloads...))
	}
	return options, nil
}

// guard is the implementation of a function behind the check.
func guard(o *decls.OverloadDecl, of *functions.Overload) cel.OverloadOpt {
	return cel.FunctionBinding(func(args ...ref.Val) ref.Val {
		product := 1
		for _, arg := range args {
			if product *= max(1, sizeOf(arg, o.ID() == "lists_range")); product > maxCall {
				tooExpensive()
			}
		}
		switch {
		case len(args) == 1 && of.Unary != nil:
			return of.Unary(args[0])
		case len(args) == 2 && of.Binary != nil:
			return of.Binary(args[0], args[1])
		}
		return of.Function(args...)
	})
}

// sizeOf is what an argument makes the work larger by: of a list with texts the sum of their sizes.
func sizeOf(v ref.Val, counts bool) int {
	switch v := v.(type) {
	case types.String:
		return min(len(v), maxCall+1)
	case types.Int:
		if counts {
			return int(min(max(0, v), maxCall+1))
		}
	case traits.Lister:
		size := 0
		for it := v.Iterator(); it.HasNext() == types.True && size <= maxCall; {
			size += 1 + sizeOf(it.Next(), false)
		}
		return size
	case traits.Sizer:
		if n, is := v.Size().(types.Int); is {
			return int(min(n, maxCall+1))
		}
	}
	return 1
}

// matches is the function of CEL with a check: a regular expression in RE2 takes time in proportion to the size of its program
// and of the text.
func matches() cel.EnvOption {
	match := func(text, pattern ref.Val) ref.Val {
		p, is := pattern.(types.String)
		if !is {
			return types.MaybeNoSuchOverloadErr(pattern)
		}
		re, err := compile(string(p))
		if err != nil {
			return types.WrapErr(err)
		}
		return re.match(text)
	}
	args := []*types.Type{types.StringType, types.StringType}
	return cel.Function("matches",
		cel.Overload("matches", args, types.BoolType), cel.MemberOverload("matches_string", args, types.BoolType),
		cel.SingletonBinaryBinding(match))
}

// pattern is a regular expression and the size of its program.
type pattern struct {
	*regexp.Regexp
	size int
}

func compile(text string) (*pattern, error) {
	const longest = 10_000
	if len(text) > longest {
		tooExpensive()
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, errPattern
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, errPattern
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, errPattern
	}
	return &pattern{re, len(program.Inst)}, nil
}

func (p *pattern) match(text ref.Val) ref.Val {
	t, is := text.(types.String)
	if !is {
		return types.MaybeNoSuchOverloadErr(text)
	}
	if len(t) > 10*maxCall/p.size {
		tooExpensive()
	}
	return types.Bool(p.MatchString(string(t)))
}

// constantPatterns compiles the regular expressions that an expression names once.
var constantPatterns = &interpreter.RegexOptimization{Function: "matches", RegexIndex: 1,
	Factory: func(call interpreter.InterpretableCall, text string) (interpreter.InterpretableCall, error) {
		re, err := compile(text)
		if err != nil {
			return nil, err
		}
		return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(args ...ref.Val) ref.Val {
			return re.match(args[0])
		}), nil
	}}
