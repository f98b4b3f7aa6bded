// Package instancerepo works on instance repositories: folders with the configuration of environments
// as files, as pipelines use them. It knows which file lies where, reads and writes files, and runs
// the services' pure engines on them; it decides nothing that an engine could. Survey reads a whole
// one, from a folder or from Git, and finds every defect.
//
// It may import the domain, value, yaml and descriptor; it must not import a store, httpapi, client
// or cli.
package instancerepo
