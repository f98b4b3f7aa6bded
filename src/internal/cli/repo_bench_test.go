package cli_test

import (
	"io"
	"os"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo/instancerepotest"
)

// BenchmarkImportInstanceRepository imports 1,000 environments, made from the sample, into a new embedded
// store, and again where nothing changes.
func BenchmarkImportInstanceRepository(b *testing.B) {
	files, err := instancerepotest.Many(os.DirFS(sampleRepo), 1000)
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	if err := instancerepotest.Write(dir, files); err != nil {
		b.Fatal(err)
	}
	run := func(b *testing.B, location string) {
		b.Helper()
		deps := cli.Deps{Out: io.Discard, Err: io.Discard, ErrTerminal: true, Open: app.Open}
		if code := cli.Run(b.Context(), deps, []string{"import", "instance-repo", dir, "--store", location}); code != cli.ExitDifferent {
			b.Fatalf("it ends with %d", code)
		}
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			run(b, "bolt:"+b.TempDir()+"/bench.db")
		}
		b.ReportMetric(float64(len(files)), "files")
	})
	b.Run("unchanged", func(b *testing.B) {
		location := "bolt:" + b.TempDir() + "/bench.db"
		run(b, location)
		for b.Loop() {
			run(b, location)
		}
	})
}
