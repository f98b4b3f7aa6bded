package soak_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/store/mongo"
)

// rotated is how many credentials a rotation has to encrypt: more than one of its steps does, so that one that is killed
// within its first step is never over.
const rotated = 1500

func rotatedPassword(i int) string { return fmt.Sprintf("sw0rdf1sh-%d-planted", i) }

// TestKilledInRotation kills a server within a step of a rotation, and between two. The next one, with the same keys,
// reads everything, and the rotation can be finished; then nothing needs the old main key.
func TestKilledInRotation(t *testing.T) {
	rounds.Soak(t)
	t.Parallel()
	for _, test := range []struct {
		name string
		// rotate begins a rotation, and kills the server before it is over.
		rotate func(t *testing.T, p *apptest.Process, location string)
	}{
		{"within a step", func(t *testing.T, p *apptest.Process, location string) {
			t.Helper()
			begun := progress(t, location)
			answered := make(chan struct{}, 1)
			go func() {
				_, _, _ = p.Call(context.WithoutCancel(t.Context()), "POST", "/v2/encryption/rotate", "") // fails, unless the step was faster
				answered <- struct{}{}
			}()
			apptest.Eventually(t, "the rotation has begun, or is over", func() bool { return begun() || len(answered) > 0 })
			p.Kill()
			<-answered
		}},
		{"between steps", func(t *testing.T, p *apptest.Process, _ string) {
			t.Helper()
			rotateStep(t, p, "")
			p.Kill()
		}},
	} {
		t.Run(test.name+"/bolt", func(t *testing.T) {
			killInRotation(t, "bolt:"+filepath.Join(t.TempDir(), "dovetail.db"), test.rotate)
		})
		t.Run(test.name+"/mongo", func(t *testing.T) { killInRotation(t, mongotest.Location(t).String(), test.rotate) })
	}
}

func killInRotation(t *testing.T, location string, rotate func(t *testing.T, p *apptest.Process, location string)) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.key")
	writeKeys := func(text string) {
		t.Helper()
		writeFile(t, file, text)
	}
	first, second := command(t, 0, "", "secrets", "keygen"), command(t, 0, "", "secrets", "keygen")
	writeKeys(first)
	p := sealingProcess(t, location, file)
	putCredentials(t, p)
	putLayeredSecret(t, p)
	old := sealedWith(t, p, location)
	if len(old.dataKeys) != 1 || old.documents[old.dataKeys[0]] != rotated {
		t.Fatalf("before the rotation there is %+v", old)
	}

	writeKeys(second + first)
	half := old
	for attempt := 1; len(half.dataKeys) != 2 || half.documents[half.dataKeys[0]] == 0; attempt++ {
		if attempt > 10 {
			t.Fatalf("no rotation is killed before it is over: %+v", half)
		}
		p.Start(t)
		rotate(t, p, location) // the work of the server in the background may finish it before the server is killed
		half = sealedWith(t, p, location)
	}
	t.Logf("killed with %v", half)

	p.Start(t)
	checkCredentials(t, p)
	for step := rotateStep(t, p, half.dataKeys[1]); !step.Done; {
		step = rotateStep(t, p, step.Key)
	}
	whole := sealedWith(t, p, location)
	if len(whole.dataKeys) != 1 || whole.dataKeys[0] != half.dataKeys[1] || whole.documents[whole.dataKeys[0]] != rotated {
		t.Errorf("after the rotation there is %+v", whole)
	}

	p.Start(t)
	command(t, 0, "", "secrets", "rotate", "--key-file", file, "--server", p.URL()) // the secret of the layered document too
	p.Kill()

	writeKeys(second)
	p.Start(t)
	checkCredentials(t, p)
	if status, text, err := p.Call(t.Context(), "GET", "/api/v1.0/revisions/1/rendered-documents?cleartext-secrets=true", ""); err != nil || status != 200 || !strings.Contains(text, "swordfish") {
		t.Errorf("the layered secret: %d %s %v", status, text, err)
	}
	p.Kill()
	command(t, 0, "", "fsck", "--store", location, "--encryption-key-file", file)
}

// sealingProcess starts a program with a key file.
func sealingProcess(t *testing.T, location, keyFile string) *apptest.Process {
	t.Helper()
	return apptest.StartProcess(t, "--store", location, "--encryption-key-file", keyFile, "--require-encryption", "true")
}

func putCredentials(t *testing.T, p *apptest.Process) {
	t.Helper()
	var operations []string
	for i := range rotated {
		operations = append(operations, fmt.Sprintf(`{"kind":"credential","metadata":{"name":"c%d"},"spec":{"type":"secret","data":{"password":%q}}}`, i, rotatedPassword(i)))
	}
	p.Must(t, 200, "POST", "/v2/batch", "["+strings.Join(operations, ",")+"]")
}

// layeredSecret is a bucket with a document whose data are encrypted.
const layeredSecret = `---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: layering-policy}
data: {layerOrder: [site]}
---
schema: deckhand/Passphrase/v1
metadata:
  schema: metadata/Document/v1
  name: password
  storagePolicy: encrypted
  layeringDefinition: {layer: site}
data: swordfish
`

func putLayeredSecret(t *testing.T, p *apptest.Process) {
	t.Helper()
	answer, err := p.Send(t.Context(), http.MethodPut, "/api/v1.0/buckets/a/documents", layeredSecret, "Content-Type", "application/x-yaml")
	if err != nil || answer.Status != http.StatusOK {
		t.Fatal(answer, err)
	}
}

// checkCredentials reads all credentials, and compares them with what was written.
func checkCredentials(t *testing.T, p *apptest.Process) {
	t.Helper()
	got := make(map[string]string)
	for line := range strings.Lines(command(t, 0, "", "export", "--cleartext", "--server", p.URL())) {
		var doc struct {
			ID   string
			Data struct {
				Spec struct{ Data struct{ Password string } }
			}
		}
		if err := json.Unmarshal([]byte(line), &doc); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(doc.ID, "credential/") {
			got[doc.ID] = doc.Data.Spec.Data.Password
		}
	}
	if len(got) != rotated {
		t.Errorf("%d credentials are read, want %d", len(got), rotated)
	}
	for i := range rotated {
		if id := fmt.Sprintf("credential/c%d", i); got[id] != rotatedPassword(i) {
			t.Fatalf("%s is read as %q", id, got[id])
		}
	}
}

func rotateStep(t *testing.T, p *apptest.Process, key string) (step store.Rotation) {
	t.Helper()
	path := "/v2/encryption/rotate"
	if key != "" {
		path += "?key=" + key
	}
	status, text, err := p.Call(t.Context(), "POST", path, "")
	if err != nil || status != 200 {
		t.Fatalf("%d %s %v", status, text, err)
	}
	if err := json.Unmarshal([]byte(text), &step); err != nil {
		t.Fatal(err)
	}
	return step
}

// sealedDocuments is what a database holds that is encrypted.
type sealedDocuments struct {
	dataKeys  []string       // their names, the oldest first
	documents map[string]int // how many credentials are encrypted with each of them
}

// sealedWith kills a server, whose database only one process may have open, and reads that as it is stored.
func sealedWith(t *testing.T, p *apptest.Process, location string) sealedDocuments {
	t.Helper()
	p.Kill()
	b := openStored(t, location)
	defer b.Close()
	found := sealedDocuments{documents: make(map[string]int)}
	for doc, err := range b.List(t.Context(), store.Query{Kind: "_key"}) {
		var key struct{ Name string }
		if err == nil {
			err = json.Unmarshal(doc.Data, &key)
		}
		if err != nil {
			t.Fatal(err)
		}
		found.dataKeys = append(found.dataKeys, key.Name)
	}
	for doc, err := range b.List(t.Context(), store.Query{Kind: "credential"}) {
		var stored struct {
			Sealed struct{ Key string } `json:"_sealed"`
		}
		if err == nil {
			err = json.Unmarshal(doc.Data, &stored)
		}
		if err != nil || strings.Contains(string(doc.Data), "planted") {
			t.Fatalf("%s is stored in clear, or not read: %v", doc.ID, err)
		}
		found.documents[stored.Sealed.Key]++
	}
	return found
}

// openStored opens a database without decryption.
func openStored(t *testing.T, location string) (b store.Backend) {
	t.Helper()
	var err error
	if file, isFile := strings.CutPrefix(location, "bolt:"); isFile {
		b, err = bolt.Open(file, bolt.Options{})
	} else {
		b, err = mongo.Open(t.Context(), location, mongo.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// progress returns a function that reports whether a rotation has encrypted documents in a database that a server has open.
func progress(t *testing.T, location string) func() bool {
	t.Helper()
	if file, isFile := strings.CutPrefix(location, "bolt:"); isFile {
		size := func() int64 { return apptest.Size(filepath.Dir(file)) }
		const page = 100 << 10 // what a page of documents is written with at most
		before := size()
		return func() bool { return size() > before+page }
	}
	b := openStored(t, location)
	t.Cleanup(func() { _ = b.Close() })
	known := make(map[dovetail.ID]bool)
	keys := func() (all []dovetail.ID) {
		for doc, err := range b.List(t.Context(), store.Query{Kind: "_key"}) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, doc.ID)
		}
		return all
	}
	for _, id := range keys() {
		known[id] = true
	}
	return func() bool {
		return slices.ContainsFunc(keys(), func(id dovetail.ID) bool {
			ids, err := b.Referrers(t.Context(), []dovetail.ID{id}, "", 1)
			if err != nil {
				t.Fatal(err)
			}
			return !known[id] && len(ids) > 0
		})
	}
}
