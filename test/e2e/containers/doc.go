// Package containers tests the built image beside a MongoDB-compatible server, both in containers: alone, as
// microservices with replicas, and while things fail. Without a container engine its tests are skipped.
package containers
