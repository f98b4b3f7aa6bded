package expression

import (
	"math/bits"
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

// ordered are those that have one implementation for all overloads, which cannot be declared again.
var ordered = []string{"sort", "@sortByAssociatedKeys"}

// comparing are those of them that compare the items of a list with each other, by how often they do so for a list of a size.
var comparing = map[string]func(items int) int{
	"distinct":              func(items int) int { return items * items },
	"sort":                  ordering,
	"@sortByAssociatedKeys": ordering,
}

func ordering(items int) int { return items * bits.Len(uint(items)) }

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
			overloads = append(overloads, declare(o.ID(), o.ArgTypes(), o.ResultType(), cel.FunctionBinding(guard(name, o, bindings[at]))))
		}
		options = append(options, cel.Function(name, overloads...))
	}
	return options, nil
}

// guardOrdered checks each call of the functions that cannot be declared again, where programs are planned.
func guardOrdered(env *cel.Env) (cel.ProgramOption, error) {
	behind := make(map[string]functions.FunctionOp, len(ordered))
	for _, name := range ordered {
		bindings, err := env.Functions()[name].Bindings()
		if err != nil {
			return nil, err
		}
		behind[name] = guard(name, nil, bindings[0])
	}
	return cel.CustomDecoratorV2(func(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		call, is := i.(interpreter.InterpretableCall)
		if !is || behind[call.Function()] == nil {
			return i, nil
		}
		return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), behind[call.Function()]), nil
	}), nil
}

// guard is the implementation of a function behind the check.
func guard(name string, o *decls.OverloadDecl, of *functions.Overload) functions.FunctionOp {
	return func(args ...ref.Val) ref.Val {
		if compares := comparing[name]; compares != nil && compares(int(min(lengthOf(args[0]), maxCall))) > MaxCost {
			tooExpensive()
		}
		product := 1
		for _, arg := range args {
			if o == nil { // which takes no more than it compares
				break
			}
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
	}
}

// lengthOf is how many items a list has.
func lengthOf(v ref.Val) types.Int {
	if list, is := v.(traits.Lister); is {
		if n, is := list.Size().(types.Int); is {
			return n
		}
	}
	return 0
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
