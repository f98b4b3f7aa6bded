package app

import (
	"context"
	"os"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/apptest"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

func TestMain(m *testing.M) { apptest.Main(m, runProgram) }

// runProgram does what the main package does, which has a test of its own.
func runProgram(ctx context.Context, name string, arguments []string) int {
	deps := CommandLine()
	deps.In, deps.Out, deps.Err, deps.Env = os.Stdin, os.Stdout, os.Stderr, os.LookupEnv
	deps.UserConfigDir, deps.Executable = os.UserConfigDir, os.Executable
	return cli.RunAs(ctx, deps, name, arguments)
}
