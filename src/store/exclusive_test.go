package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/store"
)

// exclusiveSchema is a data centre: a port takes one cable, a host is the main or the spare one of one service.
const exclusiveSchema = `
resources:
  - name: site
  - name: port
    parent: site
  - name: host
  - name: vm
  - name: cable
    parent: site
    references:
      - {name: port, at: spec.a, exclusive: true}
      - {name: port, at: spec.b, exclusive: true}
      - {name: port, at: "spec.seen[*]"}
  - name: duty
    references:
      - {oneOf: [host, vm], field: on, exclusive: true}
`

func TestExclusive(t *testing.T) {
	tests := []struct {
		name  string
		given []string
		when  []string
		want  []string // none means success
	}{
		{name: "free ports", when: []string{`put site/s/cable/x {"spec":{"a":"1","b":"2"}}`}},
		{name: "a port that is taken", given: []string{`put site/s/cable/x {"spec":{"a":"1","b":"2"}}`}, when: []string{`put site/s/cable/y {"spec":{"a":"1","b":"3"}}`},
			want: []string{"1 TAKEN site/s/cable/y /spec/a by site/s/cable/x"}},
		{name: "a port that is taken at the other end", given: []string{`put site/s/cable/x {"spec":{"a":"1","b":"2"}}`}, when: []string{`put site/s/cable/y {"spec":{"a":"3","b":"1"}}`},
			want: []string{"1 TAKEN site/s/cable/y /spec/b by site/s/cable/x"}},
		{name: "both ends are taken", given: []string{`put site/s/cable/x {"spec":{"a":"1","b":"2"}}`}, when: []string{`put site/s/cable/y {"spec":{"a":"2","b":"1"}}`},
			want: []string{"1 TAKEN site/s/cable/y /spec/a by site/s/cable/x", "1 TAKEN site/s/cable/y /spec/b by site/s/cable/x"}},
		{name: "a rule that is not exclusive", given: []string{`put site/s/cable/x {"spec":{"a":"1"}}`}, when: []string{`put site/s/cable/y {"spec":{"seen":["1"]}}`}},
		{name: "ends exchanged", given: []string{`put site/s/cable/x {"spec":{"a":"1","b":"2"}}`}, when: []string{`put site/s/cable/x {"spec":{"a":"2","b":"1"}}`}},
		{name: "two cables exchanged", given: []string{`put site/s/cable/x {"spec":{"a":"1"}}`, `put site/s/cable/y {"spec":{"a":"2"}}`},
			when: []string{`put site/s/cable/x {"spec":{"a":"2"}}`, `put site/s/cable/y {"spec":{"a":"1"}}`}},
		{name: "a cable with its port", given: []string{`put site/s/cable/x {"spec":{"a":"1"}}`}, when: []string{"delete site/s/cable/x", "delete site/s/port/1"}},
		{name: "unplugged", given: []string{`put site/s/cable/x {"spec":{"a":"1"}}`, `put site/s/cable/x {"spec":{}}`}, when: []string{`put site/s/cable/y {"spec":{"a":"1"}}`}},
		{name: "two in one transaction", when: []string{`put site/s/cable/x {"spec":{"a":"1"}}`, `put site/s/cable/y {"spec":{"b":"1"}}`},
			want: []string{"2 TAKEN site/s/cable/y /spec/b by site/s/cable/x"}},
		{name: "a target that is chosen", given: []string{`put duty/x {"spec":{"on":"h"}}`}, when: []string{`put duty/y {"spec":{"on":"h"}}`},
			want: []string{"1 TAKEN duty/y  by duty/x"}},
		{name: "another choice", given: []string{`put duty/x {"spec":{"on":"h"}}`}, when: []string{`put duty/y {"spec":{"on":"v"}}`}},
		{name: "a choice that changes with the targets", given: []string{`put duty/x {"spec":{"on":"h"}}`},
			when: []string{`put duty/x {"spec":{"on":"h"}}`, "delete host/h", "put vm/h"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, exclusiveSchema)
			apply(t, s, "create site/s", "create site/s/port/1", "create site/s/port/2", "create site/s/port/3", "create host/h", "create vm/v")
			for _, line := range test.given {
				apply(t, s, line)
			}
			_, err := s.Apply(t.Context(), ops(t, test.when...), store.Options{})
			if got := conflicts(err); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			requireClean(t, s)
		})
	}
}
