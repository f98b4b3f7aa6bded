package bolt

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// A stored document is
//
//	format, length of the head, head, bodies, checksum, since, checksum of that
//
// Since is the sequence of the commit that made this version; the writer fills it in. Documents of the first format end
// with the first checksum: they are from before versions were kept. Erased versions have no bodies.
//
// The head holds everything but the bytes of data, status and files, of which it holds the lengths;
// what a write needs to know of the document it replaces comes first in it. The id is the key in
// its bucket and not repeated.
const (
	firstFormat    = 1
	documentFormat = 2
	erasedFormat   = 3
)

// sinceSize is what since takes, with its checksum.
const sinceSize = 8 + checksumSize

const (
	weakFlag    = 1 << 0
	cascadeFlag = 1 << 1
	termFlag    = 1 << 2 // it is no reference, but a term
)

// encodeDocument returns the stored form. It keeps nothing of the document.
func encodeDocument(d *dovetail.Document) []byte {
	head := make([]byte, 0, 256)
	head = appendText(head, d.Kind)
	head = appendText(head, d.UID)
	head = binary.AppendUvarint(head, d.Revision)
	head = binary.AppendUvarint(head, uint64(len(d.References)+len(d.Terms)))
	for _, r := range d.References {
		var flags byte
		if r.Weak {
			flags |= weakFlag
		}
		if r.Cascade {
			flags |= cascadeFlag
		}
		head = append(head, flags)
		head = appendText(head, string(r.ID))
		head = appendText(head, r.Kind)
	}
	for _, term := range d.Terms {
		head = append(head, termFlag)
		head = appendText(head, term)
		head = appendText(head, "")
	}
	head = appendTime(head, d.Created)
	head = appendTime(head, d.Updated)
	head = appendText(head, d.Schema)
	head = binary.AppendUvarint(head, uint64(len(d.Data)))
	head = binary.AppendUvarint(head, uint64(len(d.Status)))
	head = binary.AppendUvarint(head, uint64(len(d.Content)))
	for _, f := range d.Content {
		head = appendText(head, f.Name)
		head = appendText(head, f.Filename)
		head = appendText(head, f.MediaType)
		head = binary.AppendUvarint(head, uint64(len(f.Data)))
	}
	if len(d.Inputs) > 0 { // last and left out if there are none, as in the documents of earlier versions
		head = binary.AppendUvarint(head, uint64(len(d.Inputs)))
		for _, id := range d.Inputs {
			head = appendText(head, string(id))
		}
	}

	value := make([]byte, 0, 1+binary.MaxVarintLen64+len(head)+bodySize(d)+checksumSize+sinceSize)
	value = append(value, documentFormat)
	value = binary.AppendUvarint(value, uint64(len(head)))
	value = append(value, head...)
	value = append(value, d.Data...)
	value = append(value, d.Status...)
	for _, f := range d.Content {
		value = append(value, f.Data...)
	}
	return setSince(append(seal(value), make([]byte, sinceSize)...), 0)
}

// setSince fills in the sequence of the commit that makes a version, and returns the value. Its checksum covers that of
// the document too, so that neither is taken for that of another version.
func setSince(value []byte, sequence uint64) []byte {
	n := len(value) - sinceSize
	binary.BigEndian.PutUint64(value[n:], sequence)
	sum := crc32.Checksum(value[n-checksumSize:n+8], castagnoli)
	binary.LittleEndian.PutUint32(value[n+8:], sum)
	return value
}

// sinceOf returns the sequence of the commit that made a version: 0 for one from before versions were kept. ok is false
// when it is damaged.
func sinceOf(value []byte) (sequence uint64, ok bool) {
	if len(value) > 0 && value[0] == firstFormat {
		return 0, true
	}
	n := len(value) - sinceSize
	if n < checksumSize {
		return 0, false
	}
	sum := crc32.Checksum(value[n-checksumSize:n+8], castagnoli)
	return binary.BigEndian.Uint64(value[n:]), sum == binary.LittleEndian.Uint32(value[n+8:])
}

// erase returns a version without its bodies, and whether there was anything to erase.
func erase(value []byte) ([]byte, bool) {
	head, _, ok := splitDocument(value)
	since, sound := sinceOf(value)
	if !ok || !sound || value[0] == erasedFormat {
		return nil, false
	}
	erased := binary.AppendUvarint([]byte{erasedFormat}, uint64(len(head.rest)))
	erased = seal(append(erased, head.rest...))
	return setSince(append(erased, make([]byte, sinceSize)...), since), true
}

// isErased reports whether a version has no bodies any more.
func isErased(value []byte) bool { return len(value) > 0 && value[0] == erasedFormat }

func bodySize(d *dovetail.Document) int {
	size := len(d.Data) + len(d.Status)
	for _, f := range d.Content {
		size += len(f.Data)
	}
	return size
}

// decodeDocument reads the stored form; nothing in the document refers to value. Empty data, status
// and lists are nil. ok is false when the value is damaged.
func decodeDocument(id dovetail.ID, value []byte) (d *dovetail.Document, ok bool) {
	head, bodies, ok := splitDocument(value)
	if !ok {
		return nil, false
	}
	bodies = bytes.Clone(bodies)
	h := decodeHead(&head)
	d = &dovetail.Document{ID: id, Kind: h.kind, UID: h.uid, Revision: h.revision, References: h.references, Terms: h.terms}
	d.Created = head.time()
	d.Updated = head.time()
	d.Schema = head.text()

	// Each body is cut to its capacity, so that what the caller appends to one spares the next.
	body := func(n uint64) []byte {
		if n > uint64(len(bodies)) {
			head.fail()
			return nil
		}
		b := bodies[:n:n]
		bodies = bodies[n:]
		return b
	}
	data, status := head.number(), head.number()
	if data > 0 {
		d.Data = body(data)
	}
	if status > 0 {
		d.Status = body(status)
	}
	const smallestFile = 4
	if n := head.count(smallestFile); n > 0 {
		d.Content = make([]dovetail.File, n)
		for i := range d.Content {
			d.Content[i] = dovetail.File{Name: head.text(), Filename: head.text(), MediaType: head.text(),
				Data: body(head.number())}
		}
	}
	if !head.failed && head.rest != "" {
		d.Inputs = make([]dovetail.ID, head.count(1))
		for i := range d.Inputs {
			d.Inputs[i] = dovetail.ID(head.text())
		}
		head.failed = head.failed || len(d.Inputs) == 0
	}
	return d, !head.failed && head.rest == "" && len(bodies) == 0
}

// head is what the indexes, the change log and the conditions need to know of a document.
type head struct {
	kind       string
	uid        string
	revision   uint64
	references []dovetail.Reference
	terms      []string
}

func decodeHead(f *fields) head {
	h := head{kind: f.text(), uid: f.text(), revision: f.number()}
	const smallestReference = 3
	if n := f.count(smallestReference); n > 0 {
		h.references = make([]dovetail.Reference, 0, n)
		for range n {
			flags := f.byte()
			id, kind := f.text(), f.text()
			if flags&termFlag != 0 {
				h.terms = append(h.terms, id)
				continue
			}
			h.references = append(h.references, dovetail.Reference{ID: dovetail.ID(id), Kind: kind,
				Weak: flags&weakFlag != 0, Cascade: flags&cascadeFlag != 0})
		}
		if len(h.references) == 0 {
			h.references = nil
		}
	}
	return h
}

// headOf reads the head of a stored document. ok is false when the document is damaged.
func headOf(value []byte) (h head, ok bool) {
	f, _, ok := splitDocument(value)
	if !ok {
		return head{}, false
	}
	h = decodeHead(&f)
	return h, !f.failed
}

// splitDocument returns the head, copied, and the bodies, not copied.
func splitDocument(value []byte) (head fields, bodies []byte, ok bool) {
	if len(value) > 0 && value[0] != firstFormat {
		if _, ok := sinceOf(value); !ok {
			return fields{}, nil, false
		}
		value = value[:len(value)-sinceSize]
	}
	sealed, ok := unseal(value)
	if !ok || len(sealed) == 0 || sealed[0] < firstFormat || sealed[0] > erasedFormat {
		return fields{}, nil, false
	}
	size, n := binary.Uvarint(sealed[1:])
	if n <= 0 || size > uint64(len(sealed)-1-n) {
		return fields{}, nil, false
	}
	rest := sealed[1+n:]
	return fields{rest: string(rest[:size])}, rest[size:], true
}

// link is an entry of the referrers index, as seen from the referrer.
type link struct {
	target dovetail.ID
	strong bool // at least one of the references is not weak
}

// linksOf returns the links of a document, one for each target, in the order of their ids, without
// the one to itself, which holds nothing. Terms, which are in order, are kept as weak references are, except those
// that another one begins with: it is found by them too.
func linksOf(id dovetail.ID, references []dovetail.Reference, terms []string) []link {
	if len(references)+len(terms) == 0 {
		return nil
	}
	links := make([]link, 0, len(references)+len(terms))
	for i, term := range terms {
		if i+1 == len(terms) || !strings.HasPrefix(terms[i+1], term) {
			links = append(links, link{target: termTarget(term)})
		}
	}
	for _, r := range references {
		if r.ID != id {
			links = append(links, link{r.ID, !r.Weak})
		}
	}
	slices.SortFunc(links, func(a, b link) int { return strings.Compare(string(a.target), string(b.target)) })
	unique := links[:0]
	for _, l := range links {
		if n := len(unique); n > 0 && unique[n-1].target == l.target {
			unique[n-1].strong = unique[n-1].strong || l.strong
			continue
		}
		unique = append(unique, l)
	}
	return unique
}
