package sealing

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/store"
)

// formatNumber is that of the stored form, and part of what values are bound to.
const formatNumber = 1

// stored is the data of a sealed document. Data is what stays in plaintext, with null where a value was sealed.
type stored struct {
	Header header          `json:"_sealed"`
	Data   json.RawMessage `json:"data,omitempty"`
}

// header holds what is sealed of a document, and by which key. Without a key nothing is sealed: the data only begin
// as those of a sealed document do.
type header struct {
	Format int           `json:"format"`
	Key    string        `json:"key,omitempty"`
	Policy string        `json:"policy,omitempty"` // what was to be sealed
	Values []sealedValue `json:"values,omitempty"` // in the order in which they were taken out
	Status string        `json:"status,omitempty"`
	Files  string        `json:"files,omitempty"` // names and types; the content holds the bytes

	// In an export the key comes along, wrapped.
	Wrapped   string `json:"wrapped,omitempty"`
	Recipient string `json:"recipient,omitempty"`
}

// sealedValue is one value of the data: At is its JSON Pointer, "" for all of the data.
type sealedValue struct {
	At    string `json:"at"`
	Value string `json:"value"`
}

// fileHead is a file without its bytes.
type fileHead struct {
	Name      string `json:"name"`
	Filename  string `json:"filename,omitempty"`
	MediaType string `json:"mediaType,omitempty"`
}

// seal returns the stored form of a document, sealed with a key. The document is not changed.
func seal(doc *dovetail.Document, p policy, key *envelope.Key) (*dovetail.Document, error) {
	var found []place
	var plain json.RawMessage
	if !p.whole {
		found, plain = p.take(doc.Data)
	}
	if plain == nil { // all of it
		found = []place{{text: doc.Data}}
	}
	h := header{Format: formatNumber, Key: key.ID, Policy: p.name}
	bound := newBinding(doc, &h, pointers(found), len(doc.Status) > 0, len(doc.Content))
	sealed := *doc
	for i, v := range found {
		text, err := key.Seal(v.text, bound.value(i, v.at))
		if err != nil {
			return nil, err
		}
		h.Values = append(h.Values, sealedValue{At: v.at, Value: text})
	}
	var err error
	if len(doc.Status) > 0 {
		if h.Status, err = key.Seal(doc.Status, bound.part("status")); err != nil {
			return nil, err
		}
		sealed.Status = nil
	}
	if len(doc.Content) > 0 {
		if sealed.Content, h.Files, err = sealFiles(doc.Content, bound, key); err != nil {
			return nil, err
		}
	}
	sealed.Data, err = encode(stored{Header: h, Data: plain})
	sealed.References = append(slices.Clip(doc.References), keyReference(key.ID))
	return &sealed, err
}

func sealFiles(files []dovetail.File, bound binding, key *envelope.Key) (sealed []dovetail.File, heads string, err error) {
	var all []fileHead
	for i, f := range files {
		all = append(all, fileHead{f.Name, f.Filename, f.MediaType})
		data, err := key.SealBytes(f.Data, bound.part("file "+strconv.Itoa(i)))
		if err != nil {
			return nil, "", err
		}
		sealed = append(sealed, dovetail.File{Name: strconv.Itoa(i), Data: data})
	}
	text, err := encode(all)
	if err == nil {
		heads, err = key.Seal(text, bound.part("files"))
	}
	return sealed, heads, err
}

// open returns the document of a stored form; key gives the key of its header.
func open(doc *dovetail.Document, key func(*header) (*envelope.Key, error)) (*dovetail.Document, error) {
	s, err := parse(doc)
	if err != nil {
		return nil, err
	}
	h, opened := &s.Header, *doc
	opened.References = withoutKey(doc.References)
	if h.Key == "" {
		opened.Data = s.Data
		return &opened, nil
	}
	k, err := key(h)
	if err != nil {
		return nil, err
	}
	var ats []string
	for _, v := range h.Values {
		ats = append(ats, v.At)
	}
	bound := newBinding(doc, h, ats, h.Status != "", len(doc.Content))
	texts := make([][]byte, len(h.Values))
	for i, v := range h.Values {
		if texts[i], err = openText(k, v.Value, bound.value(i, v.At)); err != nil {
			return nil, damaged(doc.ID, err)
		}
	}
	if opened.Data, err = putBack(s.Data, ats, texts); err != nil {
		return nil, damaged(doc.ID, err)
	}
	if h.Status != "" {
		if opened.Status, err = openText(k, h.Status, bound.part("status")); err != nil {
			return nil, damaged(doc.ID, err)
		}
	}
	if h.Files != "" || len(doc.Content) > 0 {
		if opened.Content, err = openFiles(doc.Content, h, bound, k); err != nil {
			return nil, damaged(doc.ID, err)
		}
	}
	return &opened, nil
}

func openFiles(sealed []dovetail.File, h *header, bound binding, key *envelope.Key) ([]dovetail.File, error) {
	text, err := openText(key, h.Files, bound.part("files"))
	var heads []fileHead
	if err == nil {
		err = json.Unmarshal(text, &heads)
	}
	if err == nil && len(heads) != len(sealed) {
		err = fmt.Errorf("%d files of %d are there", len(sealed), len(heads))
	}
	if err != nil {
		return nil, err
	}
	files := make([]dovetail.File, len(sealed))
	for i, f := range sealed {
		data, err := key.OpenBytes(f.Data, bound.part("file "+strconv.Itoa(i)))
		if err != nil {
			return nil, err
		}
		files[i] = dovetail.File{Name: heads[i].Name, Filename: heads[i].Filename, MediaType: heads[i].MediaType, Data: data}
	}
	return files, nil
}

// openText opens a value in base64.
func openText(key *envelope.Key, sealed, about string) ([]byte, error) {
	text, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return nil, err
	}
	return key.OpenBytes(text, about)
}

// escaped returns the stored form of a document in plaintext whose data begin as those of a sealed one.
func escaped(doc *dovetail.Document) (*dovetail.Document, error) {
	plain := *doc
	var err error
	plain.Data, err = encode(stored{Header: header{Format: formatNumber}, Data: doc.Data})
	return &plain, err
}

// exported returns a sealed document with its key, and without what only its database needs.
func exported(doc *dovetail.Document, wrapped, recipient string) (*dovetail.Document, error) {
	s, err := parse(doc)
	if err != nil {
		return nil, err
	}
	s.Header.Wrapped, s.Header.Recipient = wrapped, recipient
	out := *doc
	out.References = withoutKey(doc.References)
	out.Data, err = encode(s)
	return &out, err
}

func parse(doc *dovetail.Document) (stored, error) {
	var s stored
	if err := json.Unmarshal(doc.Data, &s); err != nil {
		return s, damaged(doc.ID, err)
	}
	if s.Header.Format != formatNumber {
		return s, damaged(doc.ID, fmt.Errorf("its format is %d, not %d", s.Header.Format, formatNumber))
	}
	return s, nil
}

// isSealed reports whether a document of a backend, or of an export, is in the stored form.
func isSealed(doc *dovetail.Document) bool { return store.IsSealed(doc.Data) }

// binding is what the parts of one sealed document are bound to: the document, its version, and each other.
type binding string

func newBinding(doc *dovetail.Document, h *header, ats []string, status bool, files int) binding {
	parts := append([]string{"dovetail " + strconv.Itoa(h.Format), string(doc.ID), doc.UID, strconv.FormatUint(doc.Revision, 10),
		h.Policy, strconv.FormatBool(status), strconv.Itoa(files)}, ats...)
	return binding(strings.Join(parts, "\x00"))
}

func (b binding) part(name string) string { return string(b) + "\x00\x00" + name }

func (b binding) value(i int, at string) string { return b.part("value " + strconv.Itoa(i) + at) }

// encode writes JSON without the escapes that only web pages need, so that data stay byte for byte.
func encode(v any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInternal, Message: "a document cannot be sealed", Err: err}
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

func damaged(id dovetail.ID, err error) error {
	return &dovetail.Error{Code: dovetail.CodeCorrupt, Key: id, Reason: ReasonDamaged, Message: "the sealed data of " + string(id) + " cannot be opened: they were changed or moved",
		Remedy: "restore the document from a backup; dovetail fsck lists all that are damaged", Err: err}
}
