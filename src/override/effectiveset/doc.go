// Package effectiveset calculates the effective set of an environment from its instance repository and SBOMs: the files that EnvGene's
// pipeline writes, byte for byte. Where the calculator of EnvGene contradicts its documents, the calculator is followed, and a
// finding says so.
//
// A calculation has levels (tenant, cloud, namespace, application), each with parameters of the user and with calculated ones. They are merged per
// context, macros are resolved against the merged result, and values that contain credentials are separated from the rest.
//
// It is pure: it reads an fs.FS and returns files.
package effectiveset
