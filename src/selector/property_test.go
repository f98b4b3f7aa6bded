package selector_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/value"
)

// A selector made of a path and a value finds exactly the documents that have the value there.
func TestFieldsFindWhatTheyName(t *testing.T) {
	names := rapid.OneOf(rapid.SampledFrom([]string{"a", "a.b", "/", "~", " ", "=", ",", "!", "\\", "é", ""}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SliceOfN(names, 1, 3).Draw(t, "path")
		text, other := names.Draw(t, "text"), names.Draw(t, "other")
		data := value.NewString(text)
		for i := range path {
			data = value.NewMap(value.Member{Name: path[len(path)-1-i], Value: data})
		}
		escape := strings.NewReplacer(`\`, `\\`, ",", `\,`, "=", `\=`, "!", `\!`, "<", `\<`, ">", `\>`, " ", `\ `, "\t", "\\\t", "\n", "\\\n", "\r", "\\\r")
		pointer := escape.Replace(value.Pointer(path...))
		for _, operator := range []string{"=", "!="} {
			fields, err := selector.ParseFields(pointer + operator + escape.Replace(other))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := fields.Matches(data), (text == other) == (operator == "="); got != want {
				t.Fatalf("%s on %s: %v", fields, data.JSON(), got)
			}
		}
	})
}

// Each test of a label and its opposite divide all documents between them.
func TestLabelsAndOpposites(t *testing.T) {
	words := rapid.SampledFrom([]string{"a", "b", "c", "é", ""})
	rapid.Check(t, func(t *rapid.T) {
		labels := value.NewMap()
		for _, name := range rapid.SliceOf(rapid.SampledFrom([]string{"x", "y"})).Draw(t, "names") {
			labels.Set(name, value.NewString(words.Draw(t, "value")))
		}
		data := value.NewMap(value.Member{Name: "metadata", Value: value.NewMap(value.Member{Name: "labels", Value: labels})})
		one := words.Draw(t, "word")
		list := "(" + strings.Join(rapid.SliceOfN(words, 2, 3).Draw(t, "list"), ",") + ")"
		for _, pair := range [][2]string{{"x", "!x"}, {"x=" + one, "x!=" + one}, {"x in " + list, "x notin " + list}} {
			if matches(t, pair[0], data) == matches(t, pair[1], data) {
				t.Fatalf("%s and %s agree on %s", pair[0], pair[1], data.JSON())
			}
			if both := pair[0] + ",y"; matches(t, both, data) != (matches(t, pair[0], data) && matches(t, "y", data)) {
				t.Fatalf("%s is not both", both)
			}
		}
	})
}

func matches(t *rapid.T, text string, data *value.Value) bool {
	labels, err := selector.ParseLabels(text)
	if err != nil {
		t.Fatal(err)
	}
	return labels.Matches(data)
}
