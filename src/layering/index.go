package layering

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// entry is one document of a revision.
type entry struct {
	id      rendering.ID
	bucket  string
	content string // the name of what it says
	since   int    // the revision that it came with

	// Of the profile deckhand, which counts rows: the revision that wrote its row, the number of that row, which is the order of
	// creation, and the number of the first row that the document ever had.
	put, row, first int
}

// tombstone is the row of the profile deckhand that says that a document is there no more.
type tombstone struct {
	id  rendering.ID
	row int
}

// index is all documents of a revision. It is not changed once it is made.
type index map[rendering.ID]entry

// compareIDs orders documents: by schema, then name, then layer.
func compareIDs(a, b rendering.ID) int {
	return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Layer, b.Layer))
}

func compareEntries(a, b entry) int { return compareIDs(a.id, b.id) }

// sorted returns the entries in the order of documents.
func (x index) sorted() []entry {
	entries := slices.AppendSeq(make([]entry, 0, len(x)), maps.Values(x))
	slices.SortFunc(entries, compareEntries)
	return entries
}

// where is sorted of the entries that are wanted. It asks for each once.
func (x index) where(wanted func(entry) bool) (entries []entry) {
	for _, e := range x {
		if wanted(e) {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, compareEntries)
	return entries
}

// created returns the entries in the order of their creation, as far as that is known.
func (x index) created() []entry {
	entries := x.sorted()
	slices.SortStableFunc(entries, func(a, b entry) int { return a.row - b.row })
	return entries
}

// buckets returns the names of those that have documents, in order.
func (x index) buckets() []string {
	names := make(map[string]bool)
	for _, e := range x {
		names[e.bucket] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// digest names what all documents say together: two indexes with equal digests render equally.
func (x index) digest() string {
	h := sha256.New()
	for _, e := range x.sorted() {
		for _, text := range []string{e.id.Schema, e.id.Name, e.id.Layer, e.content} {
			h.Write([]byte(strconv.Itoa(len(text)) + ":" + text))
		}
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:24])
}

// same reports whether two indexes have the same documents with the same content in the same buckets.
func (x index) same(other index) bool {
	return maps.EqualFunc(x, other, func(a, b entry) bool { return a.bucket == b.bucket && a.content == b.content })
}

// difference is how an index differs from the one before.
type difference struct {
	put  []entry        // what is new or other, in the order of documents
	gone []rendering.ID // what is there no more, in the same order

	rows rows
}

// rows are what the profile deckhand knows of a revision beside its index.
type rows struct {
	last       int         // the highest number of a row that any revision up to this one has
	tombstones []tombstone // that the revision wrote
}

func (x index) differenceFrom(before index) difference {
	var d difference
	for _, e := range x {
		if before[e.id] != e {
			d.put = append(d.put, e)
		}
	}
	for id := range before {
		if _, still := x[id]; !still {
			d.gone = append(d.gone, id)
		}
	}
	slices.SortFunc(d.put, compareEntries)
	slices.SortFunc(d.gone, compareIDs)
	return d
}

// apply returns the index that differs so from this one.
func (x index) apply(d difference) index {
	next := maps.Clone(x)
	if next == nil {
		next = make(index, len(d.put))
	}
	next.change(d)
	return next
}

// change is apply in place, to an index that is not shared yet.
func (x index) change(d difference) {
	for _, id := range d.gone {
		delete(x, id)
	}
	for _, e := range d.put {
		x[e.id] = e
	}
}

// The members of a stored index: documents by bucket, schema, layer and name, each with its content and since.
const (
	memberDocuments  = "documents"
	memberGone       = "gone"
	memberRows       = "rows"
	memberTombstones = "tombstones"
)

// data writes the difference as the data of a layeringIndex. Nested maps name each bucket, schema and layer once.
func (d difference) data() *value.Value {
	documents := value.NewMap()
	for _, e := range d.put {
		at := documents
		for _, name := range []string{e.bucket, e.id.Schema, e.id.Layer} {
			at = descend(at, name)
		}
		item := value.NewList(value.NewString(e.content), value.NewNumber(int64(e.since)))
		if e.put > 0 {
			item.Items = append(item.Items, value.NewNumber(int64(e.put)), value.NewNumber(int64(e.row)), value.NewNumber(int64(e.first)))
		}
		at.Members = append(at.Members, value.Member{Name: e.id.Name, Value: item})
	}
	gone := value.NewList()
	for _, id := range d.gone {
		gone.Items = append(gone.Items, idValue(id))
	}
	data := value.NewMap(nameMember(indexName), value.Member{Name: memberDocuments, Value: documents}, value.Member{Name: memberGone, Value: gone})
	if d.rows.last > 0 {
		tombstones := value.NewList()
		for _, t := range d.rows.tombstones {
			item := idValue(t.id)
			item.Items = append(item.Items, value.NewNumber(int64(t.row)))
			tombstones.Items = append(tombstones.Items, item)
		}
		data.Set(memberRows, value.NewNumber(int64(d.rows.last)))
		data.Set(memberTombstones, tombstones)
	}
	return data
}

func idValue(id rendering.ID) *value.Value {
	return value.NewList(value.NewString(id.Schema), value.NewString(id.Layer), value.NewString(id.Name))
}

// descend returns the map below a name, made if need be. Neighbours mostly share it, so the last is examined first.
func descend(in *value.Value, name string) *value.Value {
	if n := len(in.Members); n > 0 && in.Members[n-1].Name == name {
		return in.Members[n-1].Value
	}
	if have := in.Get(name); have != nil {
		return have
	}
	below := value.NewMap()
	in.Members = append(in.Members, value.Member{Name: name, Value: below})
	return below
}

// readDifference reads what data wrote. The error has the code CodeCorrupt.
func readDifference(doc *dovetail.Document) (difference, error) {
	var d difference
	v, err := value.DataOf(doc, nil)
	if err != nil {
		return d, err
	}
	bad := func() (difference, error) { return d, dovetail.UnreadableData(doc.ID, nil) }
	for _, bucket := range members(v.Get(memberDocuments)) {
		for _, schema := range members(bucket.Value) {
			for _, layer := range members(schema.Value) {
				for _, name := range members(layer.Value) {
					e := entry{id: rendering.ID{Schema: schema.Name, Name: name.Name, Layer: layer.Name}, bucket: bucket.Name}
					if !e.read(name.Value.Items) {
						return bad()
					}
					d.put = append(d.put, e)
				}
			}
		}
	}
	for _, item := range items(v.Get(memberGone)) {
		if len(item.Items) != 3 {
			return bad()
		}
		d.gone = append(d.gone, idOf(item.Items))
	}
	if !d.rows.read(v) {
		return bad()
	}
	return d, nil
}

func idOf(items []*value.Value) rendering.ID {
	return rendering.ID{Schema: items[0].Text, Layer: items[1].Text, Name: items[2].Text}
}

// read reads the rows of a stored index, of which there may be none.
func (r *rows) read(v *value.Value) bool {
	last := v.Get(memberRows)
	if last == nil {
		return true
	}
	var err error
	if r.last, err = strconv.Atoi(last.Text); err != nil {
		return false
	}
	for _, item := range items(v.Get(memberTombstones)) {
		if len(item.Items) != 4 {
			return false
		}
		row, err := strconv.Atoi(item.Items[3].Text)
		if err != nil {
			return false
		}
		r.tombstones = append(r.tombstones, tombstone{idOf(item.Items), row})
	}
	return true
}

// read reads what is stored of an entry beside its names: its content, since, and perhaps the order of creation.
func (e *entry) read(items []*value.Value) bool {
	numbers := []*int{&e.since, &e.put, &e.row, &e.first}
	if len(items) != 2 && len(items) != 5 {
		return false
	}
	e.content = items[0].Text
	for i, item := range items[1:] {
		n, err := strconv.Atoi(item.Text)
		if err != nil {
			return false
		}
		*numbers[i] = n
	}
	return true
}
