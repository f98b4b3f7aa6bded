package instancerepo

import (
	"errors"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/value"
)

// Unopened reports the encrypted values that no key opens.
func (c *Contents) Unopened(keys *ciphertext.Keys) []*dovetail.Error {
	var found []*dovetail.Error
	for _, f := range c.files {
		if f.text != nil {
			found = append(found, f.unopened(keys)...)
			continue
		}
		ciphertext.Walk(f.data, func(path []string, v *value.Value) {
			if _, err := keys.Open(v.Text); err != nil {
				found = append(found, newDefect(ReasonValueUnopened, at(f.file, v, value.Pointer(path...)), "the value cannot be opened: "+err.Error(),
					"add the key that encrypted it to those that are given"))
			}
		})
	}
	return found
}

// UnopenedFiles reports values in files of SOPS that no identity decrypts, or that were changed without SOPS.
func (c *Contents) UnopenedFiles(keys *ciphertext.Keys) []*dovetail.Error {
	var found []*dovetail.Error
	for _, f := range c.files {
		if f.text != nil {
			found = append(found, f.unopened(keys)...)
		}
	}
	return found
}

// unopened reports what in a file that SOPS encrypted cannot be opened: all of it where no identity does.
func (c *content) unopened(keys *ciphertext.Keys) []*dovetail.Error {
	_, err := sops.Open(sops.Source{Name: c.file, Text: c.text, Values: []*value.Value{c.data}}, keys.Identities())
	if err == nil {
		return nil
	}
	var found []*dovetail.Error
	for _, e := range partsOf(err) {
		remedy := e.Remedy
		if errors.Is(e, sops.ErrNoIdentity) {
			remedy = keysRemedy
		}
		found = append(found, newDefect(ReasonValueUnopened, e.Position, e.Message, remedy))
	}
	return found
}
