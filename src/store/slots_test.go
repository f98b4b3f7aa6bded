package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

const cabling = `
resources:
  - name: site
    schema: {properties: {revison: {type: integer}}}
  - name: rack
    parent: site
  - name: device
    parent: rack
  - name: port
    parent: device
  - name: cable
    parent: site
    references:
      - {name: port, at: spec.a, required: true}
      - {name: port, at: spec.b, required: true}
  - name: group
    parent: site
    references:
      - {name: port, type: many}
`

var ports = []string{"create site/s", "create site/s/rack/r", "create site/s/rack/r/device/d", "create site/s/rack/r/device/d/port/p1",
	"create site/s/rack/r/device/d/port/p2"}

// complaints renders the errors of a write as lines "CODE PATH missing=... blocked=...: REMEDY".
func complaints(err error) []string {
	var lines []string
	if e := dovetail.AsError(err); e != nil {
		all := e.Errors
		if len(all) == 0 {
			all = []*dovetail.Error{e}
		}
		for i, line := range describe(err) {
			_, line, _ = strings.Cut(line, " ")
			if path := all[i].Position.Path; path != "" {
				line = string(all[i].Code) + " " + path + ": " + all[i].Remedy
			}
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// No reference is lost without a word, wherever the data goes wrong.
func TestCables(t *testing.T) {
	const (
		whole  = `write an object with the members "site", "rack", "device" and "port"`
		cabled = `create site/s/cable/c {"spec":{"a":{"rack":"r","device":"d","port":"p1"},"b":{"rack":"r","device":"d","port":"p2"}}}`
	)
	tests := []struct {
		name string
		when []string
		want []string // of the last one; none means success
	}{
		{"a cable", []string{cabled}, nil},
		{"a port that does not exist", []string{`create site/s/cable/c {"spec":{"a":{"rack":"r","device":"d","port":"p1"},"b":{"rack":"r","device":"gone","port":"p2"}}}`},
			[]string{"missing /spec/b: create what is missing first, or in the same batch"}},
		{"a cabled device is deleted with its ports", []string{cabled,
			"delete site/s/rack/r/device/d/port/p1 && delete site/s/rack/r/device/d/port/p2 && delete site/s/rack/r/device/d"},
			[]string{"in-use site/s/rack/r/device/d/port/p1 blocked=site/s/cable/c/1", "in-use site/s/rack/r/device/d/port/p2 blocked=site/s/cable/c/1"}},
		{"a cabled port is deleted", []string{cabled, "delete site/s/rack/r/device/d/port/p2"},
			[]string{"in-use site/s/rack/r/device/d/port/p2 blocked=site/s/cable/c/1"}},
		{"flat members", []string{`create site/s/cable/c {"spec":{"rack":"r","device":"d","port":"p1"}}`},
			[]string{"unprocessable /spec/a: " + whole, "unprocessable /spec/b: " + whole}},
		{"a misspelt member", []string{`create site/s/cable/c {"spec":{"a":{"rack":"r","divice":"d","port":"p1"},"b":{"rack":"r","device":"d","port":"p2"}}}`},
			[]string{"unprocessable /spec/a: " + whole, `unprocessable /spec/a/divice: did you mean "device"? If not, name it in the schema of cable`}},
		{"a misspelt member in an object of type many", []string{`create site/s/group/g {"spec":{"l":[{"rack":"r","divice":"d","port":"p1"}]}}`},
			[]string{`unprocessable /spec/l/0/divice: did you mean "device"? If not, name it in the schema of group`}},
		{"misspelt at the top", []string{`create site/s/rack/q {"sepc":{},"revison":3}`}, []string{
			`unprocessable /sepc: did you mean "spec"? If not, name it in the schema of rack`,
			`unprocessable /revison: did you mean "revision"? If not, name it in the schema of rack`}},
		{"named by the JSON Schema", []string{`create site/t {"revison":3}`}, nil},
		{"an end is taken away", []string{cabled, `patch site/s/cable/c {"spec":{"b":null}}`}, []string{"unprocessable /spec/b: " + whole}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, cabling)
			apply(t, s, ports...)
			last := len(test.when) - 1
			for _, line := range test.when[:last] {
				apply(t, s, line)
			}
			before := dump(t, s)
			_, err := s.Apply(context.Background(), ops(t, strings.Split(test.when[last], " && ")...), store.Options{})
			if got := complaints(err); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			if err != nil && !slices.Equal(dump(t, s), before) {
				t.Error("a refused write changed something")
			}
			requireClean(t, s)
		})
	}
}

// What was stored before a name counted as misspelt stays: it can be changed, and is no defect, but
// further misspelt members are refused.
func TestMisspeltMembersOfBefore(t *testing.T) {
	s := open(t, cabling)
	apply(t, s, `create site/s {"revison":3}`)
	setModel(t, s, compile(t, strings.Replace(cabling, "    schema: {properties: {revison: {type: integer}}}\n", "", 1)))
	requireClean(t, s)
	apply(t, s, `patch site/s {"spec":{"x":1}}`)
	apply(t, s, `put site/s {"revison":4}`)
	_, err := s.Apply(t.Context(), ops(t, `put site/s {"revison":4,"sepc":{}}`), store.Options{})
	if got := complaints(err); !slices.Equal(got, []string{`unprocessable /sepc: did you mean "spec"? If not, name it in the schema of site`}) {
		t.Errorf("got %q", got)
	}
	apply(t, s, `put site/s {}`)
	if _, err = s.Apply(t.Context(), ops(t, `put site/s {"revison":4}`), store.Options{}); dovetail.CodeOf(err) != dovetail.CodeUnprocessable {
		t.Errorf("a misspelt member comes back: %v", err)
	}
}

// A slot that becomes required, or moves, is refused while documents lack it.
func TestSlotsAreTightened(t *testing.T) {
	loose := strings.ReplaceAll(cabling, ", required: true", "")
	s := open(t, loose)
	apply(t, s, ports...)
	apply(t, s, `create site/s/cable/c {"spec":{"a":{"rack":"r","device":"d","port":"p1"}}}`)
	err := s.SetModel(t.Context(), compile(t, cabling))
	if e := dovetail.AsError(err); e == nil || e.Code != dovetail.CodeSchema || len(e.Errors) != 1 || e.Errors[0].Key != "site/s/cable/c" {
		t.Fatalf("got %v", err)
	}
	apply(t, s, `patch site/s/cable/c {"spec":{"b":{"rack":"r","device":"d","port":"p2"}}}`)
	setModel(t, s, compile(t, cabling))
	if err := s.SetModel(t.Context(), compile(t, strings.Replace(cabling, "at: spec.a", "at: spec.c", 1))); dovetail.CodeOf(err) != dovetail.CodeSchema {
		t.Errorf("a slot is moved away from its references: %v", err)
	}
	requireClean(t, s)
}
