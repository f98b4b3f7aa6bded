package app

import (
	"os"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// CommandLine returns the dependencies of the command line that this package provides. The caller sets those of its process,
// such as its input and output.
func CommandLine() cli.Deps {
	return cli.Deps{
		Kubeconfig: ReadKubeconfig, Connect: Connect, Open: Open, OpenBackend: OpenBackend, Salvage: Salvage, VerifyCheckpoint: VerifyCheckpoint,
		ReadForeign: ReadForeign, ReadTables: ReadTables, TakeOver: TakeOver, Examine: Examine, RaiseProtocol: RaiseProtocol,
		Serve: Serve, Gateway: Gateway, Settings: Settings(), Config: Services(),
	}
}

// Program returns the dependencies of the command line with the input, output and environment of this process.
func Program() cli.Deps {
	deps := CommandLine()
	deps.In, deps.Out, deps.Err, deps.Env = os.Stdin, os.Stdout, os.Stderr, os.LookupEnv
	deps.UserConfigDir, deps.Executable = os.UserConfigDir, os.Executable
	return deps
}
