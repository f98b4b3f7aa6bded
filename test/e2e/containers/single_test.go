package containers_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"

	"github.com/dovetail-store/dovetail/src/test/e2e/load"
)

// TestSingle runs the image as it is, on its embedded store: its size, how long it takes to be ready and the memory that it
// holds, and that nothing is lost when it is killed.
func TestSingle(t *testing.T) {
	data := folder(t)
	net := newNetwork(t)
	s := server{name: "dovetail", networks: []string{net}, binds: []string{data + ":/data"},
		args: []string{"serve", "--listen=:8080", "--anonymous=anywhere", "--store=bolt:/data/dovetail.db"}}
	c := s.start(t)

	docker, err := testcontainers.NewDockerClientWithOpts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer docker.Close()
	inspected, err := docker.ImageInspect(t.Context(), image)
	if err != nil {
		t.Fatal(err)
	}
	const mostBytes, mostMiB = 64_000_000, 32
	if inspected.Size > mostBytes {
		t.Errorf("the image has %d bytes, want at most %d", inspected.Size, mostBytes)
	}
	if inspected.Config.User != "65532:65532" {
		t.Errorf("the image runs as %q", inspected.Config.User)
	}
	state, err := c.Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	memory := memoryMiB(t, state.State.Pid)
	if memory > mostMiB {
		t.Errorf("an idle server holds %d MiB of memory, want at most %d", memory, mostMiB)
	}

	quickest := time.Hour
	for range 3 {
		if err := kill(t, c); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := c.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		quickest = min(quickest, time.Since(began))
	}
	t.Logf("image %d bytes, ready after %s, %d MiB of memory", inspected.Size, quickest.Round(time.Millisecond), memory)

	writing, err := load.Start(t.Context(), load.Options{Server: url(t, c), Cluster: "c1", Patience: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "200 writes", func() bool { return writing.Acknowledged() >= 200 })
	if err := kill(t, c); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	report := writing.Stop(t.Context(), url(t, c)) // the port is another one: what was under way failed
	t.Log(report)
	for _, lost := range report.Lost {
		t.Error("lost: ", lost)
	}
	if err := kill(t, c); err != nil {
		t.Fatal(err)
	}
	if code, output := command(t, net, s.binds, "fsck", "--store=bolt:/data/dovetail.db"); code != 0 {
		t.Errorf("fsck ends with %d: %s", code, output)
	}
}

// kill ends a container as a crash does.
func kill(t *testing.T, c testcontainers.Container) error {
	t.Helper()
	now := time.Duration(0)
	return c.Stop(t.Context(), &now)
}

var anonymous = regexp.MustCompile(`RssAnon:\s+(\d+) kB`)

// memoryMiB returns the memory that a process allocated. The pages of its program's file that the kernel has mapped do not
// count: how many there are depends on the machine, and the kernel takes them back when it needs them.
func memoryMiB(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("the engine's processes are not those of this machine: ", err)
	}
	found := anonymous.FindSubmatch(text)
	if found == nil {
		t.Fatalf("no memory in %s", text)
	}
	kib, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kib / 1024
}
