package cli

import "github.com/spf13/cobra"

// helpTopics are what `dovetail help` knows beside the verbs.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "What the exit codes mean", Long: `The exit codes of every verb:

    0  done
    1  done, and the answer is no: diff, schema diff and sd diff found differences, fsck found problems,
       the other verbs of sd refused solution descriptors, import and export of an instance-repo
       reported something, resolve refused its input
    2  unknown verb, flag or argument: nothing was tried; resolve: the constraints cannot be satisfied
    3  the document does not exist (not-found)
    4  what is stored forbids the change (exists, missing, in-use, stale, precondition-required,
       conflict, expired)
    5  the server or its store cannot answer now (unavailable, timeout, unknown, rate-limited); of
       "unknown" it is not known whether the change was made
    6  the input breaks a rule (invalid, unprocessable, schema, too-large, media-type,
       not-acceptable, method)
    7  not logged in, or not allowed (unauthenticated, forbidden)
    8  stored data is damaged, or Dovetail is at fault (corrupt, internal)
  130  interrupted (canceled)

The words in parentheses are the codes of errors, as -o json shows them. Of several errors the
first one decides.`},
		{Use: "names", Short: "How kinds and documents are named", Long: `A kind is named by its name (compositeApp), the name of its entry, or that of its collection
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
