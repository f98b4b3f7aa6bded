// Package cli is the command line: one verb a file, each with the same parts, an options struct,
// newXxxCommand and run. A verb works on the Store interface and does not know whether a server or a
// database file answers it; what starts a server or opens either comes in with Deps.
//
// It may import the domain, value, yaml, schema, manifest and store, of kubeapi what kubectl calls documents, and for the verbs that need
// neither server nor database the pure engines of services, instancerepo and artifact; it must not
// import client, httpapi, a backend or app, and it reads no environment, file descriptor or clock
// but what Deps gives.
package cli
