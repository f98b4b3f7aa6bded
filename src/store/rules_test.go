package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	_ "github.com/dovetail-store/dovetail/src/schema/cel" // compiles rules
	"github.com/dovetail-store/dovetail/src/store"
)

const ruledSchema = `
resources:
  - name: site
    schema: {properties: {spec: {type: object, properties: {open: {type: boolean}}}}}
  - name: device
    parent: site
    schema: {properties: {spec: {type: object, properties: {speed: {type: integer}}}}}
  - name: port
    parent: site
    schema: {properties: {spec: {type: object, properties: {min: {type: integer}, max: {type: integer}, secret: {type: string}}}}}
    sensitive: [/spec/secret]
    references:
      - {name: device, at: spec.device}
      - {name: device, at: "spec.uplinks[*]", enforce: warn}
      - {oneOf: [device, port], at: spec.peer}
    rules:
      - {expr: "!has(self.spec.min) || self.spec.min <= self.spec.max", message: min is above max}
      - {expr: "!has(self.spec.max) || self.spec.max >= oldSelf.spec.max", message: max cannot go down}
      - {expr: "!has(refs.device) || refs.device.spec.speed > 1", message: the device is slow}
      - {expr: "refs.uplinks.all(d, d.spec.speed > 1)", message: an uplink is slow}
      - {expr: "!has(refs.peer) || has(refs.peer.spec.speed)", message: the peer is empty}
      - {expr: parent.spec.open, message: the site is closed}
      - {expr: "!has(self.spec.secret) || int(self.spec.secret) > 0", message: no number}
      - key.port != 'root'
`

// ruled opens a store with an open site and two devices.
func ruled(t *testing.T) *store.Store {
	s := open(t, ruledSchema)
	apply(t, s, `create site/s {"spec":{"open":true}}`, `create site/s/device/fast {"spec":{"speed":10}}`, `create site/s/device/slow {"spec":{"speed":1}}`,
		`create site/s/port/p {"spec":{"min":1,"max":2}}`, `create site/s/port/f {"spec":{"device":"fast"}}`)
	return s
}

func TestRules(t *testing.T) {
	const breaks = "unprocessable RULE  breaks a rule of port: "
	for _, test := range []struct {
		name string
		when []string
		want []string // none means success
	}{
		{name: "fulfilled", when: []string{`put site/s/port/p {"spec":{"min":2,"max":2,"device":"fast","uplinks":["fast","none"]}}`}},
		{name: "several at once", when: []string{`put site/s/port/p {"spec":{"min":2,"max":1,"device":"slow"}}`, `create site/s/port/root`},
			want: []string{breaks + "min is above max", breaks + "max cannot go down", breaks + "the device is slow", `unprocessable RULE  breaks the rule "key.port != 'root'" of port`}},
		{name: "of a patch", when: []string{`patch site/s/port/p {"spec":{"min":7}}`}, want: []string{breaks + "min is above max"}},
		{name: "what does not change", when: []string{`put site/s/port/p {"spec":{"min":1,"max":2}}`}},
		{name: "one of a list", when: []string{`put site/s/port/p {"spec":{"max":2,"uplinks":["fast","slow"]}}`}, want: []string{breaks + "an uplink is slow"}},
		{name: "one of several kinds", when: []string{`put site/s/device/fast {"metadata":{}}`, `put site/s/port/p {"spec":{"max":2,"peer":"fast"}}`}, want: []string{breaks + "the peer is empty"}},
		{name: "the parent as the transaction leaves it", when: []string{`put site/s {"spec":{"open":false}}`, `patch site/s/port/p {"spec":{"min":0}}`}, want: []string{breaks + "the site is closed"}},
		{name: "the target as the transaction leaves it", when: []string{`put site/s/device/slow {"spec":{"speed":5}}`, `create site/s/port/q {"spec":{"device":"slow"}}`}},
		{name: "a parent and a child of one transaction", when: []string{`create site/t {"spec":{"open":true}}`, `create site/t/port/p`}},
		{name: "an update of the parent alone", when: []string{`put site/s {"spec":{"open":false}}`}},
		{name: "a missing target says so itself", when: []string{`put site/s/port/p {"spec":{"max":2,"device":"none"}}`}, want: []string{"missing  /spec/device site/s/port/p cannot be stored: it refers to site/s/device/none at /spec/device, which does not exist"}},
		{name: "invalid data say so themselves", when: []string{`put site/s/port/p {"spec":{"min":"x","max":1}}`}, want: []string{"unprocessable  /spec/min must be an integer, not a string"}},
		{name: "it cannot be evaluated", when: []string{`put site/s/port/p {"spec":{"min":1}}`},
			want: []string{`unprocessable RULE  the rule "!has(self.spec.min) || self.spec.min <= self.spec.max" of port cannot be evaluated: it reads a member that is not there: ask with has() first`}},
		{name: "no secrets in errors", when: []string{`put site/s/port/p {"spec":{"max":2,"secret":"hunter2"}}`},
			want: []string{`unprocessable RULE  the rule "!has(self.spec.secret) || int(self.spec.secret) > 0" of port cannot be evaluated: it combines values of types that do not go together`}},
		{name: "status", when: []string{`status site/s/port/p {"x":1}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := ruled(t)
			for _, dryRun := range []bool{true, false} {
				_, err := s.Apply(t.Context(), ops(t, test.when...), store.Options{DryRun: dryRun})
				if got := immutables(err); !slices.Equal(got, test.want) {
					t.Errorf("dry run %t: %q", dryRun, got)
				}
			}
		})
	}
}

func TestRulesOfStoredDocuments(t *testing.T) {
	s := ruled(t)
	apply(t, s, `put site/s {"spec":{"open":false}}`)
	var found []string
	for f, err := range s.Check(t.Context(), false) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, fmt.Sprint(f.Problem, " ", f.Message, ", allowed: ", f.Allowed))
	}
	want := []string{"broken-rule site/s/port/f: breaks a rule of port: the site is closed, allowed: true", "broken-rule site/s/port/p: breaks a rule of port: the site is closed, allowed: true"}
	if !slices.Equal(found, want) {
		t.Errorf("%q", found)
	}

	// A new rule counts for all, also one that compares with others; one that was there counts on.
	err := s.SetModel(t.Context(), compile(t, strings.Replace(ruledSchema, "    rules:\n", "    rules:\n      - \"has(refs.device) && refs.device.spec.speed > 10\"\n", 1)))
	if dovetail.CodeOf(err) != dovetail.CodeSchema {
		t.Fatal(err)
	}
	e := dovetail.AsError(err)
	var parts []string
	for _, part := range e.Errors {
		parts = append(parts, string(part.Key)+" "+part.Message)
	}
	if len(parts) != 2 || !strings.Contains(e.Message, "2 stored documents") || !strings.Contains(parts[0], `site/s/port/f: breaks the rule "has(refs.device)`) {
		t.Errorf("%s %q", e.Message, parts)
	}
	if err := s.SetModel(t.Context(), compile(t, strings.Replace(ruledSchema, "    rules:\n", "    rules:\n      - \"!has(self.spec.min) || self.spec.min < 7\"\n      - self == oldSelf\n", 1))); err != nil {
		t.Error(err)
	}
	if _, err := s.Apply(t.Context(), ops(t, `patch site/s/port/p {"spec":{"min":8,"max":9}}`), store.Options{}); len(immutables(err)) != 3 {
		t.Error(err)
	}
}

func TestRulesHoldForRenames(t *testing.T) {
	s := ruled(t)
	if _, err := s.Rename(t.Context(), "site/s/port/p", "site/s/port/root", store.Options{}); !strings.Contains(fmt.Sprint(err), "key.port") {
		t.Error(err)
	}
}

// What was written while a limit was higher does not come back under a lower one.
func TestRulesHoldForReverts(t *testing.T) {
	s := open(t, `
resources:
  - name: limit
  - name: range
    references: [{name: limit, at: spec.limit}]
    rules: [{expr: "!has(refs.limit) || self.spec.max <= refs.limit.spec.most", message: above the limit}]
`)
	apply(t, s, `create limit/l {"spec":{"most":10}}`, `create range/r {"spec":{"max":9,"limit":"l"}}`)
	apply(t, s, `put range/r {"spec":{"max":1,"limit":"l"}}`)
	position := head(t, s)
	apply(t, s, `put limit/l {"spec":{"most":5}}`)
	_, err := s.Revert(t.Context(), position, store.Options{})
	if !strings.Contains(fmt.Sprint(err), "above the limit") {
		t.Error(err)
	}
}

// In a change set rules read what it staged.
func TestRulesHoldInChangeSets(t *testing.T) {
	s := ruled(t)
	view := overlayOf(t, s, staging{})
	for _, step := range []struct{ line, want string }{
		{`create site/s/port/q {"spec":{"device":"slow"}}`, "the device is slow"},
		{`put site/s/device/slow {"spec":{"speed":5}}`, ""},
		{`create site/s/port/q {"spec":{"device":"slow"}}`, ""},
		{`patch site/s/port/p {"spec":{"min":7}}`, "min is above max"},
	} {
		_, err := view.Apply(t.Context(), ops(t, step.line), store.Options{})
		if step.want == "" && err != nil || !strings.Contains(fmt.Sprint(err), step.want) {
			t.Errorf("%s: %v", step.line, err)
		}
	}
}
