package emco

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/value"
)

// TestCopies migrates resources with what their services find them by beside their data.
func TestCopies(t *testing.T) {
	const metadata = `"metadata":{"name":"x","description":"","userdata1":"","userdata2":""}`
	const none = `{"matchlabels":null,"matchexpressions":null}`
	for _, kind := range []struct{ name, copy, elements, spec string }{
		{"sfcClientSelector", "chainEnd", `"sfcIntent":"c","sfcClientSelector":"x"`, `"chainend":"VALUE","podselector":` + none + `,"namespaceselector":` + none},
		{"genericAppPlacementIntent", "app", `"genericPlacementIntent":"i","genericAppPlacementIntent":"x"`, `"appname":"VALUE","intent":{"allofarray":null,"anyofarray":null}`},
	} {
		for _, test := range []struct{ name, copy, problem, says string }{
			{"a copy", "left", "", ""},
			{"no copy", "", MissingField, "lacks what EMCO always stores: " + kind.copy},
			{"a copy of something else", "right", UnknownField, "has the " + kind.copy + ` "right" beside its data, which says "left"`},
		} {
			t.Run(kind.name+"/"+test.name, func(t *testing.T) {
				stored := below(t, kind.elements, `{`+metadata+`,"spec":{`+strings.Replace(kind.spec, "VALUE", "left", 1)+`}}`)
				if test.copy != "" {
					stored.Set(kind.copy, value.NewString(test.copy))
				}
				migration := migrate(t, emcoModel(t), []*value.Value{stored}, Options{})
				var got []string
				for _, f := range migration.Findings {
					if f.Problem == UnknownField || f.Problem == MissingField {
						got = append(got, f.Problem+": "+f.Message)
					}
				}
				switch found := slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, test.problem+": ") && strings.Contains(s, test.says) }); {
				case test.problem == "" && len(got) > 0, test.problem != "" && (!found || len(got) != 1):
					t.Errorf("found %q, want %s %s", got, test.problem, test.says)
				}
			})
		}
	}
}
