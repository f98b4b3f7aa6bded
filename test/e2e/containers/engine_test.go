package containers_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/go-connections/nat"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/network"
	"github.com/testcontainers/testcontainers-go/wait"
)

// The images: scripts/images and scripts/documentdb image make them, others can be named.
var (
	image         = or(os.Getenv("DOVETAIL_IMAGE"), "dovetail:latest")
	databaseImage = or(os.Getenv("DOVETAIL_DATABASE_IMAGE"), "dovetail-documentdb")
)

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func TestMain(m *testing.M) {
	if err := exec.Command("docker", "version").Run(); err != nil {
		fmt.Println("skipped: no container engine answers")
		os.Exit(0)
	}
	if err := exec.Command("docker", "image", "inspect", image).Run(); err != nil {
		fmt.Println("there is no image", image, "here: run scripts/images")
		os.Exit(1)
	}
	for name, value := range map[string]string{
		"TESTCONTAINERS_RYUK_DISABLED": "true",      // its image may be out of reach; tests clean up themselves
		"TESTCONTAINERS_HOST_OVERRIDE": "127.0.0.1", // where the ports are, also for tests that run in a container
	} {
		if _, set := os.LookupEnv(name); !set {
			_ = os.Setenv(name, value)
		}
	}
	os.Exit(m.Run())
}

// newNetwork makes a network that goes with the test.
func newNetwork(t *testing.T) string {
	t.Helper()
	n, err := network.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Remove(context.WithoutCancel(t.Context())) })
	return n.Name
}

// run starts a container that goes with the test.
func run(t *testing.T, request testcontainers.ContainerRequest) testcontainers.Container {
	t.Helper()
	c, err := tryRun(t, request)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func tryRun(t *testing.T, request testcontainers.ContainerRequest) (testcontainers.Container, error) {
	t.Helper()
	c, err := testcontainers.GenericContainer(t.Context(), testcontainers.GenericContainerRequest{ContainerRequest: request, Started: true, Logger: quiet{}})
	if c != nil {
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("the end of the log of %s:\n%s", request.Name, logs(c))
			}
			_ = c.Terminate(context.WithoutCancel(t.Context()), testcontainers.StopTimeout(0))
		})
	}
	return c, err
}

// quiet keeps the library from telling what it does.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

func logs(c testcontainers.Container) string {
	reader, err := c.Logs(context.Background())
	if err != nil {
		return err.Error()
	}
	defer reader.Close()
	text, _ := io.ReadAll(reader)
	return string(text[max(0, len(text)-4000):])
}

// startDatabase starts a MongoDB-compatible server, which others in the network reach at its alias.
func startDatabase(t *testing.T, network, alias string) testcontainers.Container {
	t.Helper()
	requireDatabaseImage(t)
	return run(t, testcontainers.ContainerRequest{
		Image: databaseImage, Networks: []string{network}, NetworkAliases: map[string][]string{network: {alias}},
		ExposedPorts: []string{"127.0.0.1::27017"}, WaitingFor: wait.ForListeningPort("27017/tcp"),
	})
}

// requireDatabaseImage fails a test that needs the image of the database where it was not built.
func requireDatabaseImage(t *testing.T) {
	t.Helper()
	if err := exec.Command("docker", "image", "inspect", databaseImage).Run(); err != nil {
		t.Fatalf("there is no image %s here: run scripts/documentdb image", databaseImage)
	}
}

// asInTheChart restricts a container as the pods of the Helm chart are.
func asInTheChart(binds ...string) func(*container.HostConfig) {
	return func(h *container.HostConfig) {
		h.ReadonlyRootfs, h.CapDrop, h.SecurityOpt = true, []string{"ALL"}, []string{"no-new-privileges"}
		h.Tmpfs = map[string]string{"/tmp": ""}
		h.Binds = binds
	}
}

// server describes a container of Dovetail.
type server struct {
	name     string
	args     []string
	networks []string
	binds    []string
}

// start starts a server that answers on a port of this machine. Several may be started at once, so a failure ends
// the test only when it is searched for.
func (s server) start(t *testing.T) testcontainers.Container {
	t.Helper()
	request := testcontainers.ContainerRequest{
		Image: image, Cmd: s.args, ExposedPorts: []string{"127.0.0.1::8080"}, HostConfigModifier: asInTheChart(s.binds...),
		WaitingFor: wait.ForHTTP("/readyz").WithPort("8080/tcp").WithPollInterval(20 * time.Millisecond).WithStartupTimeout(5 * time.Minute),
		Networks:   s.networks, NetworkAliases: map[string][]string{},
	}
	for _, n := range s.networks {
		request.NetworkAliases[n] = []string{s.name}
	}
	c, err := tryRun(t, request)
	if err != nil {
		t.Error(err)
	}
	return c
}

// command runs the command line in a container until it ends and returns its exit code and what it put out.
func command(t *testing.T, network string, binds []string, args ...string) (code int, output string) {
	t.Helper()
	c := run(t, testcontainers.ContainerRequest{Image: image, Cmd: args, Networks: []string{network}, HostConfigModifier: asInTheChart(binds...),
		WaitingFor: wait.ForExit().WithExitTimeout(5 * time.Minute)})
	state, err := c.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return state.ExitCode, logs(c)
}

// url is where a server answers now: a container that was started again has another port.
func url(t *testing.T, c testcontainers.Container) string {
	t.Helper()
	port, err := c.MappedPort(t.Context(), nat.Port("8080/tcp"))
	if err != nil {
		t.Fatal(err)
	}
	return "http://127.0.0.1:" + port.Port()
}

// folder is a directory of this machine that containers can mount and write into.
func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shared")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // the containers have another user
		t.Fatal(err)
	}
	return dir
}

// get returns the answer to a GET request.
func get(t *testing.T, at string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(text)
}

// eventually waits until something holds. It asks again after pauses: containers tell of no events.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	const most, pause = 5 * time.Minute, 100 * time.Millisecond
	for end := time.Now().Add(most); !holds(); time.Sleep(pause) {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", most, what)
		}
	}
}
