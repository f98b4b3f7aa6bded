// Package descriptor keeps the solutions of environments: of each the full and the delta solution
// descriptor (SD), as two documents of the store that change together. It carries out what pipelines
// and people ask for with the rules of package sd, and serves that over HTTP. Its kind is
// in src/descriptor/ref-schemas/v1.yaml.
//
// Its engine is package sd, which is pure, so that the command line can use the one
// without a store and a server.
//
// It may import the domain, value, sd, selector, schema, store and httpapi; it must not
// import a backend, another service, the client or the command line.
package descriptor
