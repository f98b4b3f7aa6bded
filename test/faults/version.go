package faults

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Supported is the commit of the last version that may run beside this one on a database. It is the last one with another protocol between
// processes: its leases and heartbeats have other names, so that a hand-over between the two shows what the protocol promises.
//
//go:embed supported.txt
var Supported string

// errNoHistory says that the sources of the version are not there, as in a copy without history.
type errNoHistory struct{ cause string }

// Error implements error.
func (e errNoHistory) Error() string {
	return "the last supported version cannot be built: " + e.cause
}

// BuildSupported builds the last supported version, once for all runs: it is kept in the cache of the user.
func BuildSupported(ctx context.Context) (string, error) {
	commit := strings.TrimSpace(Supported)
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", errNoHistory{err.Error()}
	}
	kept := filepath.Join(cache, "dovetail", "versions", commit)
	program := filepath.Join(kept, "dovetail")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp(filepath.Dir(kept), "new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	sources, archive := filepath.Join(folder, "sources"), filepath.Join(folder, "sources.tar")
	if err := os.Mkdir(sources, 0o700); err != nil {
		return "", err
	}
	git := exec.CommandContext(ctx, "git", "archive", "--output", archive, commit) //nolint:gosec // ours
	git.Dir = repository
	if output, err := git.CombinedOutput(); err != nil {
		return "", errNoHistory{fmt.Sprintf("%v: %s", err, output)}
	}
	if output, err := exec.CommandContext(ctx, "tar", "-xf", archive, "-C", sources).CombinedOutput(); err != nil { //nolint:gosec // ours
		return "", fmt.Errorf("tar: %w: %s", err, output)
	}
	if err := buildPlain(ctx, sources, filepath.Join(folder, "dovetail")); err != nil {
		return "", err
	}
	if err := os.RemoveAll(sources); err != nil {
		return "", err
	}
	if err := os.Rename(folder, kept); err != nil && !fileExists(program) { // another run was first
		return "", err
	}
	return program, nil
}

// buildPlain builds the program of a folder with the clock of the machine.
func buildPlain(ctx context.Context, sources, program string) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./src/cmd/dovetail") //nolint:gosec // ours
	build.Dir = sources
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, output)
	}
	return nil
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
