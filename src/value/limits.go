package value

// The defaults of Limits.
const (
	DefaultBytes  = 16 << 20
	DefaultDepth  = 100
	DefaultValues = 2_000_000
)

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
