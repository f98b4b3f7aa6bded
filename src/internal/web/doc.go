// Package web serves the web UI: files that were built from ui and are embedded, so that
// neither Node nor a network is needed to build or to run the program.
//
// The page lives below /ui/. Its own addresses, as /ui/explorer?id=cluster/c1, all answer
// the same document, which draws what the address says. Nothing but /ui/ and, for browsers, / is taken
// from the API, and nothing is loaded from anywhere else.
//
// It imports only the standard library; the page uses the HTTP API as every client does.
package web
