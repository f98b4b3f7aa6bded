// Package solution keeps the solutions of environments: of each the full and the delta solution
// descriptor (SD), as two documents of the store that change together. It carries out what pipelines
// and people ask for with the rules of package descriptor, and serves that over HTTP. Its kind is
// in src/descriptor/ref-schemas/v1.yaml.
//
// It is not a part of package descriptor, which is pure, so that the command line can use the one
// without a store and a server.
//
// It may import the domain, value, descriptor, selector, schema, store and httpapi; it must not
// import a backend, another service, the client or the command line.
package solution
