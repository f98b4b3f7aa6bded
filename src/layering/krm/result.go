package krm

import (
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// finding is an error or a warning.
type finding struct {
	of    *item // that it is about; nil for a document that is no item
	err   *dovetail.Error
	path  string // JSON Pointer in the item
	warns bool
}

// result is a finding as a ResourceList has it.
func (f *finding) result() *value.Value {
	severity := "error"
	if f.warns {
		severity = "warning"
	}
	message := f.err.Message
	if f.err.Remedy != "" {
		message += "; " + f.err.Remedy
	}
	result := value.NewMap(value.Member{Name: "message", Value: value.NewString(message)}, value.Member{Name: "severity", Value: value.NewString(severity)})
	if ref := f.ref(); ref != nil {
		result.Set("resourceRef", ref)
	}
	if f.path != "" {
		result.Set("field", value.NewMap(value.Member{Name: "path", Value: value.NewString(dotted(f.path))}))
	}
	if file, index := f.file(); file != "" {
		at := value.NewMap(value.Member{Name: "path", Value: value.NewString(file)})
		if n, err := strconv.Atoi(index); err == nil {
			at.Set("index", value.NewNumber(int64(n)))
		}
		result.Set("file", at)
	}
	if f.err.Reason != "" {
		result.Set("tags", value.NewMap(value.Member{Name: "class", Value: value.NewString(f.err.Reason)}))
	}
	return result
}

// ref names what the finding is about.
func (f *finding) ref() *value.Value {
	var api, kind, name, namespace string
	if f.of != nil && f.of.whole.Get("apiVersion") != nil {
		api, _ = f.of.whole.Get("apiVersion").Str()
		kind, _ = f.of.whole.Get("kind").Str()
		name, _ = f.of.whole.At("metadata", "name").Str()
		namespace, _ = f.of.whole.At("metadata", "namespace").Str()
	} else {
		id, ok := rendering.DocumentOf(f.err)
		if !ok {
			return nil
		}
		parts := strings.Split(id.Schema, "/")
		if name = id.Name; len(parts) != 3 {
			return nil
		}
		if in, rest, ok := strings.Cut(name, "/"); ok {
			namespace, name = in, rest
		}
		api, kind = parts[0]+"/"+parts[2], parts[1]
	}
	ref := value.NewMap()
	for _, m := range [][2]string{{"apiVersion", api}, {"kind", kind}, {"name", name}, {"namespace", namespace}} {
		if m[1] != "" {
			ref.Set(m[0], value.NewString(m[1]))
		}
	}
	return ref
}

// file is where the item is, with its place among those of the file, as the tools say, or where the document was read.
func (f *finding) file() (file, index string) {
	if f.of == nil {
		return f.err.Position.File, ""
	}
	for _, prefix := range []string{"internal.config.kubernetes.io/", "config.kubernetes.io/"} {
		if file, _ = f.of.whole.At("metadata", "annotations", prefix+"path").Str(); file != "" {
			index, _ = f.of.whole.At("metadata", "annotations", prefix+"index").Str()
			return file, index
		}
	}
	return "", ""
}

// message is the finding as text. The lines of a ResourceList are not those of the file.
func (f *finding) message() *dovetail.Error {
	e := *f.err
	if f.of != nil {
		e.Position = dovetail.Position{Path: f.path}
		e.Position.File, _ = f.file()
	}
	return &e
}

// dotted writes a JSON Pointer as results have paths: metadata.labels.app, spec.containers[0].
func dotted(pointer string) string {
	parts, ok := value.SplitPointer(pointer)
	if !ok {
		return pointer
	}
	var b strings.Builder
	for _, part := range parts {
		if _, err := strconv.Atoi(part); err == nil {
			b.WriteString("[" + part + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(part)
	}
	return b.String()
}
