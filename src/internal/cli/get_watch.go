package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// watcher shows what there is, and then every change, until the context ends.
type watcher struct {
	*session
	options   *getOptions
	selection *selection
	query     store.ListQuery

	listed map[dovetail.ID]dovetail.ETag // what was shown at first, so that it is not shown again
}

// event is one line of a watch.
type event struct {
	Op       string             `json:"op"`
	ID       dovetail.ID        `json:"id"`
	Time     *time.Time         `json:"time,omitempty"`
	Document *dovetail.Document `json:"-"`
	Manifest *value.Value       `json:"document,omitempty"`
}

// opListed marks what was there before the watch.
const opListed = "listed"

func (w *watcher) run(ctx context.Context, cmd *cobra.Command, st Store) error {
	if len(w.selection.ids) > 1 {
		return usagef(cmd, "--watch takes one document or one kind")
	}
	from, err := st.Head(ctx)
	if err != nil {
		return err
	}
	if err := w.list(ctx, st); err != nil {
		return err
	}
	query := store.WatchQuery{Under: w.query.Under, Kind: w.query.Kind}
	if len(w.selection.ids) == 1 {
		query = store.WatchQuery{ID: w.selection.ids[0]}
	}
	for changes, err := range st.Watch(ctx, from, query) {
		if err != nil {
			return err
		}
		for _, c := range changes.Changes {
			if err := w.changed(changes.Time, c); err != nil {
				return err
			}
		}
	}
	return nil // the user ended it
}

func (w *watcher) list(ctx context.Context, st Store) error {
	documents, err := w.options.find(ctx, st, w.selection, w.query)
	if err != nil && (len(w.selection.ids) == 0 || dovetail.CodeOf(err) != dovetail.CodeNotFound) {
		return err // one that is named may yet be created
	}
	w.listed = make(map[dovetail.ID]dovetail.ETag, len(documents))
	for _, doc := range documents {
		w.listed[doc.ID] = doc.ETag()
		if err := w.show(event{Op: opListed, ID: doc.ID, Document: doc}); err != nil {
			return err
		}
	}
	return nil
}

func (w *watcher) changed(at time.Time, c store.EventChange) error {
	if !w.selection.fits(c.ID) {
		return nil
	}
	known := dovetail.ETag{UID: c.UID, Revision: c.Revision}
	if c.Op != store.Deleted && w.listed[c.ID] == known {
		return nil
	}
	delete(w.listed, c.ID)
	if c.Document != nil {
		fits, err := w.matches(c.Document)
		if err != nil || !fits {
			return err
		}
	}
	return w.show(event{Op: string(c.Op), ID: c.ID, Time: &at, Document: c.Document})
}

func (w *watcher) matches(doc *dovetail.Document) (bool, error) {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return false, err
	}
	return w.query.Labels.Matches(data) && w.query.Fields.Matches(data), nil
}

// show writes one event: a line of the table, of JSON, or a YAML document.
func (w *watcher) show(e event) error {
	var err error
	if e.Document != nil {
		if e.Manifest, err = w.options.item(e.Document); err != nil {
			return err
		}
	}
	var text []byte
	switch w.output {
	case formatJSON:
		text, err = json.Marshal(e)
		text = append(text, '\n')
	case formatYAML:
		var v *value.Value
		if v, err = valueOf(e); err == nil {
			text = append([]byte("---\n"), yaml.Marshal(v)...)
		}
	case formatName:
		text = []byte(e.Op + " " + string(e.ID) + "\n")
	case formatTable, formatWide:
		var line string
		line, err = w.line(e)
		text = []byte(line)
	default:
		if e.Manifest != nil { // of a deletion there is nothing that a template could show
			return w.showTemplated(shown{single: true, bare: true, items: []*value.Value{e.Manifest}})
		}
	}
	if err != nil {
		return dovetail.AsError(err)
	}
	if _, err := w.Out.Write(text); err != nil {
		return unwritable(err)
	}
	return nil
}

// line shows an event in columns of fixed width: those of later lines are not known yet.
func (w *watcher) line(e event) (string, error) {
	doc := e.Document
	if doc == nil {
		doc = &dovetail.Document{ID: e.ID}
	}
	list := newListing(w.selection, w.Now(), w.OutTerminal)
	cells, err := list.cells(doc)
	if err != nil {
		return "", err
	}
	if w.output == formatTable {
		cells = cells[:len(cells)-list.table().wide]
	}
	if e.Manifest != nil {
		data, err := manifest.Of(e.Document)
		if err != nil {
			return "", err
		}
		cells = append(cells, w.options.cells(data)...)
	}
	paint := w.paintOut()
	return paint(effectColour(e.Op), fmt.Sprintf("%-8s", e.Op)) + gap + strings.Join(cells, gap) + "\n", nil
}
