package expression

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"

	"github.com/dovetail-store/dovetail/src/internal/data/condition"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
)

// Bounds of expressions.
const (
	MaxLength = condition.MaxLength
	maxNodes  = 2_000      // of the syntax tree, together with what macros make
	MaxCost   = 1_000_000  // of one evaluation
	maxDepth  = 50         // of nesting
	estimated = 10_000_000 // the cost that values of the largest usual sizes may give
)

// base are the functions that expressions have: those of CEL, and its extensions for texts, lists and sets.
var base = sync.OnceValues(func() (*functionsOf, error) {
	without := env.NewLibrarySubset().AddExcludedFunctions(env.NewFunction("matches"))
	plain, err := cel.NewCustomEnv(cel.StdLib(cel.StdLibSubset(without)), ext.Strings(), ext.Lists(), ext.Sets(), matches(),
		cel.CrossTypeNumericComparisons(true), cel.EnableMacroCallTracking(), cel.EnableIdentifierEscapeSyntax(),
		cel.ParserExpressionSizeLimit(MaxLength), cel.ParserRecursionLimit(maxDepth), cel.ExpressionNodeLimit(maxNodes))
	if err != nil {
		return nil, err
	}
	checks, err := guards(plain)
	if err != nil {
		return nil, err
	}
	ordering, err := guardOrdered(plain)
	if err != nil {
		return nil, err
	}
	full, err := plain.Extend(checks...)
	return &functionsOf{full, ordering}, err
})

// functionsOf are functions, with the check of calls that programs make.
type functionsOf struct {
	env   *cel.Env
	check cel.ProgramOption
}

// Scope is what expressions know: variables and their types. It is immutable, and safe for concurrent use.
type Scope struct {
	env       *cel.Env
	check     cel.ProgramOption
	variables map[string]*Type
	provider  *provider
}

// Option is something that not all scopes have.
type Option struct {
	env   cel.EnvOption
	mixed bool
}

// MixedLiterals lets the items of a list, and the values of an object, that an expression writes be of several types.
func MixedLiterals() Option { return Option{mixed: true} }

// literals checks what expressions write.
func literals(mixed bool) cel.EnvOption {
	if mixed {
		return cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateRegexLiterals())
	}
	return cel.ExtendedValidations()
}

// NewScope makes a scope of variables.
func NewScope(variables map[string]*Type, also ...Option) (*Scope, error) {
	from, err := base()
	if err != nil {
		return nil, err
	}
	s := &Scope{check: from.check, variables: variables, provider: &provider{Provider: from.env.CELTypeProvider(), structs: make(map[string]*Type)}}
	options := []cel.EnvOption{cel.CustomTypeProvider(s.provider)}
	for name, t := range variables {
		s.provider.add(t)
		options = append(options, cel.Variable(name, t.cel(0)))
	}
	mixed := false
	for _, o := range also {
		mixed = mixed || o.mixed
		if o.env != nil {
			options = append(options, o.env)
		}
	}
	options = append(options, literals(mixed))
	s.env, err = from.env.Extend(options...)
	return s, err
}

// Problem is a mistake in an expression.
type Problem = condition.Problem

// Compile checks an expression that is true or false, and prepares its evaluation.
func (s *Scope) Compile(text string) (*Program, []Problem) {
	ast, issues := s.env.Compile(text)
	if issues.Err() != nil {
		var all []Problem
		for _, e := range issues.Errors() {
			p := Problem{Message: oneLine(e.Message), Line: e.Location.Line(), Column: e.Location.Column() + 1}
			s.explain(&p)
			all = append(all, p)
		}
		return nil, all
	}
	if t := ast.OutputType(); !t.IsExactType(types.BoolType) && !t.IsExactType(types.DynType) {
		return nil, []Problem{{Message: "its value is " + s.typeName(t) + ", not true or false", Remedy: "compare the value with what it must be"}}
	}
	if cost, err := s.env.EstimateCost(ast, sizes{s}); err != nil || cost.Max > estimated {
		return nil, []Problem{{Message: "it may be too expensive: its estimated cost is above the limit",
			Remedy: "give the lists, objects and strings that it goes over maxItems, maxProperties and maxLength in the schema, or nest fewer loops"}}
	}
	program, err := s.env.Program(ast, cel.CostLimit(MaxCost), cel.CostTracking(sizes{s}), cel.InterruptCheckFrequency(100), cel.OptimizeRegex(constantPatterns), s.check)
	if err != nil {
		return nil, []Problem{{Message: "it cannot be evaluated: " + oneLine(err.Error())}}
	}
	return newProgram(s, ast, program), nil
}

// typeName names a type in an error.
func (s *Scope) typeName(t *types.Type) string {
	if t.Kind() == types.StructKind {
		return "an object"
	}
	return "of the type " + cel.FormatCELType(t)
}

var (
	undefined  = regexp.MustCompile(`^undefined field '([^']*)'`)
	undeclared = regexp.MustCompile(`^undeclared reference to '([^']*)'`)
)

// explain puts the most common problems in the words of the schema.
func (s *Scope) explain(p *Problem) {
	if found := undefined.FindStringSubmatch(p.Message); found != nil {
		p.Message = "no member is called " + found[1]
		if t, refused := s.provider.refused.Load(found[1]); refused {
			known := t.(*Type).names()
			p.Remedy = "the members are " + strings.Join(known, ", ")
			suggestName(p, found[1], known)
		}
	}
	if found := undeclared.FindStringSubmatch(p.Message); found != nil {
		p.Message = "unknown name " + found[1]
		var known []string
		for name := range s.variables {
			known = append(known, name)
		}
		slices.Sort(known)
		p.Remedy = "the variables are " + strings.Join(known, ", ")
		suggestName(p, found[1], known)
	}
}

func suggestName(p *Problem, name string, known []string) {
	if near := suggest.Nearest(name, known); near != "" {
		p.Remedy = "did you mean " + near + "?"
	}
}

// oneLine is a message without the picture of where it is.
func oneLine(message string) string {
	first, _, _ := strings.Cut(message, "\n")
	return strings.TrimSpace(first)
}
