package apptest

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
)

// ProgramName is the name under which the test program is dovetail.
const ProgramName = "dovetail"

// programDir is the folder of Program, or "" if no test has used it.
var programDir string

// Program returns a path under which tests run dovetail in a process of its own: a link to the test program, which takes
// less time than building another. The TestMain of the package must call Main.
var Program = sync.OnceValues(func() (string, error) {
	tests, err := os.Executable()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "dovetail-test")
	if err != nil {
		return "", err
	}
	programDir = dir
	path := filepath.Join(dir, ProgramName)
	return path, os.Symlink(tests, path)
})

// Main runs the tests, or calls run if the process was started under the name of the program. It is for TestMain.
func Main(m *testing.M, run func(ctx context.Context, name string, arguments []string) int) {
	if strings.HasSuffix(filepath.Base(os.Args[0]), ProgramName) { // as the plug-in of kubectl, too
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		code := run(ctx, os.Args[0], os.Args[1:])
		stop()
		os.Exit(code)
	}
	code := m.Run()
	if programDir != "" {
		_ = os.RemoveAll(programDir)
	}
	os.Exit(code)
}

// Command returns a call of the program.
func Command(t testing.TB, arguments ...string) *exec.Cmd {
	t.Helper()
	path, err := Program()
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(path, arguments...)
}
