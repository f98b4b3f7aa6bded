package gitrepo_test

import (
	"fmt"
	"testing"
)

// BenchmarkChange edits one file in a repository of 1,000 environments.
func BenchmarkChange(b *testing.B) {
	r := newRemote(b, environments(1000))
	for _, way := range []string{"file", "http"} {
		b.Run(way, func(b *testing.B) {
			url := r.dir
			if way == "http" {
				url = r.Serve()
			}
			repository := openRepository(b, url, b.TempDir())
			n := 0
			for b.Loop() {
				n++
				name := fmt.Sprintf("environments/cluster-%02d/env-%04d/Inventory/parameters/p1.yaml", n%20, n%1000)
				if _, err := repository.Change(b.Context(), put(map[string]string{name: fmt.Sprint(way, n), name[:len(name)-18] + "env_definition.yml": fmt.Sprint(way, n)})); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkVersion asks for the version of a file that did not change since the first commit.
func BenchmarkVersion(b *testing.B) {
	r := newRemote(b, environments(1000))
	repository := openRepository(b, r.dir, b.TempDir())
	for b.Loop() {
		if _, _, err := repository.Read(b.Context(), "environments/cluster-00/env-0000/Inventory/env_definition.yml"); err != nil {
			b.Fatal(err)
		}
	}
}
