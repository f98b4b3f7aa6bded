package effectiveset

import (
	"crypto/sha256"
	"io/fs"
	"sync"

	"github.com/dovetail-store/dovetail/src/value"
)

// maxSBOMs is how many bytes of SBOMs are kept as they were read.
const maxSBOMs = 64 << 20

// SBOMs are files of SBOMs, of which each is read once for any number of calculations, and it is recorded which of them were read. What changes meanwhile is not seen. One of
// them is used by one calculation at a time; those that Recording returns share what is read.
type SBOMs struct {
	common *commonSBOMs
	// Read are those that were read, by their names, with digests of their texts: the zero one for what could not be read.
	Read map[string][sha256.Size]byte
}

type commonSBOMs struct {
	files fs.FS
	mu    sync.Mutex
	kept  map[string]*readSBOM
	size  int
}

type readSBOM struct {
	once   sync.Once
	sbom   *sbom
	err    error
	digest [sha256.Size]byte
}

// NewSBOMs returns those of a file system.
func NewSBOMs(files fs.FS) *SBOMs {
	return &SBOMs{common: &commonSBOMs{files: files, kept: make(map[string]*readSBOM)}, Read: make(map[string][sha256.Size]byte)}
}

// Recording are the same, with a record of their own.
func (s *SBOMs) Recording() *SBOMs {
	return &SBOMs{common: s.common, Read: make(map[string][sha256.Size]byte)}
}

// Open is fs.FS.
func (s *SBOMs) Open(name string) (fs.File, error) { return s.common.files.Open(name) }

// Unchanged reports whether SBOMs that were read before would be read again.
func (s *SBOMs) Unchanged(read map[string][sha256.Size]byte) bool {
	for name, was := range read {
		if s.common.read(name).digest != was {
			return false
		}
	}
	return true
}

func (s *SBOMs) sbom(name string) (*sbom, error) {
	read := s.common.read(name)
	s.Read[name] = read.digest
	return read.sbom, read.err
}

// read reads a file, once while there is room to keep it.
func (c *commonSBOMs) read(name string) *readSBOM {
	c.mu.Lock()
	of := c.kept[name]
	if of == nil {
		if of = new(readSBOM); c.size < maxSBOMs {
			c.kept[name] = of
		}
	}
	c.mu.Unlock()
	of.once.Do(func() {
		raw, err := fs.ReadFile(c.files, name)
		if err == nil {
			of.digest = sha256.Sum256(raw)
		}
		of.sbom, of.err = parseSBOM(name, raw, err)
		c.mu.Lock()
		c.size += len(raw)
		c.mu.Unlock()
	})
	return of
}

// shared is what two calculations have in common that differ in overlays alone: files as they are read, and what services are written as.
type shared struct {
	files    map[string]readFile
	services map[string]describedServices
}

type readFile struct {
	data *value.Value
	err  error
}

type describedServices struct {
	served *served
	err    error
}

func newShared() *shared {
	return &shared{files: make(map[string]readFile), services: make(map[string]describedServices)}
}
