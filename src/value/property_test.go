package value_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/value"
)

var literals = rapid.OneOf(
	rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?([eE][-+]?[0-9]{1,3})?`),
	rapid.SampledFrom([]string{"0", "-0", "9223372036854775808", "1e1000", "0.1"}),
)

// names are few, so that maps often share some.
var names = rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "c", "", "a/b", "~", "é"}), rapid.String())

// values draws values up to a depth.
func values(depth int) *rapid.Generator[*value.Value] {
	return rapid.Custom(func(t *rapid.T) *value.Value {
		most := 5
		if depth == 0 {
			most = 3
		}
		switch rapid.IntRange(0, most).Draw(t, "kind") {
		case 0:
			return value.NullValue()
		case 1:
			return value.NewBool(rapid.Bool().Draw(t, "bool"))
		case 2:
			return &value.Value{Kind: value.Number, Text: literals.Draw(t, "number")}
		case 3:
			return value.NewString(strings.ToValidUTF8(rapid.String().Draw(t, "string"), ""))
		case 4:
			return value.NewList(rapid.SliceOfN(values(depth-1), 0, 4).Draw(t, "items")...)
		}
		return maps(depth).Draw(t, "map")
	})
}

func maps(depth int) *rapid.Generator[*value.Value] {
	return rapid.Custom(func(t *rapid.T) *value.Value {
		v := value.NewMap()
		for _, name := range rapid.SliceOfNDistinct(names, 0, 20, rapid.ID).Draw(t, "names") {
			v.Set(strings.ToValidUTF8(name, ""), values(depth-1).Draw(t, "value"))
		}
		return v
	})
}

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(4).Draw(t, "value")
		text := v.JSON()
		again, err := value.ParseJSON(text, value.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !value.Equal(v, again) || string(again.JSON()) != string(text) {
			t.Fatalf("%s became %s", text, again.JSON())
		}
		if viaAny, err := value.FromAny(value.ToAny(v)); err != nil || !value.Equal(v, viaAny) {
			t.Fatalf("%s became %s by ToAny and FromAny, %v", text, viaAny.JSON(), err)
		}
	})
}

// On texts that are nearly JSON, encoding/json and we agree, except what we refuse on purpose.
func TestValidityAsEncodingJSON(t *testing.T) {
	fragments := rapid.SampledFrom([]string{"{", "}", "[", "]", ",", ":", `"a"`, `"`, `\`, `\u00e9`, `\ud83d`, `\ude00`, "1", "-", "0", ".", "e",
		"+", "true", "nul", "null", " ", "\n", "\t", "é", "\x00", "'", "x"})
	rapid.Check(t, func(t *rapid.T) {
		var text string
		if rapid.Bool().Draw(t, "damaged") {
			text = string(values(2).Draw(t, "value").JSON())
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			text = text[:at] + fragments.Draw(t, "fragment") + text[min(len(text), at+rapid.IntRange(0, 2).Draw(t, "cut")):]
		} else {
			text = strings.Join(rapid.SliceOfN(fragments, 0, 12).Draw(t, "fragments"), "")
		}
		_, err := value.ParseJSON([]byte(text), value.Limits{})
		switch valid := json.Valid([]byte(text)); {
		case valid && err != nil && !stricter(err):
			t.Fatalf("%q is valid, but: %v", text, err)
		case !valid && err == nil:
			t.Fatalf("%q is not valid", text)
		}
	})
}

// stricter reports whether the error is about something that encoding/json lets pass.
func stricter(err error) bool {
	for _, rule := range []string{"twice", "surrogate", "UTF-8", "exponent"} {
		if strings.Contains(err.Error(), rule) {
			return true
		}
	}
	return false
}

func TestMergePatchLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		target, patch := values(3).Draw(t, "target"), values(3).Draw(t, "patch")
		before := string(target.JSON()) + string(patch.JSON())
		once := value.MergePatch(target, patch)
		if string(target.JSON())+string(patch.JSON()) != before {
			t.Fatal("an input changed")
		}
		if twice := value.MergePatch(once, patch); !value.Equal(once, twice) {
			t.Fatalf("not idempotent: %s, then %s", once.JSON(), twice.JSON())
		}
		if target.Kind == value.Map {
			if same := value.MergePatch(target, value.NewMap()); string(same.JSON()) != string(target.JSON()) {
				t.Fatalf("an empty patch makes %s", same.JSON())
			}
		}
		if patch.Kind != value.Map {
			if !value.Equal(once, patch) {
				t.Fatalf("the patch is no map, but the result is %s", once.JSON())
			}
			return
		}
		for _, m := range patch.Members {
			switch got := once.Get(m.Name); {
			case m.Value.Kind == value.Null && got != nil:
				t.Fatalf("member %q is still there", m.Name)
			case m.Value.Kind != value.Null && !value.Equal(got, value.MergePatch(target.Get(m.Name), m.Value)):
				t.Fatalf("member %q is %s", m.Name, got.JSON())
			}
		}
		if target.Kind == value.Map {
			for _, m := range target.Members {
				if patch.Get(m.Name) == nil && !value.Equal(once.Get(m.Name), m.Value) {
					t.Fatalf("untouched member %q is %s", m.Name, once.Get(m.Name).JSON())
				}
			}
		}
	})
}

func TestPointerFindsEveryValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := maps(3).Draw(t, "value")
		for _, m := range v.Members {
			if got, ok := v.Find(value.Pointer(m.Name)); !ok || got != m.Value {
				t.Fatalf("member %q not found", m.Name)
			}
		}
	})
}
