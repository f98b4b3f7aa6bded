// Package condition describes compilers of conditions, the expressions in rules of ref-schemas, so that package schema uses a
// compiler without importing it: compilers are large, and most programs and tests have no rules. A program that needs a compiler
// imports package schema/cel, which registers one.
package condition

import (
	"context"
	"sync/atomic"

	"github.com/dovetail-store/dovetail/src/value"
)

// MaxLength is the maximum length of an expression, in characters.
const MaxLength = 4_096

// EachItem is the step of a path to every item of a list, or every value of an object.
const EachItem = "@items"

// Compiler compiles conditions on variables that have types. It is safe for concurrent use.
type Compiler interface {
	// Text returns the type of strings.
	Text() Type
	// ListOf returns the type of lists whose items have a type.
	ListOf(items Type) Type
	// ObjectOf returns the type of objects that have only the members. Errors contain the name.
	ObjectOf(name string, members map[string]Type) Type
	// DataOf returns the type of the data of documents that have a JSON Schema; nil if there is none. The name is unique.
	DataOf(name string, schema *value.Value) Type
	// NewScope returns a scope with variables of the types.
	NewScope(variables map[string]Type) (Scope, error)
}

// Type is a type of values, made by the [Compiler] that it is passed to.
type Type any

// Scope compiles expressions that read its variables.
type Scope interface {
	// Compile returns the program of an expression, or the problems of the expression.
	Compile(text string) (Program, []Problem)
}

// Program is a compiled expression. It is immutable, and safe for concurrent use.
type Program interface {
	// Holds evaluates the expression. Its error contains none of the values, or is the end of the context.
	Holds(ctx context.Context, values map[string]*value.Value) (bool, error)
	// Reads reports whether the expression reads a variable, and returns the names of the members that it reads.
	Reads(variable string) (members []string, reads bool)
	// Reading returns what the expression depends on.
	Reading() Reading
	// Alone returns the operands of && at the top of the expression that do not read a variable; nil if no operand reads it.
	Alone(variable string) []string
	// String returns the expression in its canonical form.
	String() string
}

// Problem is a mistake in an expression.
type Problem struct {
	Message string
	Remedy  string
	Line    int // in the expression, from 1; 0 for the whole expression
	Column  int // in characters, from 1
}

// Reading is what an expression depends on.
type Reading struct {
	// Paths are the values that it reads, in the order in which they first occur: a variable, the members below it, and EachItem.
	Paths [][]string
	// Literals are the texts, numbers and booleans in it.
	Literals []*value.Value
	// Compares means that the expression only compares the values at its paths with each other and with its literals, and tests
	// whether they exist: all values that compare alike give the same result.
	Compares bool
}

var registered atomic.Pointer[Compiler]

// Register makes a compiler available to package schema. It replaces the compiler that was registered before.
func Register(c Compiler) { registered.Store(&c) }

// Registered returns the compiler of this program; nil if there is none.
func Registered() Compiler {
	if c := registered.Load(); c != nil {
		return *c
	}
	return nil
}
