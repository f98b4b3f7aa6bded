package backup

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// Format is the version of the format that this package writes, and the latest that it reads.
const Format = 1

// MediaType is that of a backup.
const MediaType = "application/gzip"

// Header is how a backup begins.
type Header struct {
	Format   int          `json:"format"`
	Created  time.Time    `json:"created"`  // when the backup was begun
	Position store.Cursor `json:"position"` // what it is of
	Time     time.Time    `json:"time"`     // of the last commit that is in it
	Schema   Schema       `json:"schema"`
}

// Schema is the ref-schema that the documents fit.
type Schema struct {
	Hash    string   `json:"hash"`
	Sources []Source `json:"sources"`
}

// Source is one file of a ref-schema.
type Source struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// ToSchema returns the sources as package schema compiles them.
func (s Schema) ToSchema() []schema.Source {
	sources := make([]schema.Source, len(s.Sources))
	for i, source := range s.Sources {
		sources[i] = schema.Source{Name: source.Name, Data: []byte(source.Text)}
	}
	return sources
}

// Summary is how a backup ends.
type Summary struct {
	Documents int            `json:"documents"`
	Kinds     map[string]int `json:"kinds"`  // documents by kind
	SHA256    string         `json:"sha256"` // of the file up to here: it identifies the backup
}

// The first and the last line of a backup.
type (
	firstLine struct {
		Header *Header `json:"dovetailBackup"`
	}
	lastLine struct {
		End *Summary `json:"end"`
	}
)

// line is a document in a backup.
type line struct {
	ID         dovetail.ID     `json:"id"`
	Kind       string          `json:"kind"`
	UID        string          `json:"uid"`
	Revision   uint64          `json:"revision"`
	Created    time.Time       `json:"created"`
	Updated    time.Time       `json:"updated"`
	Schema     string          `json:"schema,omitempty"`
	Data       json.RawMessage `json:"data"`
	Status     json.RawMessage `json:"status,omitempty"`
	Content    []dovetail.File `json:"content,omitempty"`
	Inputs     []dovetail.ID   `json:"inputs,omitempty"`
	References []reference     `json:"references,omitempty"`
}

type reference struct {
	ID      dovetail.ID `json:"id"`
	Kind    string      `json:"kind"`
	Weak    bool        `json:"weak,omitempty"`
	Cascade bool        `json:"cascade,omitempty"`
}

// encode writes values as lines, without a change to the bytes of stored JSON.
func encode(to *bytes.Buffer, v any) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// decoder reads lines, all with one buffer. After an error it reads no more.
type decoder struct {
	json *json.Decoder
	line []byte // what is not read of it
}

func newDecoder() *decoder {
	d := new(decoder)
	d.json = json.NewDecoder(d)
	d.json.DisallowUnknownFields()
	return d
}

// Read implements io.Reader.
func (d *decoder) Read(p []byte) (int, error) {
	if len(d.line) == 0 {
		return 0, io.EOF
	}
	n := copy(p, d.line)
	d.line = d.line[n:]
	return n, nil
}

// decode reads a line. What it does not know it refuses by its name, since a restore would lose it.
func (d *decoder) decode(text []byte, v any) error {
	d.line = text
	err := d.json.Decode(v)
	if err == nil {
		rest, _ := io.ReadAll(d.json.Buffered()) // never fails
		if len(d.line) > 0 || len(bytes.TrimSpace(rest)) > 0 {
			err = errors.New("something follows in the line")
		}
		return err
	}
	if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return &unknownContent{name}
	}
	return err
}

// unknownContent names a member of a line that is not known.
type unknownContent struct{ name string }

func (u *unknownContent) Error() string { return "unknown content " + u.name }

func (u *unknownContent) refusal() error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the backup holds " + u.name + ", which this version of Dovetail does not know",
		Remedy: "use the version of Dovetail that wrote it, or a later one"}
}

func encodeDocument(to *bytes.Buffer, d *dovetail.Document) error {
	l := line{d.ID, d.Kind, d.UID, d.Revision, d.Created.UTC(), d.Updated.UTC(), d.Schema, d.Data, d.Status, d.Content, d.Inputs, nil}
	for _, r := range d.References {
		l.References = append(l.References, reference(r))
	}
	if err := encode(to, &l); err != nil {
		return &dovetail.Error{Code: dovetail.CodeCorrupt, Key: d.ID, Err: err,
			Message: "the stored data of " + string(d.ID) + " cannot be written as JSON", Remedy: "see `dovetail fsck`"}
	}
	return nil
}

func (d *decoder) document(text []byte) (*dovetail.Document, error) {
	var l line
	if err := d.decode(text, &l); err != nil {
		return nil, err
	}
	if l.ID == "" || l.Kind == "" || l.UID == "" || l.Revision == 0 || len(l.Data) == 0 {
		return nil, fmt.Errorf("the line is no document")
	}
	doc := &dovetail.Document{ID: l.ID, Kind: l.Kind, Data: l.Data, Content: l.Content, Status: l.Status, Inputs: l.Inputs,
		UID: l.UID, Revision: l.Revision, Created: l.Created, Updated: l.Updated, Schema: l.Schema}
	for _, r := range l.References {
		doc.References = append(doc.References, dovetail.Reference(r))
	}
	return doc, nil
}

// gzipHead begins every member: compressed for speed, without a name or a time, so that no byte is without meaning.
var gzipHead = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff}

// storedMember is a gzip member that holds a text as it is. A reader compares it byte for byte.
func storedMember(text []byte) []byte {
	const most = 1<<16 - 1
	member := bytes.Clone(gzipHead)
	for rest := text; ; {
		n := min(len(rest), most)
		last := byte(0)
		if n == len(rest) {
			last = 1
		}
		member = append(member, last)
		member = binary.LittleEndian.AppendUint16(member, uint16(n))
		member = binary.LittleEndian.AppendUint16(member, ^uint16(n))
		member, rest = append(member, rest[:n]...), rest[n:]
		if last == 1 {
			break
		}
	}
	member = binary.LittleEndian.AppendUint32(member, crc32.ChecksumIEEE(text))
	return binary.LittleEndian.AppendUint32(member, uint32(len(text)))
}
