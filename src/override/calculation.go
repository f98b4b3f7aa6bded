package override

import (
	"crypto/sha256"
	"io/fs"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
)

// maxCalculations is how many results are kept: those of large environments take about a megabyte each.
const maxCalculations = 32

// calculation is what was calculated, and what it was calculated from.
type calculation struct {
	documents  [sha256.Size]byte // with their versions, and the session
	sboms      *recordedFiles
	unwritable []*dovetail.Error
	set        *effectiveset.Set // nil when nothing could be calculated
	failed     error
}

// calculations are the latest results, each of which counts as long as what it was calculated from has not changed. The zero value is ready to use.
type calculations struct {
	mu   sync.Mutex
	kept map[calculated]*calculation
}

// calculated is what a result is of: the topology is calculated from more documents.
type calculated struct {
	environment inventory.Environment
	topology    bool
}

func (c *calculations) get(of calculated) *calculation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept[of]
}

// put keeps a result, in the place of any other when there are too many.
func (c *calculations) put(of calculated, result *calculation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = make(map[calculated]*calculation)
	}
	if c.kept[of] == nil && len(c.kept) >= maxCalculations {
		for other := range c.kept {
			delete(c.kept, other)
			break
		}
	}
	c.kept[of] = result
}

// calculation returns the set that documents give, which the principal was allowed to read. One that is to be explained is not kept.
func (o *Overrides) calculation(of calculated, documents []*dovetail.Document, session string, explain bool) (*calculation, error) {
	from := versionsOf(documents, session)
	if kept := o.calculations.get(of); kept != nil && !explain && kept.documents == from && kept.sboms.unchanged() {
		return kept, nil
	}
	repository, unwritable, err := o.options.Repository(documents)
	if err != nil {
		return nil, err
	}
	result := &calculation{documents: from, unwritable: unwritable, sboms: &recordedFiles{FS: o.sboms(), read: make(map[string][sha256.Size]byte)}}
	result.set, result.failed = effectiveset.Calculate(effectiveset.Input{Repo: repository, Cluster: of.environment.Cluster, Name: of.environment.Name, SBOMs: result.sboms, Session: session,
		Origins: explain, Open: o.options.Open, OpenFile: o.options.OpenFile, Hide: o.options.Open != nil || o.options.OpenFile != nil})
	if !explain {
		o.calculations.put(of, result)
	}
	return result, nil
}

// sboms are those that there are.
func (o *Overrides) sboms() fs.FS {
	if o.options.SBOMs == nil {
		return noFiles{}
	}
	return o.options.SBOMs
}

// versionsOf is a digest of the versions of documents, and of the session.
func versionsOf(documents []*dovetail.Document, session string) (digest [sha256.Size]byte) {
	h := sha256.New()
	for _, doc := range documents {
		h.Write([]byte(string(doc.ID) + "\x00" + doc.ETag().Version() + "\x00"))
	}
	h.Write([]byte(session))
	h.Sum(digest[:0])
	return digest
}

// recordedFiles are files of which it is recorded what was read. They are read by one goroutine, and compared by any number afterwards.
type recordedFiles struct {
	fs.FS
	read map[string][sha256.Size]byte // the zero digest for what could not be read
}

// ReadFile is fs.ReadFileFS.
func (f *recordedFiles) ReadFile(name string) ([]byte, error) {
	data, err := fs.ReadFile(f.FS, name)
	f.read[name] = digestOf(data, err)
	return data, err
}

// unchanged reports whether all that was read would be read again.
func (f *recordedFiles) unchanged() bool {
	for name, was := range f.read {
		if digestOf(fs.ReadFile(f.FS, name)) != was {
			return false
		}
	}
	return true
}

func digestOf(data []byte, err error) [sha256.Size]byte {
	if err != nil {
		return [sha256.Size]byte{}
	}
	return sha256.Sum256(data)
}
