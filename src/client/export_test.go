package client

import (
	"io"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// ReadEvents reads all events of a stream, for tests: name, id and data of each.
func ReadEvents(r io.Reader) (events [][3]string, err error) {
	reader := newEventReader(r)
	for {
		e, err := reader.next()
		if err != nil {
			return events, err
		}
		events = append(events, [3]string{e.name, e.id, string(e.data)})
	}
}

// CollectionPath is collectionPath, for tests.
func CollectionPath(kind *schema.Kind, under dovetail.ID) (string, bool) {
	return collectionPath(kind, under)
}
