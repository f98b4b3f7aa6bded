package value

import "github.com/dovetail-store/dovetail/src/dovetail"

// The defaults of Limits.
const (
	DefaultBytes  = 16 << 20
	DefaultDepth  = 100
	DefaultValues = 2_000_000
)

// Cost is about how many bytes of memory a value takes that was parsed, its place in a list or a map included: 88 in a
// list, 112 in a map, and what its text has beyond the input.
const Cost = 128

// chargeStep is after how many values Limits.Charge is called.
const chargeStep = 512

// Charged is the error of Limits.Charge with the place where it was met, where that is what the user has to look at.
func Charged(err error, at dovetail.Position) *dovetail.Error {
	e := dovetail.AsError(err)
	if e.Code != dovetail.CodeTooLarge || e.Position != (dovetail.Position{}) {
		return e
	}
	placed := *e
	placed.Position = at
	return &placed
}

// Bounds on the text of one number. Validators and comparers expand numbers to big integers, so
// that a few bytes of input could otherwise cost them gigabytes.
const (
	MaxNumberLength = 1024 // bytes of the literal
	MaxExponent     = 1000 // absolute value of the decimal exponent
)

// WithDefaults returns the limits with every zero field replaced by its default.
func (l Limits) WithDefaults() Limits {
	if l.Bytes == 0 {
		l.Bytes = DefaultBytes
	}
	if l.Depth == 0 {
		l.Depth = DefaultDepth
	}
	if l.Values == 0 {
		l.Values = DefaultValues
	}
	return l
}
