package bench

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkDisk measures the disk: synced writes of one page, one after the other. It bounds what any
// durable store can do with one writer.
func BenchmarkDisk(b *testing.B) {
	b.Run("sync", func(b *testing.B) {
		file, err := os.Create(filepath.Join(files.dir, "disk"))
		if err != nil {
			b.Fatal(err)
		}
		defer file.Close()
		page := make([]byte, 4096)
		const pages = 256 // written over and over, as databases do
		for b.Loop() {
			if _, err := file.WriteAt(page, int64(b.N%pages)*int64(len(page))); err != nil {
				b.Fatal(err)
			}
			if err := file.Sync(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "syncs/s")
	})
}
