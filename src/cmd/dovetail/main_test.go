package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// asProgram in the environment makes the test program dovetail.
const asProgram = "DOVETAIL_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestProgram checks that the main package hands the commands what they need to open stores, databases and servers.
func TestProgram(t *testing.T) {
	tests, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	location := "bolt:" + filepath.Join(dir, "store.db")
	for _, test := range []struct {
		name, in, args string
		code           int
		output         string
	}{
		{name: "a command on a store", in: `{"kind":"cluster","metadata":{"name":"c"}}`, args: "apply -f - --store " + location, output: "created   cluster/c"},
		{name: "an export", args: "export --store " + location, output: `"cluster/c"`},
		{name: "a command on a database", args: "backup " + filepath.Join(dir, "backup") + " --store " + location},
		{name: "a restore", args: "restore " + filepath.Join(dir, "backup") + " --store bolt:" + filepath.Join(dir, "restored.db")},
		{name: "a command on a server", args: "get cluster c --server http://127.0.0.1:1", code: 5, output: "127.0.0.1:1"},
		{name: "a server", args: "serve --store nowhere:", code: 6, output: "nowhere:"},
		{name: "a gateway", args: "gateway nowhere:", code: 6, output: "nowhere:"},
		{name: "no such command", args: "nothing", code: 2, output: "nothing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			program := exec.CommandContext(t.Context(), tests, strings.Fields(test.args)...)
			program.Env = append(os.Environ(), asProgram+"=1")
			program.Stdin = strings.NewReader(test.in)
			output, err := program.CombinedOutput()
			if code := program.ProcessState.ExitCode(); code != test.code || !strings.Contains(string(output), test.output) {
				t.Errorf("exit code %d, %v, want %d:\n%s\nwant %q in it", code, err, test.code, output, test.output)
			}
		})
	}
}
