package apptest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// InstanceFiles returns the files of an instance repository with one environment.
func InstanceFiles() map[string]string {
	return map[string]string{
		"environments/c1/dev/Inventory/env_definition.yml":         "# dev\nenvTemplate:\n  name: t # the template\n",
		"environments/c1/dev/Inventory/parameters/theirs.yaml":     "name: theirs\nparameters: {N: -1}\n",
		"environments/c1/dev/Namespaces/core/namespace.yml":        "name: dev-core\n",
		"environments/c1/dev/Namespaces/core/Applications/app.yml": "name: app\n",
	}
}

// RepositoriesFile writes the file of --instance-repos.
func RepositoriesFile(t testing.TB, entries ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "repositories.yaml")
	if err := os.WriteFile(file, []byte("repositories:\n- "+strings.Join(entries, "\n- ")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// RequireAgreement checks that a database has each document of the files of a remote, unless the record of the repository has a
// finding about the file or the folder of its cluster, and that the record names the head. It returns how many documents
// are stored, and how many the files have.
func RequireAgreement(t testing.TB, db *store.Store, repository string, remote *gittest.Remote) (stored, all int) {
	t.Helper()
	ctx := context.Background() // also when the test has ended
	checkout := t.TempDir()
	remote.Checkout(checkout)
	folder, err := instancerepo.Open(checkout)
	if err != nil {
		t.Fatal(err)
	}
	contents, err := instancerepo.Survey(folder.Files(ctx))
	if err != nil {
		t.Fatal(err)
	}
	record, err := db.Get(ctx, dovetail.ID("instanceRepository/"+repository))
	if err != nil {
		t.Fatal(err)
	}
	status := string(record.Status)
	if !strings.Contains(status, remote.Head()) {
		t.Errorf("%s: the store does not follow %s: %s", repository, remote.Head(), status)
	}
	for _, d := range contents.Documents() {
		all++
		if isElsewhere(status, d) {
			continue
		}
		doc, err := db.Get(ctx, d.ID)
		if err != nil && strings.Contains(status, `"missing","file":"`+d.Position.File) { // the store refuses it, for what it refers to
			continue
		}
		if err != nil {
			t.Errorf("%s: %s: %v", repository, d.ID, err)
			continue
		}
		is, err := instancerepo.FromStored(doc)
		if err != nil {
			t.Fatal(err)
		}
		is.Data.Get("spec").Delete("generated") // which no file has
		if !value.Equal(is.Data, d.Data) {
			t.Errorf("%s: %s is %s in the store, and in the repository %s", repository, d.ID, is.Data.JSON(), d.Data.JSON())
		}
		stored++
	}
	remote.Fsck()
	return stored, all
}

// isElsewhere reports whether the status of a repository has a finding that another repository holds a document.
func isElsewhere(status string, d instancerepo.Document) bool {
	cluster := "environments/none"
	if key := d.ID.Key(); key[0].Name == "cluster" {
		cluster = "environments/" + key[0].Value
	}
	return strings.Contains(status, `"file":"`+cluster+`"`) || strings.Contains(status, `"reason":"REPO_DOCUMENT_ELSEWHERE","file":"`+d.Position.File+`"`)
}

// RequireOnly checks that a database has exactly the documents of the files of the remote that is attached to it, and that neither is
// damaged.
func RequireOnly(t testing.TB, db *store.Store, remote *gittest.Remote) {
	t.Helper()
	stored, all := RequireAgreement(t, db, "attached", remote)
	held := 0
	for _, kind := range instancerepo.Kinds() {
		for _, err := range db.Documents(context.Background(), store.ListQuery{Kind: kind}) {
			if err != nil {
				t.Fatal(err)
			}
			held++
		}
	}
	if held != all || stored != all {
		t.Errorf("the store has %d documents, %d of them those of the files, which have %d", held, stored, all)
	}
	for finding, err := range db.Check(context.Background(), false) {
		t.Errorf("fsck: %+v %v", finding, err)
	}
}
