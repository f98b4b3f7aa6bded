// Package login logs users of the command line in at a provider of OpenID Connect: in a browser, with an authorization code and
// PKCE (RFC 7636, RFC 8252), or on another device (RFC 8628). A login is refreshed as long as the provider allows it, and a
// Keyring is what is kept of logins.
//
// It asks providers, and listens for the browser on the loopback interface; the command line reads and writes the file of the
// keyring. No error shows a token or a code.
//
// The package imports only dovetail.
package login
