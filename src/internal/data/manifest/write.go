package manifest

import (
	"encoding/base64"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Of writes a document as a manifest that Operations reads back as the same document: kind, key, the
// version that it replaces (`ifMatch`), data, files, and for the reader's eyes the status without the field managers. The data stands inline where no member of it
// could be taken for one of the manifest's own, and in `data` otherwise. The error, CodeInvalid, is
// for a document whose JSON cannot be read.
func Of(doc *dovetail.Document) (*value.Value, error) {
	m := value.NewMap()
	m.Set("kind", value.NewString(doc.Kind))
	key := value.NewMap()
	for _, e := range doc.Key() {
		key.Set(e.Name, value.NewString(e.Value))
	}
	m.Set("key", key)
	if doc.UID != "" {
		m.Set(IfMatch, value.NewString(doc.ETag().Version()))
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, err
	}
	if inline(data) {
		m.Members = append(m.Members, data.Members...)
	} else {
		m.Set("data", data)
	}
	if len(doc.Content) > 0 {
		m.Set("content", contentOf(doc.Content))
	}
	if len(doc.Status) > 0 {
		status, err := value.StatusOf(doc)
		if err != nil {
			return nil, err
		}
		if status.Kind == value.Map {
			status.Delete(store.ManagedFieldsMember)
		}
		if status.Kind != value.Map || len(status.Members) > 0 {
			m.Set("status", status)
		}
	}
	return m, nil
}

func inline(data *value.Value) bool {
	if data.Kind != value.Map || len(data.Members) == 0 {
		return false
	}
	return !slices.ContainsFunc(data.Members, func(m value.Member) bool {
		return slices.Contains(instructions, m.Name) || slices.Contains(bookkeeping, m.Name)
	})
}

func contentOf(files []dovetail.File) *value.Value {
	list := value.NewList()
	for _, file := range files {
		item := value.NewMap()
		item.Set("name", value.NewString(file.Name))
		if file.Filename != "" {
			item.Set("filename", value.NewString(file.Filename))
		}
		if file.MediaType != "" {
			item.Set("mediaType", value.NewString(file.MediaType))
		}
		item.Set("data", value.NewString(base64.StdEncoding.EncodeToString(file.Data)))
		list.Items = append(list.Items, item)
	}
	return list
}
