// Package sourcedoc turns a Source document, which holds a whole catalog ({name, priority, packages: [{name,
// versions: [...]}]}), into the stored documents source, package and packageVersion, and
// these back into one.
//
// It does no I/O.
package sourcedoc
