package expression

import (
	"slices"

	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// Sizes that are assumed of values whose schema does not bound them.
const (
	usualItems = 1_000
	usualText  = 10_000
)

// sizes tells how large values may be, for the estimate of costs.
type sizes struct{ *Scope }

// EstimateSize is what the schema says of the size of a value, or the largest usual one.
func (s sizes) EstimateSize(node cost.AstNode) *cost.SizeEstimate {
	if node.ComputedSize() != nil {
		return nil
	}
	most := uint64(0)
	if t := s.at(node.Path()); t != nil {
		most = t.most
	}
	if most == 0 {
		switch node.Type().Kind() {
		case types.StringKind, types.BytesKind:
			most = usualText
		case types.ListKind, types.MapKind, types.StructKind, types.DynKind:
			most = usualItems
		default:
			return nil
		}
	}
	estimate := cost.RangedSizeEstimate(0, most)
	return &estimate
}

// EstimateCallCost leaves the cost of calls to CEL.
func (s sizes) EstimateCallCost(string, string, *cost.AstNode, []cost.AstNode) *cost.CallEstimate {
	return nil
}

// textFunctions take time in proportion to the size of a text, which CEL does not count.
var textFunctions = []string{"size", operators.Add, "string", "bytes", "int", "uint", "double", "timestamp", "duration", "reverse"}

// CallCost counts the size of texts: a step for each hundred bytes.
func (sizes) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	const bytesAStep = 100
	if !slices.Contains(textFunctions, function) {
		return nil
	}
	steps := uint64(0)
	for _, arg := range args {
		switch v := arg.(type) {
		case types.String:
			steps += uint64(len(v)) / bytesAStep
		case types.Bytes:
			steps += uint64(len(v)) / bytesAStep
		}
	}
	if steps == 0 {
		return nil
	}
	return &steps
}

// at returns the type at a path of an expression: a variable, and members, @items, @keys and @values below it.
func (s sizes) at(path []string) *Type {
	if len(path) == 0 {
		return nil
	}
	t := s.variables[path[0]]
	for _, step := range path[1:] {
		switch step {
		case "@items", "@values":
			t = t.each()
		case "@keys":
			return nil
		default:
			t = t.of(step)
		}
	}
	return t
}
