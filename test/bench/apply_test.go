package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/test/bench/peer"
)

// BenchmarkApply applies a folder of 10,000 files, a document each, with the command line to an empty server: in one
// transaction. The time is that of the whole command.
func BenchmarkApply(b *testing.B) {
	const documents = 10_000
	b.Run(fmt.Sprintf("documents=%d", documents), func(b *testing.B) {
		folder := b.TempDir()
		if err := writeManifests(folder, documents); err != nil {
			b.Fatal(err)
		}
		b.ResetTimer()
		for n := range b.N {
			b.StopTimer()
			s := serve(b, filepath.Join(b.TempDir(), fmt.Sprintf("%d.db", n)))
			b.StartTimer()
			err := s.apply(folder)
			b.StopTimer()
			s.stop(b)
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// apply applies a folder to the server.
func (s *server) apply(folder string) error {
	path, err := program()
	if err != nil {
		return err
	}
	output, err := exec.Command(path, "apply", "--server", "http://"+s.address, "-f", folder).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	return nil
}

// writeManifests writes that many documents, the targets among them, as a file each.
func writeManifests(folder string, documents int) error {
	write := func(name, text string) error {
		return os.WriteFile(filepath.Join(folder, name+".yaml"), []byte(text), 0o600)
	}
	for n := range peer.Targets {
		for _, kind := range []string{"parent", "left", "right"} {
			name := peer.TargetName(n)
			if err := write(kind+"-"+name, fmt.Sprintf("kind: %s\nmetadata: {name: %s}\n", kind, name)); err != nil {
				return err
			}
		}
	}
	for n := range documents - 3*peer.Targets {
		item := peer.ItemOf(n)
		manifest := fmt.Sprintf(`kind: item
key: {parent: %s}
metadata:
  name: %s
  description: one of many items that are created to be counted
  labels: {team: storage, stage: production, tier: backend}
spec:
  left: %s
  right: %s
  replicas: 3
  image: registry.example.com/team/application:1.%d.0
  resources:
    limits: {cpu: 500m, memory: 256Mi}
    requests: {cpu: 250m, memory: 128Mi}
`, peer.TargetName(item.Parent), item.Name(), peer.TargetName(item.Left), peer.TargetName(item.Right), n%50)
		if err := write(item.Name(), manifest); err != nil {
			return err
		}
	}
	return nil
}
