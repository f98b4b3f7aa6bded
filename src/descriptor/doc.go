// Package descriptor stores the solution descriptors (SDs) of environments: for each, the full and the
// delta SD, as two documents of the store that change together. It processes requests of pipelines and
// users by the rules of package sd, and serves them over HTTP. Its kind is in
// src/descriptor/ref-schemas/v1.yaml.
//
// Its engine is package sd, which is pure, so that the command line can use it without a store and a
// server.
package descriptor
