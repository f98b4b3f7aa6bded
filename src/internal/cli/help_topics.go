package cli

import "github.com/spf13/cobra"

// helpTopics are what `dovetail help` knows beside the verbs.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "Exit codes", Long: `The exit codes of every command:

    0  success
    1  success with findings: diff, schema diff and sd diff found differences, fsck and check found problems,
       the other sd commands rejected solution descriptors, import and export of an instance-repo
       reported something, resolve rejected its input, a change set cannot be merged (changeset check)
    2  usage error: unknown command, flag or argument; resolve: the constraints cannot be satisfied
    3  the document does not exist (not-found)
    4  the change conflicts with the stored state (exists, missing, in-use, stale, precondition-required,
       conflict, expired)
    5  the server or its store is unavailable (unavailable, timeout, unknown, rate-limited). Only after
       "unknown" the transaction may have been committed: "dovetail outcome" finds out
    6  invalid input (invalid, unprocessable, schema, too-large, media-type,
       not-acceptable, method)
    7  not authenticated, or not authorized (unauthenticated, forbidden)
    8  stored data is damaged, or an internal error (corrupt, internal)
  130  interrupted; a transaction was not committed, and nothing was changed (canceled)

A command that is interrupted, or loses its connection, while its transaction is under way asks the server
for its outcome. If it was committed, the result is shown, and the exit code is 0. Otherwise it is
aborted (130), or, when the server does not answer within five seconds, its outcome is unknown (5).

The words in parentheses are the error codes that -o json shows. Of several errors the
first one determines the exit code.`},
		{Use: "output", Short: "Output formats", Long: `Every command takes -o with one of

  table   columns to read; wide has more of them
  name    ids, a line each
  json    one JSON text: an object, or {"items": [...]} of several
  yaml    YAML documents, which "dovetail apply" reads

Commands that show or change documents also accept the formats of kubectl that have an argument:

  jsonpath=TEMPLATE          such as jsonpath='{.metadata.name}' or jsonpath='{range .items[*]}{.key.app}{"\\n"}{end}'
  go-template=TEMPLATE       a Go template, such as go-template='{{range .items}}{{.metadata.name}} {{end}}'
  custom-columns=NAME:PATH,NAME:PATH
                             such as custom-columns=NAME:.metadata.name,REPLICAS:.spec.replicas

They apply to what -o json shows: for one named document the document itself, otherwise .items. With -file after the
name of the format, as in jsonpath-file=FILE, the argument is read from a file. A path that finds nothing prints
nothing, or <none> in a column. "dovetail get" sorts by a path with --sort-by.`},
		{Use: "names", Short: "Names of kinds and documents", Long: `A kind is named by its name (compositeApp), the name of its entry, or that of its collection
(composite-apps, composite-app); case, - and _ do not matter where the meaning is clear.

A document is named in one of three ways. For a kind app with the key project, compositeApp,
compositeAppVersion, app:

  by its id, element names and values in turn
      dovetail get project/p1/compositeApp/shop/compositeAppVersion/v3/app/nginx

  by its kind and the values of its key, as lists show them
      dovetail get app p1/shop/v3/nginx

  by its kind, with a part of the key given by --in or --part
      dovetail get app v3/nginx --in project/p1/compositeApp/shop
      dovetail get app nginx -p project=p1,compositeApp=shop,compositeAppVersion=v3

A slash or a percent sign within a value is written as in a URL, %2F and %25. --in and --part also
narrow lists: "dovetail get apps --in project/p1".`},
	}
}
