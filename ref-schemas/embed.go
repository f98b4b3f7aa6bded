// Package refschemas holds the ref-schema that ships with Dovetail: dovetail.yaml, the aggregate of
// src/*/ref-schemas/v1.yaml that `make ref-schemas` writes. Examples of other schemas lie beside it.
package refschemas

import "embed"

// FS holds the files of the built-in ref-schema. It is read-only and safe for concurrent use.
//
//go:embed *.yaml
var FS embed.FS
