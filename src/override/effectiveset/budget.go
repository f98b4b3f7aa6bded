package effectiveset

import "github.com/dovetail-store/dovetail/src/dovetail"

// The bounds of what macros make in one calculation. A few lines can refer to each other so that each is ten times the one before; real sets stay far below: one of 50 applications makes about a megabyte.
const (
	maxMadeText     = 256 << 20 // bytes
	maxMadeValues   = 4_000_000
	maxMadeFailures = 100_000 // macros that cannot be resolved, counted again where others refer to them
)

// budget counts what macros make. Once it is spent, nothing is resolved any more.
type budget struct {
	text, values, failures int
	spent                  *dovetail.Error
}

// take counts what a macro makes, before it is made; the error says that it is too much.
func (b *budget) take(text, values int, at dovetail.Position) error {
	b.text, b.values = b.text+text, b.values+values
	switch {
	case b.spent != nil:
	case b.text > maxMadeText:
		b.spend(at, "the macros of the environment make more than %d MiB of text", maxMadeText>>20)
	case b.values > maxMadeValues:
		b.spend(at, "the macros of the environment make more than %d values", maxMadeValues)
	}
	return b.over()
}

// fail counts a macro that cannot be resolved.
func (b *budget) fail(at dovetail.Position) {
	if b.failures++; b.failures > maxMadeFailures && b.spent == nil {
		b.spend(at, "more than %d macros of the environment cannot be resolved", maxMadeFailures)
	}
}

func (b *budget) spend(at dovetail.Position, format string, n int) {
	b.spent = invalid(at, format, n)
	b.spent.Remedy = "look for parameters that refer to each other many times"
}

// over is the error of a budget that is spent, nil before.
func (b *budget) over() error {
	if b.spent == nil {
		return nil
	}
	return b.spent
}
