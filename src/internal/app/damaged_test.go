package app

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// damaged unpacks a store that an earlier version has damaged.
func damaged(t *testing.T, name string) (file string) {
	t.Helper()
	packed, err := os.Open("testdata/damaged/" + name + ".db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	text, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(text)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), name+".db")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestDamagedStores checks stores in which an earlier version renamed a namespace and an application with a ParamSet and an override, and a set of
// resolutions. fsck finds what is wrong, and repairs it, or its remedy does.
func TestDamagedStores(t *testing.T) {
	const override = "cluster/c1/environment/e1/environmentParamSet/core-deploy-ui-override"
	for _, test := range []struct {
		name     string
		problems map[string]int // how many of each there are
		code     int            // of a repair
		remedy   []string       // of what cannot be repaired
	}{
		{name: "rename-namespace", problems: map[string]int{"inventory-name": 1, "association-object": 2, "association-override": 1}, code: 1,
			remedy: []string{"rename", override, "base-deploy-ui-override"}},
		{name: "rename-set", problems: map[string]int{"resolution-member": 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			at := "bolt:" + damaged(t, test.name)
			found := command(t, 1, "", "fsck", "--store", at)
			for problem, n := range test.problems {
				if got := strings.Count(found, problem+" "); got != n {
					t.Errorf("%s is found %d times, want %d: %s", problem, got, n, found)
				}
			}
			command(t, test.code, "", "fsck", "--store", at, "--repair")
			if test.remedy != nil {
				command(t, 0, "", append(test.remedy, "--store", at)...)
			}
			command(t, 0, "", "fsck", "--store", at)
		})
	}
}
