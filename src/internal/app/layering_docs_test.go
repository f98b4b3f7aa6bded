package app

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/envelope"
)

var (
	yamlBlock = regexp.MustCompile("(?s)`([a-z]+\\.yaml)` has [^\n]*\n\n```yaml\n(.*?)```")
	timeText  = regexp.MustCompile(`\b20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z`)
)

// Every command of the session in docs/layering-service.md puts out what stands there.
func TestLayeringDocumentation(t *testing.T) {
	s := newSession(t, timeText, "TIME")
	const name = "../../../docs/layering-service.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files := yamlBlock.FindAllSubmatch(text, -1)
	if len(files) != 2 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		s.write(t, string(file[1]), string(file[2]))
	}
	built.Store(true)
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(path)+string(os.PathListSeparator)+os.Getenv("PATH"))
	key, err := envelope.NewKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	s.write(t, "main.key", key)
	server := start(t, map[string]string{"encryption-key-file": filepath.Join(s.dir, "main.key")})
	t.Setenv("DOVETAIL_SERVER", server.URL())
	same(t, name, string(text), s.run(t, string(text), server.URL()))
}

// write writes a file that the commands use.
func (s *session) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
