package mongo

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// dumpFormats are the file extensions of mongodump and of mongoexport. The latter writes Extended JSON, one document per line or an
// array.
var dumpFormats = []string{".bson", ".json", ".jsonl"}

// ReadDump yields the documents of a collection in a dump, as ReadForeign does. The path is a file, or a directory that contains
// exactly one file of the collection, at any depth. Files that end with .gz are decompressed.
//
// Errors: CodeNotFound if there is no such file, CodeInvalid if there are several or the file is not a dump, CodeUnavailable if it
// cannot be read, and the codes of an ended context.
func ReadDump(ctx context.Context, path, collection string) iter.Seq2[*value.Value, error] {
	return func(yield func(*value.Value, error) bool) {
		name, err := dumpFile(path, collection)
		if err != nil {
			yield(nil, err)
			return
		}
		file, err := os.Open(name)
		if err != nil {
			yield(nil, unreadableDump(name, err))
			return
		}
		defer file.Close()
		var from io.Reader = bufio.NewReaderSize(file, 1<<20)
		format := name
		if strings.HasSuffix(name, ".gz") {
			if from, err = gzip.NewReader(from); err != nil {
				yield(nil, unreadableDump(name, err))
				return
			}
			from, format = bufio.NewReaderSize(from, 1<<20), strings.TrimSuffix(name, ".gz")
		}
		read := jsonDocuments
		if strings.HasSuffix(format, ".bson") {
			read = bsonDocuments
		}
		n := 0
		for v, err := range read(from) {
			n++
			switch {
			case ctx.Err() != nil:
				err = dovetail.AsError(ctx.Err())
			case err != nil:
				err = &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("document %d of %s cannot be read", n, name),
					Remedy: "give a file that mongodump or mongoexport wrote, to its end", Err: err}
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// dumpFile finds the file of a collection.
func dumpFile(path, collection string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", unreadableDump(path, err)
	}
	isDump := func(name string) bool {
		name = strings.TrimSuffix(name, ".gz")
		return slices.ContainsFunc(dumpFormats, func(format string) bool { return strings.HasSuffix(name, format) })
	}
	if !info.IsDir() {
		if !isDump(path) {
			return "", &dovetail.Error{Code: dovetail.CodeInvalid, Message: path + " is no dump by its name",
				Remedy: "give a file that ends with " + strings.Join(dumpFormats, ", ") + ", or one of these and .gz"}
		}
		return path, nil
	}
	var found []string
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if base, _, _ := strings.Cut(filepath.Base(name), "."); err == nil && !entry.IsDir() && base == collection && isDump(name) && !strings.Contains(filepath.Base(name), ".metadata.") {
			found = append(found, name)
		}
		return err
	})
	switch {
	case err != nil:
		return "", unreadableDump(path, err)
	case len(found) == 0:
		return "", &dovetail.Error{Code: dovetail.CodeNotFound, Message: fmt.Sprintf("there is no file of the collection %s in %s", collection, path),
			Remedy: "give the folder that mongodump wrote, or name another collection"}
	case len(found) > 1:
		return "", &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("there are several files of the collection %s: %s", collection, strings.Join(found, ", ")),
			Remedy: "give the one that is meant"}
	}
	return found[0], nil
}

func unreadableDump(name string, err error) error {
	code := dovetail.CodeUnavailable
	if errors.Is(err, fs.ErrNotExist) {
		code = dovetail.CodeNotFound
	}
	return &dovetail.Error{Code: code, Message: name + " cannot be read", Remedy: "give mongodb://HOST/DATABASE, or a file or folder with a dump", Err: err}
}

// bsonDocuments reads the concatenated documents of mongodump.
func bsonDocuments(from io.Reader) iter.Seq2[*value.Value, error] {
	return func(yield func(*value.Value, error) bool) {
		for {
			var size [4]byte
			_, err := io.ReadFull(from, size[:])
			if errors.Is(err, io.EOF) {
				return
			}
			n := binary.LittleEndian.Uint32(size[:])
			if err == nil && (n < 5 || n > 2*maxStored) {
				err = errors.New("its length is not that of a document")
			}
			var v *value.Value
			if err == nil {
				raw := append(make(bson.Raw, 0, n), size[:]...)[:n]
				if _, err = io.ReadFull(from, raw[len(size):]); err == nil {
					v, err = decodeForeign(raw)
				}
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// jsonDocuments reads the documents of mongoexport: concatenated or in an array.
func jsonDocuments(from io.Reader) iter.Seq2[*value.Value, error] {
	return func(yield func(*value.Value, error) bool) {
		decoder := json.NewDecoder(from)
		for {
			var raw json.RawMessage
			err := decoder.Decode(&raw)
			if errors.Is(err, io.EOF) {
				return
			}
			var v *value.Value
			if err == nil {
				v, err = value.ParseJSON(bytes.Clone(raw), value.Limits{Bytes: 1 << 30})
			}
			all := []*value.Value{v}
			if err == nil && v.Kind == value.List {
				all = v.Items
			}
			for _, v := range all {
				if err == nil && v.Kind != value.Map {
					err = errors.New("it is no object")
				}
				if !yield(v, err) || err != nil {
					return
				}
			}
		}
	}
}
