package solver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// after is a stop that errs after some calls.
func after(calls int, err error) func() error {
	return func() error {
		if calls--; calls < 0 {
			return err
		}
		return nil
	}
}

func TestStops(t *testing.T) {
	gone := errors.New("gone")
	list := func(item string, n int) string { return "[" + strings.Repeat(item+",", n-1) + item + "]" }
	read := func(text string) *value.Value {
		v, err := value.ParseJSON([]byte(text), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	tests := []struct {
		name string
		do   func(stop func() error) error
	}{
		{"a source of many packages", func(stop func() error) error {
			p := solver.NewParser()
			p.Stop = stop
			p.Source(read(`{"name":"s","packages":` + list(`{}`, 2000) + `}`))
			return p.Stopped()
		}},
		{"a package of many versions", func(stop func() error) error {
			p := solver.NewParser()
			p.Stop = stop
			p.Package(read(`{"name":"p","versions":` + list(`{"version":"1.0.0"}`, 2000) + `}`))
			return p.Stopped()
		}},
		{"many sources", func(stop func() error) error {
			spec, err := solver.ParseSpec(read(`{"constraints":[]}`))
			if err != nil {
				t.Fatal(err)
			}
			_, err = solver.NewProblemUntil(stop, spec, twoThousand(read))
			return err
		}},
		{"many names of sources", func(stop func() error) error {
			spec, err := solver.ParseSpec(read(`{"constraints":[],"sources":` + list(`"none"`, 2000) + `}`))
			if err != nil {
				t.Fatal(err)
			}
			_, err = solver.NewProblemUntil(stop, spec, nil)
			return err
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.do(after(3, gone)); !errors.Is(err, gone) {
				t.Errorf("got %v", err)
			}
			if err := tt.do(after(100, gone)); errors.Is(err, gone) {
				t.Error("stop was called more than every few hundred items")
			}
		})
	}
}

func twoThousand(read func(string) *value.Value) []*solver.Source {
	p := solver.NewParser()
	var sources []*solver.Source
	for range 2000 {
		sources = append(sources, p.Source(read("{}")))
	}
	return sources
}
