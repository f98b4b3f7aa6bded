package containers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/dovetail-store/dovetail/src/test/e2e/load"
)

const storeURI = "mongodb://database/dovetail"

// services are run in three replicas each.
var services = []string{"resources", "descriptor", "override", "layering", "resolution", "changeset"}

// installation is Dovetail as microservices on one database, behind a gateway.
type installation struct {
	front, back string // networks: of the gateway and the servers, of these and the database
	schemas     string // folder of ref-schemas, laid out as a ConfigMap's
	database    testcontainers.Container
	servers     map[string][]testcontainers.Container // by service
	gateway     testcontainers.Container
}

func install(t *testing.T) *installation {
	t.Helper()
	i := &installation{front: newNetwork(t), back: newNetwork(t), schemas: folder(t), servers: make(map[string][]testcontainers.Container)}
	text, err := os.ReadFile("../../../ref-schemas/dovetail.yaml")
	if err != nil {
		t.Fatal(err)
	}
	i.swapSchemas(t, "first", string(text))
	i.database = startDatabase(t, i.back, "database")
	const replicas = 3
	args := []string{"gateway", "--listen=:8080"}
	var all sync.WaitGroup
	for _, service := range services {
		started := make([]testcontainers.Container, replicas)
		i.servers[service] = started
		for n := range replicas {
			name := fmt.Sprintf("%s-%d", service, n)
			s := server{name: name, networks: []string{i.front, i.back}, binds: []string{i.schemas + ":/schemas:ro"},
				args: []string{"serve", "--listen=:8080", "--anonymous=anywhere", "--services=" + service, "--store=" + storeURI, "--ref-schemas=/schemas"}}
			all.Go(func() { started[n] = s.start(t) })
			args = append(args, "http://"+name+":8080")
		}
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	i.gateway = server{name: "gateway", networks: []string{i.front}, args: args}.start(t)
	return i
}

// swapSchemas changes the ref-schema as the kubelet changes a mounted ConfigMap: all files in one step, by a link.
func (i *installation) swapSchemas(t *testing.T, version, text string) {
	t.Helper()
	for _, err := range []error{
		os.Mkdir(filepath.Join(i.schemas, ".."+version), 0o755),                                    //nolint:gosec // read by another user
		os.WriteFile(filepath.Join(i.schemas, ".."+version, "dovetail.yaml"), []byte(text), 0o644), //nolint:gosec // read by another user
		os.Symlink(".."+version, filepath.Join(i.schemas, "..next")),
		os.Rename(filepath.Join(i.schemas, "..next"), filepath.Join(i.schemas, "..data")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("..data/dovetail.yaml", filepath.Join(i.schemas, "dovetail.yaml")); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
}

// underLoad calls do under write load, and requires that no write is lost or fails and no reference dangles.
func (i *installation) underLoad(t *testing.T, cluster string, do func(l *load.Load)) {
	t.Helper()
	l, err := load.Start(t.Context(), load.Options{Server: url(t, i.gateway), Cluster: cluster})
	if err != nil {
		t.Fatal(err)
	}
	more := func() {
		before := l.Acknowledged()
		eventually(t, "50 more writes", func() bool { return l.Acknowledged() >= before+50 })
	}
	more()
	do(l)
	more()
	report := l.Stop(t.Context(), "")
	t.Log(report)
	for _, failed := range report.Failed {
		t.Error("failed: ", failed)
	}
	for _, lost := range report.Lost {
		t.Error("lost: ", lost)
	}
	i.fsck(t, storeURI)
}

// fsck requires fsck to find no problems. A database that just began to answer again may need a second try.
func (i *installation) fsck(t *testing.T, store string) {
	t.Helper()
	const unavailable, tries = 5, 5
	for try := 1; ; try++ {
		code, output := command(t, i.back, nil, "fsck", "--store="+store)
		switch {
		case code == 0:
			return
		case code != unavailable || try == tries:
			t.Errorf("fsck ends with %d: %s", code, output)
			return
		}
	}
}

// ready says of how many servers of a service the gateway knows that they are ready.
func (i *installation) ready(t *testing.T, service string) (count int) {
	t.Helper()
	_, body := get(t, url(t, i.gateway)+"/readyz")
	var answer struct {
		Checks []struct{ Name, Status string }
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatal(err)
	}
	for _, check := range answer.Checks {
		if strings.Contains(check.Name, service+"-") && check.Status == "ok" {
			count++
		}
	}
	return count
}

// restart ends containers, all at once, and starts them again. They have some time to end by themselves.
func restart(t *testing.T, patience time.Duration, containers ...testcontainers.Container) {
	t.Helper()
	var all sync.WaitGroup
	for _, c := range containers {
		all.Go(func() {
			if err := errors.Join(c.Stop(t.Context(), &patience), c.Start(t.Context())); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestMicroservices makes an installation fail in every way, one after the other, while it is written to.
func TestMicroservices(t *testing.T) {
	i := install(t)
	docker, err := testcontainers.NewDockerClientWithOpts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer docker.Close()

	t.Run("one API", func(t *testing.T) {
		for _, path := range []string{"/v2/clusters", "/api/sd/schema", "/api/v1.0/revisions", "/openapi.json"} {
			if status, body := get(t, url(t, i.gateway)+path); status >= 500 {
				t.Errorf("%s: %d %s", path, status, body)
			}
		}
		_, description := get(t, url(t, i.gateway)+"/openapi.json")
		for _, service := range services {
			_, index := get(t, url(t, i.servers[service][0])+"/")
			var own struct{ Endpoints []string }
			if err := json.Unmarshal([]byte(index), &own); err != nil {
				t.Fatal(err)
			}
			for _, endpoint := range own.Endpoints {
				if strings.HasPrefix(endpoint, "/api/") && !strings.Contains(description, `"`+endpoint+`"`) {
					t.Errorf("%s of %s is not in the description of the gateway", endpoint, service)
				}
			}
		}
	})
	t.Run("rolling restart", func(t *testing.T) {
		i.underLoad(t, "rolling", func(*load.Load) {
			for n := range 3 {
				var replica []testcontainers.Container
				for _, service := range services {
					replica = append(replica, i.servers[service][n])
				}
				restart(t, 20*time.Second, replica...)
				eventually(t, "all are ready", func() bool { return i.ready(t, "resources") == 3 })
			}
		})
	})
	t.Run("a replica is killed", func(t *testing.T) {
		i.underLoad(t, "killed", func(*load.Load) {
			restart(t, 0, i.servers["resources"][0])
			if err := kill(t, i.servers["resources"][1]); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the gateway notices", func() bool { return i.ready(t, "resources") == 2 })
		})
		if err := i.servers["resources"][1].Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("the database is killed", func(t *testing.T) {
		i.underLoad(t, "database", func(*load.Load) { restart(t, 0, i.database) })
	})
	t.Run("a replica is cut off from the database", func(t *testing.T) {
		cut := i.servers["resources"][2].GetContainerID()
		i.underLoad(t, "cut", func(*load.Load) {
			if err := docker.NetworkDisconnect(t.Context(), i.back, cut, true); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the gateway notices", func() bool { return i.ready(t, "resources") == 2 })
			connect(t, docker.Client, i.back, cut)
			eventually(t, "it is back", func() bool { return i.ready(t, "resources") == 3 })
		})
	})
	t.Run("the ref-schema changes", func(t *testing.T) { i.testSchemas(t) })
	t.Run("backup and restore", func(t *testing.T) { i.testBackup(t) })
}

func connect(t *testing.T, docker *client.Client, network, id string) {
	t.Helper()
	if err := docker.NetworkConnect(t.Context(), network, id, nil); err != nil {
		t.Fatal(err)
	}
}

// testSchemas puts a new schema and an invalid one in force under load.
func (i *installation) testSchemas(t *testing.T) {
	current, err := os.ReadFile(filepath.Join(i.schemas, "dovetail.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	next := string(current) + "\n  - name: crate\n    parent: cluster\n"
	each := func(holds func(at string) bool) func() bool {
		return func() bool {
			return !slices.ContainsFunc(i.servers["resources"], func(c testcontainers.Container) bool { return !holds(url(t, c)) })
		}
	}
	i.underLoad(t, "schemas", func(*load.Load) {
		i.swapSchemas(t, "second", next)
		eventually(t, "every replica has the new kind", each(func(at string) bool {
			status, _ := get(t, at+"/v2/clusters/schemas/crates")
			return status == 200
		}))
		i.swapSchemas(t, "third", next+"\n  - name: crate\n    parent: nowhere\n")
		eventually(t, "every replica refuses the invalid one and serves on", each(func(at string) bool {
			status, body := get(t, at+"/readyz")
			return status == 200 && strings.Contains(body, "are refused")
		}))
		if status, _ := get(t, url(t, i.gateway)+"/v2/clusters/schemas/crates"); status != 200 {
			t.Errorf("the last good schema does not stay: %d", status)
		}
	})
	i.swapSchemas(t, "fourth", next)
	eventually(t, "the good one is in force again", each(func(at string) bool {
		_, body := get(t, at+"/readyz")
		return !strings.Contains(body, "are refused")
	}))
}

// testBackup exports under load and restores into an empty database, which must hold at least what was acknowledged before.
func (i *installation) testBackup(t *testing.T) {
	dir := folder(t)
	const restored = "mongodb://database/restored"
	var before map[string]int
	var l *load.Load
	i.underLoad(t, "backup", func(running *load.Load) {
		l, before = running, running.Snapshot()
		if code, output := command(t, i.front, []string{dir + ":/backup"}, "export", "/backup/all.jsonl", "--server=http://gateway:8080"); code != 0 {
			t.Fatalf("export ends with %d: %s", code, output)
		}
	})
	if code, output := command(t, i.back, []string{dir + ":/backup", i.schemas + ":/schemas:ro"}, "import", "/backup/all.jsonl", "--store="+restored, "--ref-schemas=/schemas"); code != 0 {
		t.Fatalf("import ends with %d: %s", code, output)
	}
	i.fsck(t, restored)
	s := server{name: "restored", networks: []string{i.front, i.back}, args: []string{"serve", "--listen=:8080", "--anonymous=anywhere", "--store=" + restored}}
	c := s.start(t)
	for _, lost := range l.At(url(t, c)).Compare(context.WithoutCancel(t.Context()), before, func(want, got int) bool {
		return got >= want || got == -1 // what came later may be there, also a deletion
	}) {
		t.Error("lost: ", lost)
	}
}
