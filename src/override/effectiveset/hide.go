package effectiveset

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// hiddenText stands for a secret.
const hiddenText = "(secret)"

// hidden is a value at a place of a file without the secrets in it; nil for nil. What stands at two places stays one value, so that it is written as one.
func hidden(file, pointer string, v *value.Value) *value.Value {
	return (&hiding{}).value(v, isSecretLeaf(file, pointer))
}

// hiding are the values that were gone through already, those in which all is secret apart from others.
type hiding struct{ plain, secret map[*value.Value]*value.Value }

func (h *hiding) value(v *value.Value, secret bool) *value.Value {
	if v == nil || v.Kind != value.Map {
		if secret && v != nil {
			return str(hiddenText)
		}
		return v
	}
	done := &h.plain
	if secret {
		done = &h.secret
	}
	if made := (*done)[v]; made != nil {
		return made
	}
	if *done == nil {
		*done = make(map[*value.Value]*value.Value)
	}
	made := value.NewMap()
	(*done)[v] = made
	for _, m := range v.Members {
		made.Members = append(made.Members, value.Member{Name: m.Name, Value: h.value(m.Value, secret || isSecretMember(m.Name))})
	}
	return made
}

// isSecretLeaf reports whether a leaf is a credential: what stands in a file of credentials, and what EnvGene writes into plain files all the same.
func isSecretLeaf(file, pointer string) bool {
	if isSensitive(file) {
		return true
	}
	names, _ := value.SplitPointer(pointer)
	return slices.ContainsFunc(names, isSecretMember)
}

// isSecretMember reports whether what stands under a name is a credential, wherever it stands.
func isSecretMember(name string) bool {
	return isSecretName(name) || strings.HasPrefix(name, "BG_CONTROLLER_") && name != "BG_CONTROLLER_URL"
}
