package httpapi

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// listContent describes the files of the document.
func listContent(x *requestContext) error {
	if _, err := x.parameters(); err != nil {
		return err
	}
	doc, err := x.store.Get(x.ctx, x.resource)
	if err != nil {
		return err
	}
	if unchanged, err := x.unchanged(doc); unchanged || err != nil {
		return err
	}
	x.version(doc)
	return x.answer(http.StatusOK, encodeJSON(describeFiles(doc.Content)))
}

// getContent answers one file of the document as it was uploaded.
func getContent(x *requestContext) error {
	p, err := x.parameters("filename")
	if err != nil {
		return err
	}
	doc, err := x.store.Get(x.ctx, x.resource)
	if err != nil {
		return err
	}
	file, err := chooseFile(doc, x.values[len(x.values)-1], p)
	if err != nil {
		return err
	}
	if unchanged, err := x.unchanged(doc); unchanged || err != nil {
		return err
	}
	x.version(doc)
	h := x.w.Header()
	x.revalidate()
	h.Set("Content-Type", mediaTypeOf(file))
	h.Set("X-Content-Type-Options", "nosniff") // users upload what they like
	h.Set("Content-Length", strconv.Itoa(len(file.Data)))
	name := file.Filename
	if name == "" {
		name = file.Name
	}
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	x.w.WriteHeader(http.StatusOK)
	x.write(file.Data)
	return nil
}

// chooseFile finds the file of a part; of several the filename says which.
func chooseFile(doc *dovetail.Document, part string, p parameters) (dovetail.File, error) {
	var found []dovetail.File
	var names []string
	for _, f := range doc.Content {
		if f.Name != part {
			continue
		}
		names = append(names, f.Filename)
		if !p.has("filename") || p.text("filename") == f.Filename {
			found = append(found, f)
		}
	}
	switch {
	case len(found) == 0:
		err := &dovetail.Error{Code: dovetail.CodeNotFound, Key: doc.ID, Message: string(doc.ID) + " has no such file in the part \"" + part + "\""}
		if len(names) > 0 {
			err.Remedy = "its files are " + strings.Join(names, ", ")
		}
		return dovetail.File{}, err
	case len(found) > 1 && !p.has("filename"):
		return dovetail.File{}, &dovetail.Error{Code: dovetail.CodeInvalid, Key: doc.ID, Message: "there are several files in the part \"" + part + "\"",
			Remedy: "choose with filename one of " + strings.Join(names, ", ")}
	}
	return found[0], nil
}
