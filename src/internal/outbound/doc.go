// Package outbound decides which hosts Dovetail connects to at the request of stored data, such as the URL of a
// registry in a definition, and makes HTTP clients that keep to it: for the first request, for each redirect and,
// by the address that a name resolved to, for each connection. It prevents server-side request forgery (SSRF).
//
// What operators name themselves with flags (a Git remote, an OpenID Connect provider, the database) is their own
// decision and does not pass through here.
//
// It may import the domain.
package outbound
