package value_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

func TestCharge(t *testing.T) {
	tests := []struct {
		name string
		text string
		want int
	}{
		{name: "a scalar", text: `1`, want: 1},
		{name: "few", text: `{"a":[1,2]}`, want: 4},
		{name: "a step", text: "[" + strings.Repeat("0,", 510) + "0]", want: 512},
		{name: "many", text: "[" + strings.Repeat("{},", 99_999) + "{}]", want: 100_001},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			charged := 0
			_, err := value.ParseJSON([]byte(test.text), value.Limits{Charge: func(n int) error { charged += n; return nil }})
			if err != nil || charged != test.want {
				t.Errorf("%d values were charged, want %d: %v", charged, test.want, err)
			}
		})
	}
}

// Parsing ends soon after the charge was refused, with the place where it ended.
func TestChargeRefused(t *testing.T) {
	tests := []struct {
		name  string
		err   error
		code  dovetail.Code
		place bool
	}{
		{name: "too large", err: &dovetail.Error{Code: dovetail.CodeTooLarge, Message: "too much"}, code: dovetail.CodeTooLarge, place: true},
		{name: "the request has ended", err: context.Canceled, code: dovetail.CodeCanceled},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			charged := 0
			_, err := value.ParseJSON([]byte("["+strings.Repeat("{},", 999_999)+"{}]"), value.Limits{Charge: func(n int) error {
				if charged += n; charged > 2000 {
					return test.err
				}
				return nil
			}})
			if dovetail.CodeOf(err) != test.code || !errors.Is(err, test.err) && test.name != "too large" {
				t.Fatalf("%v", err)
			}
			if charged > 3000 {
				t.Errorf("%d values were read", charged)
			}
			if at := dovetail.AsError(err).Position; (at.Line == 1) != test.place {
				t.Errorf("at %v", at)
			}
		})
	}
}
