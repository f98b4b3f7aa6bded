// Package artifact finds solution descriptors that were published as artifacts, for
// descriptor.Artifacts. Folder reads them from files, Maven downloads them from the registries that
// stored definitions name.
package artifact
