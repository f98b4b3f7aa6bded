// Package migration rewrites documents for renames, moves and changes of the ref-schema: ids, and references where the rules find
// them. It does no I/O; package store reads and writes.
package migration
