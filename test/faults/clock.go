package faults

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// clockVariable names the file with the seconds that a process's clock is off, as 8 bytes, which may change while the process runs.
const clockVariable = "FAULTS_CLOCK"

// skewedNow is what package time gets beside its own files. It may import only what package time may.
const skewedNow = `package time

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

var clockFile = mapClockFile()

func mapClockFile() *int64 {
	path, found := syscall.Getenv("` + clockVariable + `")
	if !found {
		return nil
	}
	file, err := syscall.Open(path, syscall.O_RDONLY, 0)
	if err != nil {
		panic("time: " + path + ": " + err.Error())
	}
	shared, err := syscall.Mmap(file, 0, 8, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		panic("time: " + path + ": " + err.Error())
	}
	return (*int64)(unsafe.Pointer(&shared[0]))
}

func clockOffset() int64 {
	if clockFile == nil {
		return 0
	}
	return atomic.LoadInt64(clockFile)
}
`

// Build builds the program with a clock that can be set off, and with files replaced, by their paths in the repository.
func Build(ctx context.Context, folder string, replaced map[string]string) (string, error) {
	output, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	timeFolder := filepath.Join(strings.TrimSpace(string(output)), "src", "time")
	original, err := os.ReadFile(filepath.Join(timeFolder, "time.go"))
	if err != nil {
		return "", err
	}
	const reading = "sec, nsec, mono := runtimeNow()\n"
	now := strings.ReplaceAll(string(original), reading, reading+"\tsec += clockOffset()\n")
	if now == string(original) {
		return "", fmt.Errorf("%s/time.go does not read the clock by %q: this version of Go needs another overlay", timeFolder, reading)
	}
	files := map[string]string{filepath.Join(timeFolder, "time.go"): now, filepath.Join(timeFolder, "clock_file.go"): skewedNow}
	for path, text := range replaced {
		absolute, err := filepath.Abs(filepath.Join(repository, path))
		if err != nil {
			return "", err
		}
		files[absolute] = text
	}
	overlay := make(map[string]string)
	for path, text := range files {
		name := filepath.Join(folder, fmt.Sprintf("overlay-%d.go", len(overlay)))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return "", err
		}
		overlay[path] = name
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return "", err
	}
	list, program := filepath.Join(folder, "overlay.json"), filepath.Join(folder, "dovetail")
	if err := os.WriteFile(list, text, 0o600); err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay", list, "-o", program, "./src/cmd/dovetail") //nolint:gosec // ours
	build.Dir = repository
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, output)
	}
	return program, nil
}

// repository is the root of the working tree.
const repository = "../.."

// setClock writes how far a clock is off.
func setClock(path string, offset time.Duration) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(int64(offset/time.Second))), 0)
	return err
}
