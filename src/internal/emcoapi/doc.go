// Package emcoapi reads what EMCO's REST API answers, for a migration of a system whose database cannot be reached. It follows the paths of
// the ref-schema from the top to the bottom, so that it finds what the API lists, and says what that leaves out.
//
// It imports dovetail, value, schema and store, internal/manifest for how documents are named, and internal/emco for what it reads.
package emcoapi
