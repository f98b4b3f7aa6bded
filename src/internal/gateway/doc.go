// Package gateway makes several servers, each with some of the services, look like one: it asks each what
// it serves and sends requests where they belong, within limits. It keeps no state that matters and decides
// nothing about documents; any number may run.
//
// It imports dovetail, problem, ratelimit and forwarded.
package gateway
