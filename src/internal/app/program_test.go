package app

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// programName is the name under which the test program is dovetail.
const programName = "dovetail"

// program returns a path under which tests run dovetail in a process of its own: a link to the test program, which takes
// less time than building another.
var program = sync.OnceValues(func() (string, error) {
	tests, err := os.Executable()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "dovetail-test")
	if err != nil {
		return "", err
	}
	programDir = dir
	path := filepath.Join(dir, programName)
	return path, os.Symlink(tests, path)
})

// programDir is the folder of program, once a test used it.
var programDir string

func TestMain(m *testing.M) {
	if strings.HasSuffix(filepath.Base(os.Args[0]), programName) { // as the plug-in of kubectl, too
		os.Exit(runProgram())
	}
	code := m.Run()
	if programDir != "" {
		_ = os.RemoveAll(programDir)
	}
	os.Exit(code)
}

// runProgram does what the main package does, which has a test of its own.
func runProgram() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return cli.RunAs(ctx, cli.Deps{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.LookupEnv, UserConfigDir: os.UserConfigDir,
		Executable: os.Executable, Kubeconfig: ReadKubeconfig,
		Connect: Connect, Open: Open, OpenBackend: OpenBackend, VerifyCheckpoint: VerifyCheckpoint, ReadForeign: ReadForeign, ReadTables: ReadTables, TakeOver: TakeOver, Examine: Examine, RaiseProtocol: RaiseProtocol, Serve: Serve, Gateway: Gateway, Settings: Settings(),
	}, os.Args[0], os.Args[1:])
}

// programCommand is a call of the program.
func programCommand(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(path, arguments...)
}
