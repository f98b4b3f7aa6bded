// Package follow keeps sources of packages as others publish them: a catalog in a container image, a Helm repository, a repository of
// OCI charts, a folder in Git, a file at a URL, or the source of another Dovetail. A source whose spec has `follow` is fetched again
// and again; what is stored of it changes with what was published. A package that cannot be read keeps what is stored of it, and so does
// the whole source while it cannot be fetched; the status says so.
//
// Only hosts that the operator lists are connected to, and credentials come from a file of the operator, by host: stored data can neither
// lead anywhere else, nor name a secret.
package follow
