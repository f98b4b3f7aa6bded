// Package argocd lets the engine of Argo CD keep documents as a folder of manifests says. It only holds tests: they build the program, start it
// as its users do, and know of it what the Kubernetes API tells.
package argocd
