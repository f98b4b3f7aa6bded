// Package emcoapi reads EMCO's REST API, to migrate a system whose database cannot be reached. It follows the paths of
// the ref-schema from the top to the bottom, so that it finds everything that the API lists, and reports what the API leaves out.
package emcoapi
