package solver_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

func document(t *testing.T, text string) *value.Value {
	t.Helper()
	docs, err := yaml.Parse("text", []byte(text), value.Limits{})
	if err != nil || len(docs) != 1 {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	return docs[0]
}

// told formats the parts of an error as "path: message", one a line.
func told(err error) string {
	e := dovetail.AsError(err)
	if e == nil {
		return ""
	}
	parts := e.Errors
	if len(parts) == 0 {
		parts = []*dovetail.Error{e}
	}
	var lines []string
	for _, part := range parts {
		if part.Remedy == "" || part.Code != dovetail.CodeInvalid {
			return "without remedy: " + part.Message
		}
		lines = append(lines, part.Position.Path+": "+part.Message)
	}
	return strings.Join(lines, "\n")
}

func TestConstraintsRefused(t *testing.T) {
	deep := strings.Repeat("all(", 40) + `required("a")` + strings.Repeat(")", 40)
	for _, c := range []struct{ name, in, want string }{
		{"a number", `1`, ": a constraint must be a string or a map, not the number 1"},
		{"nothing", `{}`, ": this is empty"},
		{"two in one", `{required: {name: a}, not: {name: b}}`, ": this has 2 members instead of one"},
		{"a bare selector", `{name: a}`, `/name: a constraint has the unknown member "name"`},
		{"a bare selector in any", `{any: [{name: a}]}`, `/any/0/name: an expression has the unknown member "name"`},
		{"an unknown field", `{required: {name: a, version: "1"}}`, `/required/version: a selector has the unknown member "version"`},
		{"a selector without a target", `{required: {channel: a}}`, "/required: a selector needs name, gvk, provides, match or cel"},
		{"an empty name", `{required: {name: ""}}`, "/required/name: name is empty"},
		{"a range that is a number", `{required: {name: a, versionRange: 1}}`, "/required/versionRange: versionRange must be a string, not the number 1"},
		{"a bad range", `{required: {name: a, versionRange: ">>1"}}`, `/required/versionRange: ">>1" is not a range of versions`},
		{"a long range", `{required: {name: a, versionRange: "` + strings.Repeat("1 ", 300) + `"}}`, `/required/versionRange: "` + strings.Repeat("1 ", 40) + `..." is not a range of versions`},
		{"no type", `{required: {provides: {value: 1}}}`, "/required/provides: a property is a map of type and value"},
		{"more than a property", `{required: {provides: {value: 1, type: a, x: 1}}}`, `/required/provides/x: a property has the unknown member "x"`},
		{"gvk as a text", `{required: {gvk: a/v1/K}}`, "/required/gvk: gvk must be a map, not a string"},
		{"a rule that compares other types", `{required: {cel: "properties.size() == 'a'"}}`, "/required/cel: the rule is refused, line 1, column 19: found no matching overload for '_==_' applied to '(int, string)'"},
		{"a rule with an unknown name", `{required: {name: a, cel: "property.size() > 0"}}`, "/required/cel: the rule is refused, line 1, column 1: unknown name property"},
		{"a rule that is a number", `{required: {cel: "properties.size()"}}`, "/required/cel: the rule is refused: its value is of the type int, not true or false"},
		{"a rule that is no text", `{required: {cel: 1}}`, "/required/cel: cel must be a string, not the number 1"},
		{"an empty any", `{any: []}`, "/any: any is empty"},
		{"any without a list", `{any: {required: {name: a}}}`, "/any: any must be a list, not a map"},
		{"two faults", `{all: [{required: {}}, {required: 1}]}`, "/all/0/required: a selector needs name, gvk, provides, match or cel\n/all/1/required: a selector must be a map, not the number 1"},
		{"conflict of one", `{conflict: [{name: a}]}`, "/conflict: conflict takes two selectors, not 1"},
		{"no property", `{atMostOne: {}}`, "/atMostOne: this is empty"},
		{"another property", `{atMostOne: {prop: a}}`, `/atMostOne/prop: atMostOne has the unknown member "prop"`},
		{"a name for a selector", `{required: a}`, `/required: a selector is a map, not the text "a"`},
		{"pinned without a version", `{pinned: {name: a}}`, "/pinned/version: version is missing"},
		{"pinned by a policy", `{pinned: {name: a, version: 1.0.0, policy: Semver}}`, `/pinned/policy: pinned has the unknown member "policy"`},
		{"a short version", `{pinned: {name: a, version: "1.0"}}`, `/pinned/version: "1.0" is not a version`},
		{"a v", `{pinned: {name: a, version: v1.0.0}}`, `/pinned/version: "v1.0.0" is not a version`},
		{"an unknown policy", `{upgradeFrom: {name: a, version: 1.0.0, policy: Wild}}`, `/upgradeFrom/policy: there is no policy "Wild"`},
		{"an unknown word", `'wanted("a")'`, `: "wanted" is not known here`},
		{"no word", `'("a")'`, `: a word like required is missing at "(\"a\")"`},
		{"no bracket", `'required "a"'`, `: "required" is not followed by (`},
		{"an open bracket", `'required("a"'`, ": a comma or a closing ) is missing at the end"},
		{"no comma", `'required("a" "1")'`, `: a comma or a closing ) is missing before "\"1\")"`},
		{"no quotation marks", `'required(a)'`, ": a is neither in quotes nor followed by ("},
		{"something after the end", `'required("a") b'`, `: there is something after the end: "b"`},
		{"an open text", `'required("a)'`, ": a quotation mark is not closed"},
		{"a bad escape", `'required("\q")'`, `: "\"\\q\"" is not a JSON string`},
		{"no name", `'required()'`, ": required takes a name, a range and a channel"},
		{"too many", `'required("a", "1", "b", "c")'`, ": required takes a name, a range and a channel"},
		{"pinned without a version as a text", `'pinned("a")'`, ": pinned takes a name and a version"},
		{"a text for a version", `'pinned("a", "latest")'`, `: "latest" is not a version`},
		{"not of a text", `'not("a")'`, ": not takes required(...)"},
		{"not of any", `'not(any(required("a")))'`, ": not does not take any(...)"},
		{"any of a text", `'any("a")'`, ": any takes required(...), any(...), all(...) or not(...), not a text"},
		{"any of a pin", `'any(pinned("a", "1.0.0"))'`, `: "pinned" is not known here`},
		{"conflict of three", `'conflict("a", "b", "c")'`, ": conflict takes two selectors, not 3"},
		{"too deep", "'" + deep + "'", ": it nests too deep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := solver.ParseSpec(document(t, "constraints:\n- required(\"fine\")\n- "+c.in))
			var want []string
			for _, line := range strings.Split(c.want, "\n") {
				want = append(want, "/constraints/1"+line)
			}
			if got := told(err); got != strings.Join(want, "\n") {
				t.Errorf("got %s", got)
			}
			if reason, index, ok := solver.FaultOf(err); !ok || reason != solver.ReasonInvalidConstraint || index != 1 {
				t.Errorf("got %s %d", reason, index)
			}
		})
	}
}

func TestSpecsRefused(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a list", `[]`, ": a spec must be a map, not a list"},
		{"an unknown field", `{constraint: []}`, `/constraint: a spec has the unknown member "constraint"`},
		{"no list of constraints", `{constraints: {}}`, "/constraints: constraints must be a list, not a map"},
		{"no name of a source", `{sources: [1]}`, "/sources/0: a source must be a string, not the number 1"},
		{"no time", `{timeoutSeconds: 0}`, "/timeoutSeconds: this must be a positive number of seconds"},
		{"a time in words", `{timeoutSeconds: 30s}`, "/timeoutSeconds: this must be a positive number of seconds"},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, err := solver.ParseSpec(document(t, c.in))
			if got := told(err); got != c.want {
				t.Errorf("got %s", got)
			}
			if reason, index, ok := solver.FaultOf(err); !ok || reason != solver.ReasonInvalidSpec || index != -1 {
				t.Errorf("got %s %d", reason, index)
			}
			if _, again := solver.NewProblem(spec, nil); c.name != "no name of a source" && told(again) != c.want {
				t.Errorf("joined with sources: %v", again)
			}
		})
	}
}

func TestSourcesRefused(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a text", `cat`, ": a source must be a map, not a string"},
		{"no name", `{packages: []}`, "/name: name is missing"},
		{"a fraction", `{name: cat, priority: 1.5}`, "/priority: priority must be an integer, not the number 1.5"},
		{"an unknown field", `{name: cat, package: []}`, `/package: a source has the unknown member "package"`},
		{"a package twice", `{name: cat, packages: [{name: a}, {name: a}]}`, `/packages/1: duplicate package "a"`},
		{"packages without names", `{name: cat, packages: [{}, {}]}`, "/packages/0/name: name is missing\n/packages/1/name: name is missing"},
		{"a version twice", `{name: cat, packages: [{name: a, versions: [{version: 1.0.0, channels: [m]}, {version: 1.0.0, channels: [n]}]}]}`, `/packages/0/versions/1: duplicate version 1.0.0 of package "a"`},
		{"no channels", `{name: cat, packages: [{name: a, versions: [{version: 1.0.0}, {version: 1.1.0, channels: []}]}]}`, "/packages/0/versions/0/channels: a 1.0.0: channels is missing\n/packages/0/versions/1/channels: a 1.1.0: channels is empty"},
		{"no version", `{name: cat, packages: [{name: a, versions: [{channels: [m]}]}]}`, "/packages/0/versions/0/version: a: version is missing"},
		{"a number for a version", `{name: cat, packages: [{name: a, versions: [{version: 1.0, channels: [m]}]}]}`, "/packages/0/versions/0/version: a: version must be a string, not the number 1.0"},
		{"leading zeros", `{name: cat, packages: [{name: a, versions: [{version: 01.0.0, channels: [m]}]}]}`, `/packages/0/versions/0/version: a 01.0.0: "01.0.0" is not a version`},
		{"not true", `{name: cat, packages: [{name: a, deprecated: "yes"}]}`, "/packages/0/deprecated: a: deprecated must be true or false, not a string"},
		{"what it says", `{name: cat, packages: [{name: a, versions: [{version: 1.0.0, channels: [m], replaces: x, skips: [y], skipRange: z, dependencies: [{name: b, x: 1}, {any: []}], conflicts: [{}], properties: [{type: t}]}]}]}`,
			`/packages/0/versions/0/replaces: a 1.0.0: "x" is not a version
/packages/0/versions/0/skips/0: a 1.0.0: "y" is not a version
/packages/0/versions/0/skipRange: a 1.0.0: "z" is not a range of versions
/packages/0/versions/0/dependencies/0/x: a 1.0.0: a selector has the unknown member "x"
/packages/0/versions/0/dependencies/1/any: a 1.0.0: any is empty
/packages/0/versions/0/conflicts/0: a 1.0.0: a selector needs name, gvk, provides, match or cel
/packages/0/versions/0/properties/0: a 1.0.0: a property is a map of type and value`},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := solver.NewParser().Source(document(t, c.in))
			if got := told(source.Err()); got != c.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestProblemsRefused(t *testing.T) {
	parser := solver.NewParser()
	var sources []*solver.Source
	for _, text := range []string{`{name: good}`, `{name: bad, priority: 5, packages: 1}`, `{name: twice, priority: 1}`, `{name: twice}`} {
		sources = append(sources, parser.Source(document(t, text)))
	}
	for _, c := range []struct{ name, in, reason, index, want string }{
		{"all", `{}`, solver.ReasonInvalidSource, "0", "/packages: source \"bad\": packages must be a list, not the number 1\n: source \"twice\": duplicate source"},
		{"one", `{sources: [good]}`, "", "-1", ""},
		{"the same again", `{sources: [good, good]}`, "", "-1", ""},
		{"none", `{sources: []}`, "", "-1", ""},
		{"everything", `{sources: [good, x, bad, y], constraints: [1]}`, solver.ReasonSourceNotFound, "1",
			"/sources/1: there is no source \"x\"\n/sources/3: there is no source \"y\"\n/constraints/0: a constraint must be a string or a map, not the number 1\n/packages: source \"bad\": packages must be a list, not the number 1"},
		{"in the order of preference", `{sources: [good, bad]}`, solver.ReasonInvalidSource, "1", "/packages: source \"bad\": packages must be a list, not the number 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, _ := solver.ParseSpec(document(t, c.in)) // NewProblem repeats the error
			_, err := solver.NewProblem(spec, sources)
			if got := told(err); got != c.want {
				t.Errorf("got %s", got)
			}
			if reason, index, _ := solver.FaultOf(err); reason != c.reason || strconv.Itoa(index) != c.index {
				t.Errorf("got %s %d", reason, index)
			}
		})
	}
}

// TestParts makes a source of parts that were read one by one, and the same whole.
func TestParts(t *testing.T) {
	parser := solver.NewParser()
	whole := parser.Source(document(t, `{name: cat, priority: 3, packages: [{name: a, defaultChannel: m, versions: [{version: 1.0.0, channels: [m]}, {version: 1.1.0, channels: [m]}]}]}`))
	head := parser.Package(document(t, `{name: a, defaultChannel: m}`))
	newer := parser.Version(document(t, `{version: 1.1.0, channels: [m]}`))
	older := parser.Version(document(t, `{channels: [m], version: 1.0.0}`))
	made := solver.NewSource("cat", 3, head.With(newer, older))
	if made.Err() != nil || whole.Err() != nil || made.Digest() != whole.Digest() {
		t.Errorf("%v, %v, %s is not %s", made.Err(), whole.Err(), made.Digest(), whole.Digest())
	}
	if other := solver.NewSource("cat", 3, head.With(newer)); other.Digest() == whole.Digest() {
		t.Error("a version less has the same digest")
	}
	if len(head.Versions) != 0 || made.Packages[0].Versions[0] != newer {
		t.Errorf("got %v, %v", head.Versions, made.Packages[0].Versions)
	}
	bad := solver.NewSource("cat", 3, head.With(parser.Version(document(t, `{version: x, channels: [m]}`)), newer, newer))
	const want = "/packages/0/versions/0/version: a x: \"x\" is not a version\n/packages/0/versions/2: duplicate version 1.1.0 of package \"a\""
	if got := told(bad.Err()); got != want {
		t.Errorf("got %s", got)
	}
}
