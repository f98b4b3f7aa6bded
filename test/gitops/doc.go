// Package gitops lets existing tools keep documents as a folder of manifests says: the engine of Flux, and the newest kubectl with its sets
// of what it applies; and it has kustomize call the program as a function. Informers and dynamic clients of client-go, on which other tools are built,
// are held to what is stored and to a model. It only holds tests: they build the program, start it as its users do, and know of it what the
// Kubernetes API tells.
package gitops
