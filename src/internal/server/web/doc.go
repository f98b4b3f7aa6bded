// Package web serves the web UI: files that were built from ui and are embedded, so that
// neither Node nor a network is needed to build or to run the program.
//
// The web UI is a single-page application below /ui/. Its addresses, such as /ui/explorer?id=cluster/c1, all answer
// the same page, which renders the address. Of the paths of the API it takes only /ui/ and, for browsers, /; it loads
// nothing from other origins.
//
// The page uses the HTTP API as every client does.
package web
