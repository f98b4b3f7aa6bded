// Package activator generates installable artifacts from the selections of a resolution: the entities
// (package and image), and for the class ResolveSet a plain+v0 bundle with a BundleDeployment for
// each of them, as a tar that is the same to the byte for the same entities; for other classes the objects of OLM v1, Argo CD or
// Flux, or a lock file.
//
// It is pure.
package activator
