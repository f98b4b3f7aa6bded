package expression_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/expression"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestComparison adds a function that compares texts, but not empty ones.
func TestComparison(t *testing.T) {
	scope, err := expression.NewScope(map[string]*expression.Type{"v": nil}, expression.Comparison("compare", func(a, b string) (int, error) {
		if a == "" {
			return 0, errors.New("empty")
		}
		return strings.Compare(a, b), nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, rule, v string
		want, wrong   bool
	}{
		{name: "texts", rule: "compare(v, 'b') < 0", v: `"a"`, want: true},
		{name: "a fraction", rule: "compare(v, 4.8) == 0", v: `4.8`, want: true},
		{name: "a number and a text", rule: "compare(v, '5') == 0", v: `5`, want: true},
		{name: "a list", rule: "compare(v, '1') == 0", v: `[1]`, wrong: true},
		{name: "an error", rule: "compare(v, '1') == 0", v: `""`, wrong: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			program, problems := scope.Compile(c.rule)
			if problems != nil {
				t.Fatal(problems)
			}
			got, err := program.Holds(context.Background(), map[string]*value.Value{"v": parse(t, c.v)})
			if got != c.want || (err != nil) != c.wrong {
				t.Errorf("got %t, %v", got, err)
			}
		})
	}
}
