// Package cluster tests the Helm chart in the Kubernetes that KUBECONFIG names, with Helm's own library: scripts/cluster
// makes one on this machine, any other does as well. It must know the images. Requests go through the proxy of
// the API server, so that nothing else of the cluster has to be reached. Without KUBECONFIG the tests are skipped.
package cluster
