// Package chart tests the Helm chart with Helm's own library and without a cluster: linted, rendered for many
// values, every object decoded strictly against the types of the Kubernetes API and checked with the objects that it
// references. Package cluster tests what needs a real API server.
package chart
