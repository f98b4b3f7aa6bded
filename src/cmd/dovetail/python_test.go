package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPythonModule runs the tests of the Python module with the system's Python, and this test as the program.
func TestPythonModule(t *testing.T) {
	python := "/usr/bin/python3" // of Debian
	if _, err := os.Stat(python); err != nil {
		if python, err = exec.LookPath("python3"); err != nil {
			t.Skip("python3 is not installed")
		}
	}
	if output, err := exec.CommandContext(t.Context(), python, "-c", "import yaml").CombinedOutput(); err != nil {
		t.Skipf("PyYAML is not installed: %s", output)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	testdata, err := filepath.Abs("../../layering/rendering/testdata/deckhand")
	if err != nil {
		t.Fatal(err)
	}
	tests := exec.CommandContext(t.Context(), python, "-B", "dovetail_layering_test.py")
	tests.Dir = "../../layering/python"
	tests.Env = append(os.Environ(), asProgram+"=1", "DOVETAIL="+program, "TESTDATA="+testdata, "PYTHONDONTWRITEBYTECODE=1")
	if output, err := tests.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, output)
	}
}
