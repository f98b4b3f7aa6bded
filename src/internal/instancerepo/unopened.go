package instancerepo

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/ciphertext"
	"github.com/dovetail-store/dovetail/src/value"
)

// Unopened reports the encrypted values that no key opens.
func (c *Contents) Unopened(keys *ciphertext.Keys) []*dovetail.Error {
	var found []*dovetail.Error
	for _, f := range c.files {
		ciphertext.Walk(f.data, func(path []string, v *value.Value) {
			if _, err := keys.Open(v.Text); err != nil {
				found = append(found, newDefect(ReasonValueUnopened, at(f.file, v, value.Pointer(path...)), "the value cannot be opened: "+err.Error(),
					"add the key that encrypted it to those that are given"))
			}
		})
	}
	return found
}
