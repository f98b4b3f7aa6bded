package draft

import _ "embed" // for Starter

// Starter is a ref-schema to begin with, with comments.
//
//go:embed starter.yaml
var Starter []byte
