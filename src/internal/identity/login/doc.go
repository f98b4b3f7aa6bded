// Package login logs in users of the command line at an OpenID Connect provider: in a browser, with an authorization code and
// PKCE (RFC 7636, RFC 8252), or on another device (RFC 8628). A login is refreshed as long as the provider allows it; a
// Keyring stores logins.
//
// It sends requests to providers, and listens for the browser on the loopback interface; the command line reads and writes the file of the
// keyring. No error shows a token or a code.
package login
