package kubeapi

import (
	"context"
	"iter"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// The types of the events of a watch.
const (
	added    = "ADDED"
	modified = "MODIFIED"
	deleted  = "DELETED"
	bookmark = "BOOKMARK"
	failed   = "ERROR"
)

// watching is a watch that has been asked for.
type watching struct {
	*selection
	store     httpapi.Store
	shape     shape
	now       func() time.Time
	after     store.Cursor
	initial   []*dovetail.Document // what the watch begins with
	mark      bool                 // a bookmark tells the end of that
	bookmarks bool
	lasts     time.Duration // 0 for as long as the client likes
	// inside are the documents that the client knows as selected, where that may change.
	inside map[dovetail.ID]bool
	// untold are the documents that were created and have gone: the client gets an event for neither.
	untold map[dovetail.ID]bool
}

// watch follows the changes of a selection: after a position, after the version of the one document that is selected, or after what there is
// now, which the watch begins with.
func (a *API) watch(ctx context.Context, call *httpapi.Request, s *selection) (*httpapi.Response, error) {
	w := &watching{selection: s, store: a.store, now: a.now, shape: a.shapeOf(call.Header, call.Query.Get(paramObject)),
		bookmarks: isTrue(call.Query.Get(paramBookmarks)), mark: isTrue(call.Query.Get(paramInitial)), untold: make(map[dovetail.ID]bool)}
	var err error
	if w.lasts, err = seconds(call); err != nil {
		return nil, err
	}
	initial, err := w.begin(ctx, call.Query.Get(paramVersion), call.Query.Get(paramInitial))
	if err != nil {
		return nil, err
	}
	if initial || s.onData() && w.inside == nil {
		then, err := a.store.At(ctx, w.after)
		if err != nil {
			return nil, gone(err)
		}
		w.after = then.Position()
		there, _, err := s.list(ctx, then, "", 0)
		if err != nil {
			return nil, err
		}
		if s.onData() && w.inside == nil {
			w.inside = make(map[dovetail.ID]bool)
			for _, doc := range there {
				w.inside[doc.ID] = true
			}
		}
		if initial {
			w.initial = there
		}
	}
	return &httpapi.Response{Stream: &httpapi.Stream{MediaType: mediaJSON + ";stream=watch", Parts: w.events}}, nil
}

// begin finds from where on the watch follows, and reports whether it begins with what there is.
func (w *watching) begin(ctx context.Context, text, initial string) (withThere bool, err error) {
	if text == "" || text == "0" || w.mark {
		if initial == "false" {
			w.after, err = w.store.Head(ctx)
			return false, err
		}
		return true, nil
	}
	at, isPosition := position(text)
	if isPosition {
		w.after = at
		return false, nil
	}
	if _, err := dovetail.ParseETag(text); err != nil {
		return false, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the resourceVersion \"" + text + "\" was never given out", Remedy: "give that of a list, of an object, or none"}
	}
	id := w.one()
	if id == "" { // which document it is of is not known
		return false, expired()
	}
	w.after, err = w.store.PositionOf(ctx, text, id)
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		err = expired()
	}
	err = gone(err)
	w.inside = map[dovetail.ID]bool{id: true}
	return false, err
}

// gone has clients list again where a position is too old, or of another database, as one that was restored: they would ask for the same again
// and again after any other error.
func gone(err error) error {
	if code := dovetail.CodeOf(err); code == dovetail.CodeInvalid || code == dovetail.CodeExpired {
		return expired()
	}
	return err
}

func expired() error {
	return &dovetail.Error{Code: dovetail.CodeExpired, Message: "the watch cannot go on from this resourceVersion", Remedy: "list again, and watch from the resourceVersion of the list"}
}

// events yields the events for the client, each as a line.
func (w *watching) events(ctx context.Context) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if w.lasts > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, w.lasts)
			defer cancel()
		}
		for _, doc := range w.initial {
			if !w.tell(yield, added, doc) {
				return
			}
		}
		w.initial = nil
		if w.mark && !yield(w.bookmark(w.after, map[string]string{metav1.InitialEventsAnnotationKey: "true"})) {
			return
		}
		q := store.WatchQuery{ID: w.one()}
		if q.ID == "" {
			q.Under, q.Kind = w.under, w.of.Name
		}
		for event, err := range w.store.Watch(ctx, w.after, q) {
			if err != nil {
				if ctx.Err() == nil {
					yield(line(failed, encode(statusOf(dovetail.AsError(gone(err))))))
				}
				return
			}
			for _, c := range event.Changes {
				if !w.change(yield, c) {
					return
				}
			}
			// A watch that went on between a creation and a deletion that are not told would tell the deletion.
			if w.bookmarks && len(w.untold) == 0 && !yield(w.bookmark(event.Cursor, nil)) {
				return
			}
		}
	}
}

// change tells what a change means for the selection.
func (w *watching) change(yield func([]byte) bool, c store.EventChange) bool {
	if !w.fits(c.ID) {
		return true
	}
	last := &dovetail.Document{ID: c.ID, Kind: c.Kind, UID: c.UID, Revision: c.Revision, Data: []byte("{}")}
	if c.Op == store.Deleted {
		if w.untold[c.ID] {
			delete(w.untold, c.ID)
			return true
		}
		if w.inside != nil && !w.inside[c.ID] {
			return true
		}
		delete(w.inside, c.ID)
		return w.tell(yield, deleted, last)
	}
	doc := c.Document
	if doc == nil { // it is deleted, which follows
		if c.Op == store.Created {
			w.untold[c.ID] = true
		}
		return true
	}
	kind := modified
	if c.Op == store.Created {
		kind = added
	}
	if w.inside == nil {
		return w.tell(yield, kind, doc)
	}
	selected, err := w.matches(doc)
	switch was := w.inside[c.ID]; {
	case err != nil:
		yield(line(failed, encode(statusOf(dovetail.AsError(err)))))
		return false
	case selected && was:
		kind = modified
	case selected:
		kind = added
		w.inside[c.ID] = true
	case was:
		kind = deleted
		delete(w.inside, c.ID)
	default:
		return true
	}
	return w.tell(yield, kind, doc)
}

// tell yields an event about a document.
func (w *watching) tell(yield func([]byte) bool, kind string, doc *dovetail.Document) bool {
	w.shape.now = w.now()
	text, err := w.shape.one(w.resource, doc)
	if err != nil {
		yield(line(failed, encode(statusOf(dovetail.AsError(err)))))
		return false
	}
	return yield(line(kind, text))
}

// bookmark tells a position from which the watch can go on.
func (w *watching) bookmark(at store.Cursor, annotations map[string]string) []byte {
	object := metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: w.kind, APIVersion: w.apiVersion()},
		ObjectMeta: metav1.ObjectMeta{ResourceVersion: versionAt(at), Annotations: annotations}}
	if w.shape.table {
		return line(bookmark, w.shape.rows(w.resource, metav1.ListMeta{ResourceVersion: versionAt(at)}, nil))
	}
	return line(bookmark, encode(object))
}

// line is an event as it is sent.
func line(kind string, object []byte) []byte {
	text := append([]byte(`{"type":"`), kind...)
	text = append(append(text, `","object":`...), object...)
	return append(text, "}\n"...)
}
