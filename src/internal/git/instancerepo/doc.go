// Package instancerepo works on instance repositories: folders with the configuration of environments
// as files, as pipelines use them. It knows which file lies where, reads and writes files, and runs
// the services' pure engines on them; it decides nothing that an engine could.
//
// Survey reads a whole repository, from a folder or from Git, and finds every defect. Its contents convert to
// documents (Contents.Documents), and documents to files: new ones (Files), or edits of existing ones that keep as much
// of their text as possible (Edit, Edits, PlanExport). Both directions use one table, the layout.
package instancerepo
