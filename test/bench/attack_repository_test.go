package bench

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // the names of Git's objects
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
)

// TestWorstRepositories pushes commits to the instance repository of a server that has the memory of a pod: they are small where they are packed, and
// large or without bounds in memory. The server must stay up and within its memory, others must be able to write meanwhile, and it must follow the
// repository again once that is as it was, after a restart, too.
func TestWorstRepositories(t *testing.T) {
	if _, err := program(); err != nil { // built before GOMEMLIMIT is set
		t.Fatal(err)
	}
	seed := *attackSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-attack-seed %d", seed)
	t.Setenv("GOMEMLIMIT", fmt.Sprint(goMemory))
	remote := hostileRemote{gittest.New(t, map[string]string{"environments/c1/e1/Inventory/env_definition.yml": "inventory: {environmentName: e1}\n"}), t}
	policy := filepath.Join(t.TempDir(), "access.yaml")
	if err := os.WriteFile(policy, attackPolicy(), 0o600); err != nil {
		t.Fatal(err)
	}
	group, database := newMemoryGroup(t), filepath.Join(t.TempDir(), "attacked.db")
	start := func() *server {
		return launchIn(t, group.procs, database, "--access", policy, "--instance-repo", "file://"+remote.Dir, "--instance-repo-interval", "1s")
	}
	s := start()
	w := newAttackedWriter(s.address)
	w.collection, w.member = "sources", "priority"
	w.run(t, time.Second) // warms up
	alone := w.run(t, time.Second)
	t.Logf("writer alone: p50 %v, p99 %v, %d writes", alone.quantile(.5), alone.quantile(.99), len(alone.times))
	r := rand.New(rand.NewPCG(seed, 0))
	for _, n := range r.Perm(len(hostileCommits)) {
		hostile := hostileCommits[n]
		before := remote.Head()
		hostile.push(r, remote)
		under := w.run(t, max(*attackTime/time.Duration(len(hostileCommits)), 2*time.Second))
		if r.IntN(2) == 0 { // it is met again
			s.stop(t)
			s = start()
			w.address = s.address
			under.failed += w.run(t, time.Second).failed
		}
		memory := s.peak(t)
		if memory >= mostMemory {
			t.Errorf("%s: the server took %d bytes of memory, the limit is %d", hostile.name, memory, mostMemory)
		}
		if under.failed > 0 {
			t.Errorf("%s: %d of %d writes of another principal failed, such as: %s", hostile.name, under.failed, len(under.times)+under.failed, under.failure)
		}
		name := fmt.Sprintf("after%d", n)
		remote.restore(before, name)
		w.await(t, "/v2/clusters/c1/environments/"+name)
		t.Logf("%-18s writer p50 %v, p99 %v, %d writes; most resident memory so far %d MiB", hostile.name, under.quantile(.5), under.quantile(.99), len(under.times), memory>>20)
	}
	s.stop(t)
}

// await waits until there is a document.
func (w *attackedWriter) await(t *testing.T, path string) {
	t.Helper()
	attempts := time.NewTicker(100 * time.Millisecond)
	defer attempts.Stop()
	for end := time.Now().Add(time.Minute); ; <-attempts.C {
		err := w.send(t, "GET", path, "")
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the server does not follow the repository any more: %v", err)
		}
	}
}

// hostileCommits are commits that no repository should have.
var hostileCommits = []struct {
	name string
	push func(r *rand.Rand, to hostileRemote)
}{
	{"a blob of zeros", func(r *rand.Rand, to hostileRemote) {
		size := int64(upTo(r, 600_000_000))
		blob := to.object("blob", size, io.LimitReader(same(0), size))
		to.commit(map[string]treeEntry{oneOf(r, "big.bin", "env_definition.yml"): {"100644", blob}}, "zeros")
	}},
	{"many references", func(r *rand.Rand, to hostileRemote) {
		var refs strings.Builder
		refs.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
		for n := range upTo(r, 300_000) {
			fmt.Fprintf(&refs, "%s refs/tags/%06d%s\n", to.Head(), n, strings.Repeat("n", 200))
		}
		to.write("packed-refs", refs.String())
	}},
	{"deep folders", func(r *rand.Rand, to hostileRemote) {
		at := to.tree(map[string]treeEntry{"f.yml": {"100644", to.text("blob", "name: f\n")}})
		for range upTo(r, 20_000) {
			at = to.tree(map[string]treeEntry{"d": {"40000", at}})
		}
		to.commit(map[string]treeEntry{"d": {"40000", at}}, "deep")
	}},
	{"folders that double", func(r *rand.Rand, to hostileRemote) {
		at := to.tree(map[string]treeEntry{"f.yml": {"100644", to.text("blob", "name: f\n")}})
		for range 10 + r.IntN(30) {
			at = to.tree(map[string]treeEntry{"a": {"40000", at}, "b": {"40000", at}})
		}
		to.commit(map[string]treeEntry{"d": {"40000", at}}, "double")
	}},
	{"a folder of many", func(r *rand.Rand, to hostileRemote) {
		blob, files := to.text("blob", "name: f\n"), make(map[string]treeEntry)
		for n := range upTo(r, 500_000) {
			files[fmt.Sprintf("%07d.yml", n)] = treeEntry{"100644", blob}
		}
		to.commit(map[string]treeEntry{"parameters": {"40000", to.tree(files)}}, "many")
	}},
	{"a long message", func(r *rand.Rand, to hostileRemote) {
		to.commit(nil, strings.Repeat("x", upTo(r, 200_000_000)))
	}},
}

// hostileRemote is a repository in which objects are made as no program of Git would make them.
type hostileRemote struct {
	*gittest.Remote

	t *testing.T
}

// treeEntry is an entry of a folder.
type treeEntry struct{ mode, hash string }

func (h hostileRemote) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.Dir, name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// object stores an object and returns its hash.
func (h hostileRemote) object(kind string, size int64, content io.Reader) string {
	h.t.Helper()
	file, err := os.CreateTemp(filepath.Join(h.Dir, "objects"), "new")
	if err != nil {
		h.t.Fatal(err)
	}
	hash, packed := sha1.New(), must(zlib.NewWriterLevel(file, zlib.BestSpeed)) //nolint:gosec // as above
	both := io.MultiWriter(hash, packed)
	_, head := fmt.Fprintf(both, "%s %d\x00", kind, size)
	_, body := io.Copy(both, content)
	name := hex.EncodeToString(hash.Sum(nil))
	folder := filepath.Join(h.Dir, "objects", name[:2])
	if err := errors.Join(head, body, packed.Close(), file.Close(), os.MkdirAll(folder, 0o750), os.Rename(file.Name(), filepath.Join(folder, name[2:]))); err != nil {
		h.t.Fatal(err)
	}
	return name
}

func (h hostileRemote) text(kind, content string) string {
	h.t.Helper()
	return h.object(kind, int64(len(content)), strings.NewReader(content))
}

// tree stores a folder.
func (h hostileRemote) tree(entries map[string]treeEntry) string {
	h.t.Helper()
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		fmt.Fprintf(&b, "%s %s\x00%s", entries[name].mode, name, must(hex.DecodeString(entries[name].hash)))
	}
	return h.text("tree", b.String())
}

// commit adds entries to the folder of the inventory of an environment and makes that, without anything else, the head of the branch.
func (h hostileRemote) commit(entries map[string]treeEntry, message string) {
	h.t.Helper()
	inventory := map[string]treeEntry{"env_definition.yml": {"100644", h.text("blob", "inventory: {environmentName: e1}\n")}}
	for name, entry := range entries {
		inventory[name] = entry
	}
	at := h.tree(inventory)
	for _, folder := range []string{"Inventory", "e1", "c1", "environments"} {
		at = h.tree(map[string]treeEntry{folder: {"40000", at}})
	}
	const by = "n <n@example.org> 1700000000 +0000"
	h.write("refs/heads/main", h.text("commit", fmt.Sprintf("tree %s\nparent %s\nauthor %s\ncommitter %s\n\n%s", at, h.Head(), by, by, message))+"\n")
}

// restore takes the references back to those of an earlier head, and adds an environment.
func (h hostileRemote) restore(head, environment string) {
	h.t.Helper()
	h.write("packed-refs", "# pack-refs with: peeled fully-peeled sorted \n")
	h.write("refs/heads/main", head+"\n")
	h.Push(environment, map[string]string{"environments/c1/" + environment + "/Inventory/env_definition.yml": "inventory: {environmentName: " + environment + "}\n"})
}
