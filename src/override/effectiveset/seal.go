package effectiveset

import (
	"path"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// isSensitive says whether a file of a set has credentials.
func isSensitive(name string) bool {
	base := path.Base(name)
	return base == "credentials.yaml" || base == "collision-credentials.yaml" || strings.HasSuffix(base, "-credentials.yaml") && strings.HasPrefix(name, "pipeline/")
}

// sealed is a value whose scalars are encrypted, except references to external credentials and what is empty. What stands at two
// places stays one value, and lists stay as they are.
func sealed(v *value.Value, seal func(plain string) string, done map[*value.Value]*value.Value) *value.Value {
	if made := done[v]; made != nil {
		return made
	}
	made := *v
	done[v] = &made
	switch v.Kind {
	case value.Map:
		if v.Get("secretStoreId") != nil {
			return &made
		}
		made.Members = make([]value.Member, len(v.Members))
		for i, m := range v.Members {
			made.Members[i] = m
			if m.Name != "type" {
				made.Members[i].Value = sealed(m.Value, seal, done)
			}
		}
	case value.String, value.Number, value.Bool:
		if v.Text != "" && !strings.HasPrefix(v.Text, "ref+") {
			made.Kind, made.Text = value.String, seal(v.Text)
		}
	case value.List, value.Null:
	}
	return &made
}
