// Package instancerepo works on instance repositories: folders with the configuration of environments
// as files, as pipelines use them. It knows which file lies where, reads and writes files, and runs
// the services' pure engines on them; it decides nothing that an engine could.
//
// Survey reads a whole repository, from a folder or from Git, and finds every defect. What it finds can be
// had as documents (Contents.Documents), and documents as files: new ones (Files), or over those that are
// there, of which all text stays that can (Edit, Edits, PlanExport). Both ways go by one table, the layout.
//
// It may import the domain, value, yaml, sd and parameters; it must not import a store, httpapi,
// client or cli.
package instancerepo
