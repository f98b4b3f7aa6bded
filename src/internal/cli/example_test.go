package cli_test

import (
	"context"
	"os"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// A program of its own runs verbs without the operating system's arguments, streams and environment.
func ExampleRun() {
	code := cli.Run(context.Background(), cli.Deps{
		Out: os.Stdout, Err: os.Stdout, // nothing is read from the environment
		Connect: app.Connect, Open: app.Open, Serve: app.Serve, Settings: app.Settings(),
	}, []string{"schema", "check", "testdata/schema", "-o", "json"})
	if code != cli.ExitOK {
		os.Exit(code)
	}
	// Output:
	// {
	//   "hash": "c0929b28a24cbf41",
	//   "sources": 1,
	//   "kinds": 6,
	//   "names": 7,
	//   "references": 2,
	//   "warnings": 0
	// }
}
