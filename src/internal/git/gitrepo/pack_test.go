package gitrepo_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // as Git hashes
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
)

// The types of objects in packs.
const (
	commitType   = 1
	treeType     = 2
	blobType     = 3
	offsetType   = 6 // a difference from an object before it
	referredType = 7 // a difference from an object by its hash
)

// packing writes a pack that Git itself would not make.
type packing struct {
	t     *testing.T
	text  bytes.Buffer
	count uint32
}

// begin writes the beginning of an object, and returns where it is.
func (p *packing) begin(kind byte, size uint64) int {
	p.count++
	at := 12 + p.text.Len()
	first := kind<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		p.text.WriteByte(first | 0x80)
		first = byte(size & 0x7f)
	}
	p.text.WriteByte(first)
	return at
}

// content writes compressed content.
func (p *packing) content(from io.Reader) {
	w, err := zlib.NewWriterLevel(&p.text, zlib.BestSpeed)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := io.Copy(w, from); err != nil {
		p.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		p.t.Fatal(err)
	}
}

// object writes an object, and returns where it is, and its hash.
func (p *packing) object(kind byte, data []byte) (at int, hash string) {
	at = p.begin(kind, uint64(len(data)))
	p.content(bytes.NewReader(data))
	return at, hashOf(kind, data)
}

// difference writes an object that differs from the one at an offset.
func (p *packing) difference(from int, delta []byte) int {
	at := p.begin(offsetType, uint64(len(delta)))
	back := uint64(at - from) //nolint:gosec // it is before
	encoded := []byte{byte(back & 0x7f)}
	for back >>= 7; back > 0; back >>= 7 {
		back--
		encoded = append([]byte{0x80 | byte(back&0x7f)}, encoded...)
	}
	p.text.Write(encoded)
	p.content(bytes.NewReader(delta))
	return at
}

// pack returns the pack, which has so many objects as it says.
func (p *packing) pack(count uint32) []byte {
	text := append([]byte("PACK"), 0, 0, 0, 2)
	text = append(binary.BigEndian.AppendUint32(text, count), p.text.Bytes()...)
	sum := sha1.Sum(text) //nolint:gosec // as Git hashes
	return append(text, sum[:]...)
}

func hashOf(kind byte, data []byte) string {
	name := map[byte]string{commitType: "commit", treeType: "tree", blobType: "blob"}[kind]
	sum := sha1.Sum(append(fmt.Appendf(nil, "%s %d\x00", name, len(data)), data...)) //nolint:gosec // as Git hashes
	return hex.EncodeToString(sum[:])
}

// delta returns a difference: it begins as an object of a size, and then has a text.
func delta(from, copied uint64, text string) []byte {
	d := binary.AppendUvarint(nil, from)
	d = binary.AppendUvarint(d, copied+uint64(len(text)))
	for at := uint64(0); at < copied; {
		n := min(copied-at, 0xffffff)
		d = append(d, 0x80|0x0f|0x70, byte(at), byte(at>>8), byte(at>>16), byte(at>>24), byte(n), byte(n>>8), byte(n>>16))
		at += n
	}
	for len(text) > 0 {
		n := min(len(text), 127)
		d = append(append(d, byte(n)), text[:n]...)
		text = text[n:]
	}
	return d
}

// commitOf writes a commit with a tree of files, and returns its hash.
func (p *packing) commitOf(files ...entry) string {
	var tree []byte
	for _, f := range files {
		hash, err := hex.DecodeString(f.hash)
		if err != nil {
			p.t.Fatal(err)
		}
		tree = append(fmt.Appendf(tree, "%s %s\x00", f.mode, f.name), hash...)
	}
	_, root := p.object(treeType, tree)
	_, commit := p.object(commitType, fmt.Appendf(nil, "tree %s\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx\n", root))
	return commit
}

// served is a repository that answers with packs.
type served struct {
	*httptest.Server
	commit string
	pack   []byte
	packs  int // how often it was asked for the pack
}

func serve(t *testing.T) *served {
	t.Helper()
	s := new(served)
	packet := func(line string) string { return fmt.Sprintf("%04x%s", len(line)+4, line) }
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/info/refs") {
			_, _ = io.WriteString(w, packet("# service=git-upload-pack\n")+"0000"+packet(s.commit+" refs/heads/main\x00ofs-delta\n")+"0000")
			return
		}
		s.packs++
		_, _ = w.Write(append([]byte(packet("NAK\n")), s.pack...))
	}))
	t.Cleanup(s.Close)
	return s
}

// good makes it a repository with one file.
func (s *served) good(t *testing.T) {
	t.Helper()
	p := &packing{t: t}
	_, blob := p.object(blobType, []byte("a: 1\n"))
	s.commit = p.commitOf(entry{"100644", "a.yml", blob})
	s.pack = p.pack(p.count)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestObjectBombs has a remote send objects that are small in a pack and large in memory: they are refused before they are in memory, the head
// stays, the next pull asks for no pack, and the next process starts with the head and refuses them again.
func TestObjectBombs(t *testing.T) {
	const most = 100 << 20
	for _, tt := range []struct {
		name string
		pack func(p *packing) []byte
		says string
	}{
		{"a folder", func(p *packing) []byte {
			p.begin(treeType, 300<<20)
			p.content(io.LimitReader(zeros{}, 300<<20))
			return p.pack(p.count)
		}, "a folder of the repository has more than the 8 MiB"},
		{"a commit", func(p *packing) []byte {
			p.begin(commitType, 300<<20)
			p.content(io.LimitReader(zeros{}, 300<<20))
			return p.pack(p.count)
		}, "a commit or tag of the repository has more than the 1 MiB"},
		{"a size that is not true", func(p *packing) []byte {
			p.begin(blobType, 1<<40)
			p.content(strings.NewReader("short"))
			return p.pack(p.count)
		}, "the repository's history, unpacked, has more than the 16 GiB"},
		{"the number of objects", func(p *packing) []byte { return p.pack(4_000_000_000) }, "more than 1000000 objects"},
		{"a difference", func(p *packing) []byte {
			from, _ := p.object(blobType, make([]byte, 1<<20))
			p.difference(from, append(binary.AppendUvarint(binary.AppendUvarint(nil, 1<<20), 1<<40), 1, 'x'))
			return p.pack(p.count)
		}, "stores as a difference"},
		{"what a difference is from", func(p *packing) []byte {
			from := p.begin(blobType, 40<<20)
			p.content(io.LimitReader(zeros{}, 40<<20))
			p.difference(from, delta(40<<20, 1, ""))
			return p.pack(p.count)
		}, "stores as a difference"},
		{"what a difference is not really from", func(p *packing) []byte {
			from := p.begin(blobType, 40<<20)
			p.content(io.LimitReader(zeros{}, 40<<20))
			p.difference(from, delta(1, 1, ""))
			return p.pack(p.count)
		}, "stores as a difference"},
		{"the text of a difference", func(p *packing) []byte {
			from, _ := p.object(blobType, []byte("x"))
			at := p.begin(offsetType, 300<<20)
			p.text.WriteByte(byte(at - from))
			p.content(io.LimitReader(zeros{}, 300<<20))
			return p.pack(p.count)
		}, "stores as a difference"},
		{"a folder that is a difference", func(p *packing) []byte {
			tree := fmt.Appendf(nil, "100644 %s\x00%020d", strings.Repeat("n", 4<<20), 1)
			from, _ := p.object(treeType, tree)
			p.difference(from, append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(tree))), 20<<20), 1, 'x'))
			return p.pack(p.count)
		}, "a folder of the repository has more than the 8 MiB"},
		{"differences from differences", func(p *packing) []byte {
			at, _ := p.object(blobType, []byte("x"))
			for i := range 300 {
				at = p.difference(at, delta(uint64(i+1), uint64(i+1), "x"))
			}
			return p.pack(p.count)
		}, "more than 250 differences"},
		{"the texts of differences together", func(p *packing) []byte {
			at, _ := p.object(blobType, []byte("x"))
			size := uint64(1)
			for range 5 {
				at = p.difference(at, delta(size, 0, strings.Repeat("x", 8<<20)))
				size = 8 << 20
			}
			return p.pack(p.count)
		}, "stores as a difference"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t)
			s.good(t)
			dir := t.TempDir()
			repository := openRepository(t, s.URL+"/r.git", dir)
			first := repository.Head()
			p := &packing{t: t}
			s.pack, s.commit, s.packs = tt.pack(p), strings.Repeat("1", 40), 0
			refused := func(what string, do func() error) {
				t.Helper()
				var err error
				peak := testheap.Peak(func() { err = do() })
				if e := dovetail.AsError(err); dovetail.CodeOf(err) != dovetail.CodeUnprocessable || e.Reason != gitrepo.ReasonTooLarge || !strings.Contains(e.Message, tt.says) || e.Remedy == "" {
					t.Errorf("%s: %v, want %s", what, err, tt.says)
				}
				if peak > most {
					t.Errorf("%s took %d MB", what, peak>>20)
				}
			}
			pull := func() error { _, err := repository.Pull(t.Context()); return err }
			refused("following", pull)
			refused("following again", pull)
			if s.packs != 1 || repository.Head() != first {
				t.Errorf("the pack was asked for %d times, the head is %s", s.packs, repository.Head())
			}
			repository = openRepository(t, s.URL+"/r.git", dir)
			if repository.Head() != first {
				t.Errorf("the next process starts from %s", repository.Head())
			}
			refused("following after a start", pull)
			refused("cloning", func() error {
				_, err := gitrepo.Open(t.Context(), options(s.URL+"/r.git", t.TempDir()))
				return err
			})
		})
	}
}

// TestFoldersInEachOther has folders with many entries, each in the first entry of another: they are refused before all are in memory.
func TestFoldersInEachOther(t *testing.T) {
	s := serve(t)
	s.good(t)
	repository := openRepository(t, s.URL+"/r.git", t.TempDir())
	p := &packing{t: t}
	_, hash := p.object(blobType, []byte("x"))
	first, mode := hash, "100644"
	for range 20 {
		raw, err := hex.DecodeString(first)
		if err != nil {
			t.Fatal(err)
		}
		blob, err := hex.DecodeString(hash)
		if err != nil {
			t.Fatal(err)
		}
		tree := append(fmt.Appendf(nil, "%s 0\x00", mode), raw...)
		for i := range 50_000 {
			tree = append(fmt.Appendf(tree, "100644 f%05d\x00", i), blob...)
		}
		_, first = p.object(treeType, tree)
		mode = "40000"
	}
	s.commit = p.commitOf(entry{"40000", "environments", first})
	s.pack = p.pack(p.count)
	for _, open := range []func() error{
		func() error { _, err := repository.Pull(t.Context()); return err },
		func() error { _, err := gitrepo.Open(t.Context(), options(s.URL+"/r.git", t.TempDir())); return err },
	} {
		var err error
		peak := testheap.Peak(func() { err = open() })
		if e := dovetail.AsError(err); err == nil || e.Reason != gitrepo.ReasonTooLarge || !strings.Contains(e.Message, "more than 500000 files and folders") || e.Position.File == "" {
			t.Error(err)
		}
		if peak > 250<<20 {
			t.Errorf("%d MB are in memory", peak>>20)
		}
	}
}

// TestLargeObjects has objects of any form that take much memory only if they are read at once: they are taken, in bounded memory, and a file
// that is too large to be read is listed as such.
func TestLargeObjects(t *testing.T) {
	const most = 100 << 20
	s := serve(t)
	p := &packing{t: t}
	p.begin(blobType, 120<<20)
	p.content(io.LimitReader(zeros{}, 120<<20))
	sum := sha1.New() //nolint:gosec // as Git hashes
	fmt.Fprintf(sum, "blob %d\x00", 120<<20)
	_, _ = io.CopyN(sum, zeros{}, 120<<20)
	files := []entry{{"100644", "large.yml", hex.EncodeToString(sum.Sum(nil))}}
	// Two long chains whose parts are mixed, so that each object is needed long after it was made.
	const size = 2 << 20
	var last [2]struct {
		at   int
		data []byte
	}
	for i := range last {
		last[i].data = bytes.Repeat([]byte{byte('a' + i)}, size)
		last[i].at, _ = p.object(blobType, last[i].data)
	}
	for n := range 25 {
		for i := range last {
			text := fmt.Sprintf("%d-%d", i, n)
			last[i].at = p.difference(last[i].at, delta(size, size-uint64(len(text)), text))
			last[i].data = append(append([]byte{}, last[i].data[:size-len(text)]...), text...)
			files = append(files, entry{"100644", fmt.Sprintf("n%d-%02d.yml", i, n), hashOf(blobType, last[i].data)})
		}
	}
	// One from an object that is after it.
	later := []byte("later: 1\n")
	text := delta(uint64(len(later)), uint64(len(later)), "b: 2\n")
	p.begin(referredType, uint64(len(text)))
	hash, err := hex.DecodeString(hashOf(blobType, later))
	if err != nil {
		t.Fatal(err)
	}
	p.text.Write(hash)
	p.content(bytes.NewReader(text))
	p.object(blobType, later)
	files = append(files, entry{"100644", "z.yml", hashOf(blobType, append(later, "b: 2\n"...))})
	slices.SortFunc(files, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	s.commit = p.commitOf(files...)
	s.pack = p.pack(p.count)
	if len(s.pack) > 2<<20 {
		t.Fatalf("the pack has %d bytes", len(s.pack))
	}

	dir := t.TempDir()
	for _, what := range []string{"cloning", "opening again"} {
		var names []string
		peak := testheap.Peak(func() {
			repository := openRepository(t, s.URL+"/r.git", dir)
			for f, err := range repository.Files(t.Context(), gitrepo.Part{}) {
				switch {
				case err != nil:
					t.Fatal(err)
				case f.Path == "large.yml" && (f.Large != 120<<20 || f.Data != nil):
					t.Errorf("the large file is listed as %d, with %d bytes", f.Large, len(f.Data))
				case f.Path == "z.yml" && string(f.Data) != "later: 1\nb: 2\n":
					t.Errorf("a file from a later one is %q", f.Data)
				case f.Path != "large.yml" && f.Path != "z.yml" && len(f.Data) != size:
					t.Errorf("%s has %d bytes", f.Path, len(f.Data))
				}
				names = append(names, f.Path)
			}
		})
		if len(names) != len(files) {
			t.Errorf("%s: %d files", what, len(names))
		}
		if peak > most {
			t.Errorf("%s took %d MB", what, peak>>20)
		}
	}
	if said := runGit(t, dir, "fsck", "--strict"); strings.Contains(said, "error") {
		t.Error(said)
	}
}
