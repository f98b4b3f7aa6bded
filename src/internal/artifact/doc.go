// Package artifact finds solution descriptors that were published as artifacts, for
// descriptor.Artifacts. Folder reads them from files, Maven downloads them from the registries that
// stored definitions name.
//
// It may import the domain, value, sd, limit, outbound and ciphertext; it must not import a store, httpapi, client or cli.
package artifact
