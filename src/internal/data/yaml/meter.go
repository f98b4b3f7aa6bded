package yaml

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	// chargeStep is after how many values they are charged.
	chargeStep = 512
	// nodeCost is how many values a node of the library counts as while there are both.
	nodeCost = 2
)

// meter passes on what a text takes to value.Limits.Charge. It remembers the error, so that the ways of reading a text
// which are tried one after the other end with it, and what was charged, so that a way that gave up is not paid for.
type meter struct {
	limits  func(values int) error
	charged int
	err     *dovetail.Error
}

// start makes the limits charge through the meter.
func (m *meter) start(limits value.Limits) value.Limits {
	if limits.Charge == nil {
		return limits
	}
	m.limits = limits.Charge
	limits.Charge = func(values int) error {
		if !m.charge(values, dovetail.Position{}) {
			return m.err
		}
		return nil
	}
	return limits
}

// charge reports values, and reports whether there may be more.
func (m *meter) charge(values int, at dovetail.Position) bool {
	if m == nil || m.limits == nil {
		return true
	}
	if m.err == nil {
		m.charged += values
		if err := m.limits(values); err != nil {
			m.err = value.Charged(err, at)
		}
	}
	return m.err == nil
}

// giveUp refunds the values that were charged after the first since.
func (m *meter) giveUp(since int) {
	if m.limits != nil && m.err == nil && m.charged > since {
		m.charge(since-m.charged, dovetail.Position{})
	}
}
