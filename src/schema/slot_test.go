package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// found writes the candidates of an extraction as "target @place".
func found(candidates []schema.Candidate) []string {
	var all []string
	for _, c := range candidates {
		var targets []string
		for _, target := range c.Targets {
			targets = append(targets, string(target.ID))
		}
		all = append(all, strings.Join(targets, " | ")+" @"+c.Place)
	}
	return all
}

// wrong writes what Validate finds as "path message".
func wrong(t testing.TB, errs dovetail.Errors) []string {
	t.Helper()
	var all []string
	for _, e := range errs.Kept() {
		if e.Code != dovetail.CodeUnprocessable {
			t.Errorf("%v has the code %s", e, e.Code)
		}
		all = append(all, e.Position.Path+" "+e.Message)
	}
	return all
}

func TestSlots(t *testing.T) {
	model := compile(t, readText(t, "datacentre.yaml"))
	const (
		a     = "site/own%20site/rack/r1/device/d1/port/p1"
		b     = "site/own%20site/rack/r2/device/d2/port/p1"
		write = `write an object with the members "site", "rack", "device" and "port"`
	)
	for _, c := range []struct {
		name, kind, data string
		refs, errs       []string
	}{
		{"both ends", "cable", `{"spec":{"a":{"rack":"r1","device":"d1","port":"p1"},"b":{"port":"p1","device":"d2","rack":"r2"}}}`,
			[]string{a + " @/spec/a", b + " @/spec/b"}, nil},
		{"the site of the slot", "cable", `{"spec":{"a":{"site":"s9","rack":"r1","device":"d1","port":"p1"},"b":{"rack":"r2","device":"d2","port":"p1"}}}`,
			[]string{"site/s9/rack/r1/device/d1/port/p1 @/spec/a", b + " @/spec/b"}, nil},
		{"an end is missing", "cable", `{"spec":{"a":{"rack":"r1","device":"d1","port":"p1"}}}`, []string{a + " @/spec/a"}, []string{"/spec/b must refer to a port"}},
		{"null and empty are missing", "cable", `{"spec":{"a":null,"b":""}}`, nil, []string{"/spec/a must refer to a port", "/spec/b must refer to a port"}},
		{"no spec", "cable", `{"metadata":{"name":"c"}}`, nil, []string{"/spec/a must refer to a port", "/spec/b must refer to a port"}},
		{"flat members are not at the slots", "cable", `{"spec":{"rack":"r1","device":"d1","port":"p1"}}`, nil,
			[]string{"/spec/a must refer to a port", "/spec/b must refer to a port"}},
		{"part of a key", "cable", `{"spec":{"a":{"rack":"r1","port":"p1"},"b":{"rack":"r2","device":"d2","port":"p1"}}}`, []string{b + " @/spec/b"},
			[]string{`/spec/a the member "device" is missing, so that no port is named`}},
		{"elements are not combined between slots", "cable", `{"spec":{"rack":"r1","a":{"device":"d1","port":"p1"},"b":{"rack":"r2","device":"d2","port":"p1"}}}`,
			[]string{b + " @/spec/b"}, []string{`/spec/a the member "rack" is missing, so that no port is named`}},
		{"a deeper object is not the slot", "cable", `{"spec":{"a":{"end":{"rack":"r1","device":"d1","port":"p1"}},"b":{"rack":"r2","device":"d2","port":"p1"}}}`,
			[]string{b + " @/spec/b"}, []string{"/spec/a must refer to a port, but has none of the members that name one"}},
		{"a text is not enough", "cable", `{"spec":{"a":"p1","b":{"rack":"r2","device":"d2","port":"p1"}}}`, []string{b + " @/spec/b"},
			[]string{`/spec/a the members "rack" and "device" are missing, so that no port is named`}},
		{"a list is no slot", "cable", `{"spec":{"a":[{"rack":"r1","device":"d1","port":"p1"}],"b":{"rack":"r2","device":"d2","port":"p1"}}}`, []string{b + " @/spec/b"},
			[]string{"/spec/a must refer to a port, not be a list"}},
		{"a member of another type", "cable", `{"spec":{"a":{"rack":"r1","device":1,"port":"p1"},"b":{"rack":"r2","device":"d2","port":"p1"}}}`, []string{b + " @/spec/b"},
			[]string{"/spec/a/device must be a string, not a number"}},
		{"a value that no key can have", "cable", `{"spec":{"a":{"rack":"..","device":"d1","port":"p1"},"b":{"rack":"r2","device":"d2","port":"p1"}}}`,
			[]string{"site/own%20site/rack/../device/d1/port/p1 @/spec/a", b + " @/spec/b"}, nil},

		{"two ends in a list", "bundle", `{"spec":{"ends":[{"rack":"r2","device":"d2","port":"p1"},{"rack":"r1","device":"d1","port":"p1"}]}}`,
			[]string{a + " @/spec/ends/1", b + " @/spec/ends/0"}, nil},
		{"one end", "bundle", `{"spec":{"ends":[{"rack":"r1","device":"d1","port":"p1"}]}}`, []string{a + " @/spec/ends/0"},
			[]string{"/spec/ends must have at least 2 references to port, not 1"}},
		{"the same end twice", "bundle", `{"spec":{"ends":[{"rack":"r1","device":"d1","port":"p1"},{"rack":"r1","device":"d1","port":"p1"}]}}`,
			[]string{a + " @/spec/ends/0"}, []string{"/spec/ends must have at least 2 references to port, not 1"}},
		{"three ends", "bundle", `{"spec":{"ends":[{"rack":"r1","device":"d1","port":"p1"},{"rack":"r1","device":"d1","port":"p2"},{"rack":"r1","device":"d1","port":"p3"}]}}`,
			[]string{a + " @/spec/ends/0", strings.Replace(a, "p1", "p2", 1) + " @/spec/ends/1", strings.Replace(a, "p1", "p3", 1) + " @/spec/ends/2"},
			[]string{"/spec/ends must have at most 2 references to port, not 3"}},
		{"a hole in the list", "bundle", `{"spec":{"ends":[null,7,{"rack":"r1","device":"d1","port":"p1"}]}}`, []string{a + " @/spec/ends/2"},
			[]string{"/spec/ends/1 must refer to a port, not be a number"}},

		{"mapped members", "peer", `{"spec":{"to":{"cabinet":"r1","dev":"d1"}}}`, []string{"site/own%20site/rack/r1/device/d1 @/spec/to"}, nil},
		{"the last element is never that of the own key", "peer", `{"spec":{"to":{"cabinet":"r1"}}}`, nil,
			[]string{`/spec/to the member "dev" is missing, so that no device is named`}},
		{"a text, the rest from the own key", "peer", `{"spec":{"to":"d2"}}`, []string{"site/own%20site/rack/own%20rack/device/d2 @/spec/to"}, nil},
		{"unmapped names are others", "peer", `{"spec":{"to":{"rack":"r1","device":"d1"}}}`, nil, []string{"/spec/to must refer to a device, but has none of the members that name one"}},
		{"an empty object", "peer", `{"spec":{"to":{}}}`, nil, []string{"/spec/to must refer to a device, but has none of the members that name one"}},
		{"a text around the slot", "peer", `{"spec":"r1"}`, nil, []string{"/spec must be an object, not a string"}},
		{"skip", "peer", `{"spec":{"vlan":"none"}}`, nil, nil},
		{"oneOf by names of members", "peer", `{"spec":{"members":{"x":null,"y":{"site":"s9"}}}}`,
			[]string{"site/own%20site/rack/x | site/own%20site/vlan/x @/spec/members/x", "site/s9/rack/y | site/s9/vlan/y @/spec/members/y"}, nil},
		{"too many names", "peer", `{"spec":{"members":{"x":1,"y":1,"z":1,"w":1}}}`, []string{
			"site/own%20site/rack/w | site/own%20site/vlan/w @/spec/members/w", "site/own%20site/rack/x | site/own%20site/vlan/x @/spec/members/x",
			"site/own%20site/rack/y | site/own%20site/vlan/y @/spec/members/y", "site/own%20site/rack/z | site/own%20site/vlan/z @/spec/members/z"},
			[]string{"/spec/members must have at most 3 references to rack or vlan, not 4"}},
		{"names of something else", "peer", `{"spec":{"members":["x"]}}`, nil,
			[]string{"/spec/members must be an object whose member names are names of a rack or vlan, not a list"}},
		{"a name in brackets", "peer", `{"spec":{"tagged vlans":["v2","v1",{"vlan":"v3","site":"s9"}]}}`,
			[]string{"site/own%20site/vlan/v1 @/spec/tagged vlans/1", "site/own%20site/vlan/v2 @/spec/tagged vlans/0", "site/s9/vlan/v3 @/spec/tagged vlans/2"}, nil},

		{"one of two rules at a slot", "mounted", `{"spec":{"site":"s1"}}`, []string{"site/s1 @/spec"}, nil},
		{"both rules at a slot", "mounted", `{"spec":{"site":"s1","rack":"r1"}}`, []string{"site/s1 @/spec", "site/s1/rack/r1 @/spec"}, nil},
		{"what only one of them needs", "mounted", `{"spec":{"rack":"r1"}}`, nil, []string{`/spec the member "site" is missing, so that no rack is named`}},

		{"numbers without a slot", "audit", `{"spec":{"l":[{"vlan":"v1"},{"vlan":"v2"}],"rack":"r"}}`,
			[]string{"site/own%20site/vlan/v1 @", "site/own%20site/vlan/v2 @", "site/own%20site/rack/r @"}, nil},
		{"too few and too many without a slot", "audit", `{"spec":{"l":[{"vlan":"v1"},{"vlan":"v2"},{"vlan":"v3"}]}}`,
			[]string{"site/own%20site/vlan/v1 @", "site/own%20site/vlan/v2 @", "site/own%20site/vlan/v3 @"},
			[]string{"/spec must have at most 2 references to vlan, not 3", "/spec must refer to a rack"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind, data := kindOf(t, model, c.kind), parseJSON(t, c.data)
			if got := found(checkExtraction(t, kind, data)); !slices.Equal(got, c.refs) {
				t.Errorf("got  %q\nwant %q", got, c.refs)
			}
			errs := kind.Validate(data)
			if got := wrong(t, errs); !slices.Equal(got, c.errs) {
				t.Errorf("errors %q\nwant   %q", got, c.errs)
			}
			for _, e := range errs.Kept() {
				if e.Position.Line == 0 {
					t.Errorf("%v has no line", e)
				}
				if e.Message == "must refer to a port" && e.Remedy != write {
					t.Errorf("the remedy is %s, want %s", e.Remedy, write)
				}
			}
		})
	}
}

// Where the rule has no slot, no reference is found in the same data.
func TestFlatMembersWithoutSlots(t *testing.T) {
	model := compile(t, readText(t, "datacentre.yaml"))
	kind := kindOf(t, model, "flat")
	data := parseJSON(t, `{"spec":{"a":{"rack":"r1","device":"d1","port":"p1"},"b":{"rack":"r2","device":"d2","port":"p1"}}}`)
	if got := found(checkExtraction(t, kind, data)); len(got) != 2 {
		t.Errorf("type many finds %q", got)
	}
}

// Two rules to one kind that only differ in their slots are two references, also to one target.
func TestSlotsOfCandidates(t *testing.T) {
	kind := kindOf(t, compile(t, readText(t, "datacentre.yaml")), "cable")
	same := `{"rack":"r1","device":"d1","port":"p1"}`
	got := kind.Extract(ownID(t, kind), parseJSON(t, `{"spec":{"a":`+same+`,"b":`+same+`}}`))
	if len(got) != 2 || got[0].Rule.Slot() != "spec.a" || got[1].Rule.Slot() != "spec.b" || !got[0].Rule.Exclusive || !got[1].Rule.Required {
		t.Errorf("got %v", got)
	}
}

func ExampleKind_Extract_slots() {
	model, err := schema.Compile([]schema.Source{{Name: "network.yaml", Data: []byte(`
resources:
- name: device
- name: port
  parent: device
- name: cable
  references:
  - {name: port, at: spec.a, required: true}
  - {name: port, at: spec.b, required: true}
`)}})
	if err != nil {
		panic(err)
	}
	kind, _ := model.Kind("cable")
	data, err := value.ParseJSON([]byte(`{"spec": {"a": {"device": "d1", "port": "p1"}, "b": {"port": "p2"}}}`), value.Limits{})
	if err != nil {
		panic(err)
	}
	for _, c := range kind.Extract("cable/c1", data) {
		fmt.Println(c.Rule.Slot(), "refers to", c.Targets[0].ID)
	}
	errs := kind.Validate(data)
	for _, e := range errs.Kept() {
		fmt.Println(e.Position.Path, e.Message)
	}
	// Output:
	// spec.a refers to device/d1/port/p1
	// /spec/b the member "device" is missing, so that no port is named
}
