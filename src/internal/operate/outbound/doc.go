// Package outbound decides which hosts Dovetail connects to at the request of stored data, such as the URL of a
// registry in a definition, and makes HTTP clients that enforce this: for the first request, for each redirect and,
// by the resolved address, for each connection. It prevents server-side request forgery (SSRF).
//
// Hosts that operators name with flags (a Git remote, an OpenID Connect provider, the database) are trusted and do
// not pass through here.
package outbound
