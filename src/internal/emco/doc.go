// Package emco turns what EMCO's database holds into documents of Dovetail, and says what of it cannot
// be one: EMCO checks integrity before it writes, not while, so that its databases may hold children
// without parents, references to nothing, and one key twice.
//
// It is pure: resources go in, documents and findings come out. It imports dovetail, value and schema,
// and store for what a finding is; it must not import a database driver.
package emco
