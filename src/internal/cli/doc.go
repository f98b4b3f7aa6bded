// Package cli is the command line: one verb per file, each with the same parts: an options struct,
// newXxxCommand and run. A verb works on the Store interface and does not know whether a server or a
// database file is behind it; Deps has the functions that start a server or open either.
//
// It may import the domain, value, yaml, schema, manifest and store, of kubeapi the names of documents in kubectl, and for the verbs that need
// neither server nor database the pure engines of services, instancerepo and artifact; it must not
// import client, httpapi, a backend or app, and it uses no environment, file descriptor or clock
// except those in Deps.
package cli
