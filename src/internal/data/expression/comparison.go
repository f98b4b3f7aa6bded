package expression

import (
	"errors"
	"strconv"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// errCompared is the error of values that a comparison does not take.
var errCompared = errors.New("it compares something that cannot be compared like that")

// Comparison adds a function of two values that is negative, zero or positive as the first is lower than, equal to or higher than the
// second. Compare gets both as texts, numbers as they are written without an exponent.
func Comparison(name string, compare func(a, b string) (int, error)) Option {
	call := func(a, b ref.Val) ref.Val {
		left, isLeft := plainText(a)
		right, isRight := plainText(b)
		if !isLeft || !isRight {
			return types.WrapErr(errCompared)
		}
		order, err := compare(left, right)
		if err != nil {
			return types.WrapErr(errCompared)
		}
		return types.Int(order)
	}
	return Option{env: cel.Function(name, cel.Overload(name, []*cel.Type{cel.DynType, cel.DynType}, cel.IntType, cel.BinaryBinding(call)))}
}

// plainText is a text, or a number as one.
func plainText(v ref.Val) (text string, is bool) {
	switch v := v.(type) {
	case types.String:
		return string(v), true
	case types.Int:
		return strconv.FormatInt(int64(v), 10), true
	case types.Uint:
		return strconv.FormatUint(uint64(v), 10), true
	case types.Double:
		return strconv.FormatFloat(float64(v), 'f', -1, 64), true
	}
	return "", false
}
