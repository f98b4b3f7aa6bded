package keyring

import (
	_ "embed" // the ref-schema

	"github.com/dovetail-store/dovetail/src/schema"
)

//go:embed ref-schemas/v1.yaml
var refSchema []byte

// RefSchema returns the ref-schema of the kinds of this package, whose segment is named vault.
func RefSchema() schema.Source { return schema.BuiltIn("vault", refSchema) }
