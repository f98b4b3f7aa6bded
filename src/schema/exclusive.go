package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// exclusiveness identifies the exclusive rules of a kind by what they mean; "" if there is none.
func exclusiveness(k *Kind) string {
	var rules []string
	for _, r := range k.References {
		if r.Exclusive {
			rules = append(rules, string(toJSON(meaningOfRule(r))))
		}
	}
	if len(rules) == 0 {
		return ""
	}
	slices.Sort(rules)
	sum := sha256.Sum256(toJSON(rules))
	return hex.EncodeToString(sum[:8])
}
