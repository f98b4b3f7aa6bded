// Package migration computes what documents become when others, or they themselves, get another id, or their ref-schema another
// form: a document whose references are rewritten where the rules find them. It does no I/O; package store reads and writes.
//
// The package imports dovetail, value, schema, decode, suggest and yaml.
package migration
