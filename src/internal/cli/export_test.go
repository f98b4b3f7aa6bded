package cli

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// What tests of the package reach from outside.
var (
	Unified      = unified
	ShortName    = shortName
	ErrDifferent = errDifferent
	ErrUsage     = errUsage
)

// Named is named, for tests.
func Named(kind *schema.Kind, given map[string]string, name string) (dovetail.ID, error) {
	return named(kind, given, name)
}
