// Package chart tests the Helm chart with Helm's own library and without a cluster: linted, rendered for many
// values, every object decoded strictly against the types of the Kubernetes API and checked with what it
// refers to. What only a real API server can say, package cluster asks one.
package chart
