package sd

import "github.com/dovetail-store/dovetail/src/dovetail"

// Fold merges several SDs from first to last: the first is the full one, each other a delta. A single
// one is only checked. What is wrong in the SDs by themselves is reported together; what does not fit
// between them, up to the first that does not fit those before it.
func Fold(mode Mode, sds ...*Descriptor) (*Merged, error) { return FoldUntil(nil, mode, sds...) }

// FoldUntil is Fold that calls stop before each SD, since each merge takes as long as all that was merged, and ends with its
// error. A nil stop is none.
func FoldUntil(stop func() error, mode Mode, sds ...*Descriptor) (*Merged, error) {
	return fold(stop, mode, "the full SD", sds)
}

// fold is FoldUntil that calls what the SDs before one make by a name in warnings.
func fold(stop func() error, mode Mode, name string, sds []*Descriptor) (*Merged, error) {
	if len(sds) == 0 {
		return nil, newFault(ReasonParamMissing, dovetail.Position{}, "give at least one", "there is no solution descriptor")
	}
	if len(sds) != 2 { // of two, Merge reports everything
		if err := checkAll(stop, mode, sds); err != nil {
			return nil, err
		}
	}
	all := &Merged{Descriptor: sds[0]}
	for _, delta := range sds[1:] {
		if err := check(stop); err != nil {
			return nil, err
		}
		m, err := merge(mode, all.Descriptor, delta, name)
		if err != nil {
			return nil, err
		}
		all.Descriptor = m.Descriptor
		all.Warnings = append(all.Warnings, m.Warnings...)
	}
	return all, nil
}

// checkAll checks SDs by themselves, the first as full one and the others as deltas.
func checkAll(stop func() error, mode Mode, sds []*Descriptor) error {
	var f faults
	f.Join(sds[0].Check(mode))
	for _, delta := range sds[1:] {
		if err := check(stop); err != nil {
			return err
		}
		delta.check(&f, mode, modelNone)
		switch {
		case mode.isBasic():
			delta.checkSlots(&f)
		case mode == ExtendedMerge:
			readGraph(&f, delta) // whether it is complete depends on what is new
		}
	}
	return f.err()
}

func check(stop func() error) error {
	if stop == nil {
		return nil
	}
	return stop()
}
