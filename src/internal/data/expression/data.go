package expression

import (
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"

	"github.com/dovetail-store/dovetail/src/value"
)

// maxSteps is how many values one evaluation looks at. CEL counts the calls of an expression, this counts what a call, such as
// a comparison of two objects, does inside. All values of two documents can be compared once.
const maxSteps = 3_000_000

// indexed is from how many members on an object is searched by an index.
const indexed = 32

// evaluation is one run of a program: it reads values for it.
type evaluation struct {
	steps   int
	indexes map[*value.Value]map[string]*value.Value
}

// spend counts what is examined, and ends the evaluation when that is too much.
func (e *evaluation) spend(steps int) {
	if e.steps += steps; e.steps > maxSteps {
		tooExpensive()
	}
}

// tooExpensive ends an evaluation, as CEL does: the error cannot be caught by the expression.
func tooExpensive() {
	panic(interpreter.EvalCancelledError{Cause: interpreter.CostLimitExceeded, Message: "too expensive"})
}

// read makes what CEL reads of a value.
func (e *evaluation) read(v *value.Value, t *Type) ref.Val {
	switch v.Kind {
	case value.Null:
		return types.NullValue
	case value.Bool:
		return types.Bool(v.Text == "true")
	case value.Number:
		return number(v.Text, t)
	case value.String:
		return types.String(v.Text)
	case value.List:
		return &list{collection{e, v, t}}
	}
	return &object{collection{e, v, t}}
}

// errNotExact is the error of a number that would not stay exact.
var errNotExact = errors.New("not exact")

// number reads a number: an integer, also one that a schema calls so and is written as 2.0, exactly.
func number(text string, t *Type) ref.Val {
	if t != nil && t.kind == types.DoubleKind || strings.ContainsAny(text, ".eE") {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return types.WrapErr(errNotExact)
		}
		if t == nil || t.kind != types.IntKind {
			return types.Double(f)
		}
		const exact = 1 << 53
		if f != math.Trunc(f) || math.Abs(f) > exact {
			return types.WrapErr(errNotExact)
		}
		return types.Int(f)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return types.WrapErr(errNotExact)
	}
	return types.Int(n)
}

// collection is a list or an object of the data.
type collection struct {
	e  *evaluation
	v  *value.Value
	of *Type
}

// Value returns the value itself.
func (c collection) Value() any { return c.v }

// ConvertToNative is not needed: only booleans leave an expression.
func (c collection) ConvertToNative(reflect.Type) (any, error) { return nil, errors.ErrUnsupported }

// nothing is what metadata and spec are where they are not written.
var nothing = value.NewMap()

// object is an object of the data.
type object struct{ collection }

// Type is that of maps.
func (o *object) Type() ref.Type { return types.MapType }

// ConvertToType gives the type, or the object itself.
func (o *object) ConvertToType(to ref.Type) ref.Val {
	switch to {
	case types.MapType:
		return o
	case types.TypeType:
		return types.MapType
	}
	return types.NewErr("type conversion error")
}

// Size is the number of members.
func (o *object) Size() ref.Val { return types.Int(len(o.v.Members)) }

// Find returns a member.
func (o *object) Find(key ref.Val) (ref.Val, bool) {
	name, is := key.(types.String)
	if !is {
		return nil, false
	}
	if v := o.e.member(o.v, string(name)); v != nil {
		return o.e.read(v, o.of.of(string(name))), true
	}
	if o.of != nil && o.of.data && (name == "metadata" || name == "spec") {
		return o.e.read(nothing, o.of.of(string(name))), true
	}
	return nil, false
}

// member finds a member, in a large object by an index.
func (e *evaluation) member(of *value.Value, name string) *value.Value {
	if len(of.Members) < indexed {
		e.spend(1)
		return of.Get(name)
	}
	index, made := e.indexes[of]
	if !made {
		e.spend(len(of.Members))
		index = make(map[string]*value.Value, len(of.Members))
		for i := range of.Members {
			index[of.Members[i].Name] = of.Members[i].Value
		}
		if e.indexes == nil {
			e.indexes = make(map[*value.Value]map[string]*value.Value)
		}
		e.indexes[of] = index
	}
	return index[name]
}

// Get is Find that fails.
func (o *object) Get(key ref.Val) ref.Val {
	if v, found := o.Find(key); found {
		return v
	}
	return types.NewErr("no such key")
}

// Contains reports whether there is a member.
func (o *object) Contains(key ref.Val) ref.Val {
	_, found := o.Find(key)
	return types.Bool(found)
}

// Equal compares all members.
func (o *object) Equal(other ref.Val) ref.Val {
	m, is := other.(traits.Mapper)
	if !is || m.Size() != o.Size() {
		return types.False
	}
	for i := range o.v.Members {
		o.e.spend(1)
		name := o.v.Members[i].Name
		theirs, found := m.Find(types.String(name))
		if !found {
			return types.False
		}
		if equal := types.Equal(o.e.read(o.v.Members[i].Value, o.of.of(name)), theirs); equal != types.True {
			return equal
		}
	}
	return types.True
}

// Iterator goes over the names.
func (o *object) Iterator() traits.Iterator {
	return &iterator{collection: o.collection, size: len(o.v.Members), at: func(i int) ref.Val { return types.String(o.v.Members[i].Name) }}
}

// list is a list of the data.
type list struct{ collection }

// Type is that of lists.
func (l *list) Type() ref.Type { return types.ListType }

// ConvertToType gives the type, or the list itself.
func (l *list) ConvertToType(to ref.Type) ref.Val {
	switch to {
	case types.ListType:
		return l
	case types.TypeType:
		return types.ListType
	}
	return types.NewErr("type conversion error")
}

// Size is the number of items.
func (l *list) Size() ref.Val { return types.Int(len(l.v.Items)) }

func (l *list) item(i int) ref.Val { return l.e.read(l.v.Items[i], l.of.each()) }

// Get returns an item.
func (l *list) Get(index ref.Val) ref.Val {
	i, err := types.GetOrError(index)
	if err != nil || i < 0 || i >= len(l.v.Items) {
		return types.NewErr("index out of bounds")
	}
	l.e.spend(1)
	return l.item(i)
}

// Contains compares the items with a value.
func (l *list) Contains(wanted ref.Val) ref.Val {
	for i := range l.v.Items {
		l.e.spend(1)
		if types.Equal(l.item(i), wanted) == types.True {
			return types.True
		}
	}
	return types.False
}

// Equal compares all items.
func (l *list) Equal(other ref.Val) ref.Val {
	o, is := other.(traits.Lister)
	if !is || o.Size() != l.Size() {
		return types.False
	}
	for i := range l.v.Items {
		l.e.spend(1)
		if equal := types.Equal(l.item(i), o.Get(types.Int(i))); equal != types.True {
			return equal
		}
	}
	return types.True
}

// Add makes a list of the items of both.
func (l *list) Add(other ref.Val) ref.Val {
	o, is := other.(traits.Lister)
	if !is {
		return types.MaybeNoSuchOverloadErr(other)
	}
	l.e.spend(len(l.v.Items))
	items := make([]ref.Val, 0, len(l.v.Items))
	for i := range l.v.Items {
		items = append(items, l.item(i))
	}
	return types.NewRefValList(types.DefaultTypeAdapter, items).Add(o)
}

// Iterator goes over the items.
func (l *list) Iterator() traits.Iterator {
	return &iterator{collection: l.collection, size: len(l.v.Items), at: l.item}
}

// iterator goes over what a collection holds.
type iterator struct {
	collection
	next, size int
	at         func(int) ref.Val
}

// Type is that of iterators.
func (i *iterator) Type() ref.Type { return types.IteratorType }

// ConvertToType has no meaning for an iterator.
func (i *iterator) ConvertToType(ref.Type) ref.Val { return types.NewErr("type conversion error") }

// Equal has no meaning for an iterator.
func (i *iterator) Equal(ref.Val) ref.Val { return types.False }

// HasNext reports whether there is more.
func (i *iterator) HasNext() ref.Val { return types.Bool(i.next < i.size) }

// Next returns the next one.
func (i *iterator) Next() ref.Val {
	i.e.spend(1)
	i.next++
	return i.at(i.next - 1)
}
