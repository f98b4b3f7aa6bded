// Package gateway is a reverse proxy in front of several servers, each with some of the services: it probes which
// paths each server serves, and routes requests by path, within rate limits. It is stateless and makes no decisions
// about documents; any number may run.
package gateway
