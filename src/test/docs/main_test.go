// Package docs_test runs the commands of the documentation, and checks its links and commands.
package docs_test

import (
	"context"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
)

func TestMain(m *testing.M) {
	apptest.Main(m, func(ctx context.Context, name string, arguments []string) int {
		return cli.RunAs(ctx, app.Program(), name, arguments)
	})
}

// startServer runs a server until the test ends and returns its URL.
func startServer(t testing.TB, flags map[string]string) string {
	t.Helper()
	config, err := app.Load(apptest.ServerFlags(t, flags), nil)
	if err != nil {
		t.Fatal(err)
	}
	server, err := app.Start(t.Context(), config, &apptest.Logs{})
	if err != nil {
		t.Fatal(err)
	}
	apptest.Run(t, server.Run)
	return server.URL()
}
