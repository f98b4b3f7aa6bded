package state

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/activator"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// Kind is that of ActiveResolutions, and the name of their key element.
const Kind = "activeResolution"

// AuthorAnnotation names, in an ActiveResolution that a set keeps, who made the set ask for what it does. It counts only in a version that the service
// itself has written.
const AuthorAnnotation = "resolution.dovetail.dev/author"

// Request is what an ActiveResolution asks for.
type Request struct {
	Name       string
	Spec       *solver.Spec
	Digest     string // of all that is asked for
	Class      activator.Class
	Activated  bool // a class is named
	Parameters activator.Parameters
	Generation uint64 // as the document says; 0 when it does not

	// Problem tells apart what is to be solved: two requests with the same one have the same answer over the same sources.
	Problem string

	// PlansFromActivation says that the plan begins at what was activated last, which Spec then holds as what is installed.
	PlansFromActivation bool
}

// ReadRequest reads the data of an ActiveResolution. What is wrong with its spec, the problem made of it tells. The
// error is of CodeCorrupt.
func ReadRequest(doc *dovetail.Document) (*Request, error) {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, err
	}
	key := doc.Key()
	r := readData(data)
	r.Name = key[len(key)-1].Value
	var installed []solver.Installed
	if r.PlansFromActivation = r.Spec.PlansFromActivation(); r.PlansFromActivation {
		if last := ReadStatus(doc).Activation; last != nil {
			installed = last.Installed
			r.Spec = r.Spec.WithInstalled(installed)
		}
	}
	r.Problem = problemOf(SpecOf(data), installed)
	return r, nil
}

// Author returns the author of what an ActiveResolution asks for (store.AuthorOf), where its plan needs an approval. service is who keeps the
// ActiveResolutions of sets: what it writes is asked for by the author of the set, whom it notes.
func Author(service string) func(writer, author string, before, after *value.Value) string {
	return func(writer, author string, before, after *value.Value) string {
		next := readData(after)
		if !next.Spec.Approval {
			return ""
		}
		if before != nil && author != "" && readData(before).Digest == next.Digest {
			return author
		}
		if writer == service {
			writer, _ = after.At("metadata", "annotations", AuthorAnnotation).Str()
		}
		return writer
	}
}

// readData reads what the data of an ActiveResolution ask for.
func readData(data *value.Value) *Request {
	r := &Request{}
	r.Spec, _ = solver.ParseSpec(SpecOf(data)) // the problem repeats its error
	annotations := make(map[string]string)
	if given := data.At("metadata", "annotations"); given != nil {
		for _, m := range given.Members {
			annotations[m.Name] = m.Value.Text
		}
	}
	r.Class, r.Activated = activator.ClassOf(annotations)
	r.Parameters = activator.ParametersOf(annotations)
	if generation := data.At("metadata", "generation"); generation != nil {
		r.Generation, _ = strconv.ParseUint(generation.Text, 10, 64) // the data's schema knows that it is a whole number
	}
	r.Digest = digestOf(data, r)
	return r
}

// SpecOf is the spec of a document, or that of one which asks for nothing.
func SpecOf(data *value.Value) *value.Value {
	if spec := data.Get("spec"); spec != nil {
		return spec
	}
	return value.NewMap()
}

// problemOf tells apart what of a spec is to be solved, with what was activated last where its plan begins there.
func problemOf(spec *value.Value, installed []solver.Installed) string {
	hash := sha256.New()
	for _, m := range spec.Members {
		if m.Name != "set" { // which says who keeps it
			hash.Write([]byte(strconv.Quote(m.Name)))
			hash.Write(m.Value.AppendJSON(nil))
		}
	}
	_ = json.NewEncoder(hash).Encode(installed) // a hash takes everything
	return string(hash.Sum(nil))
}

// digestOf tells apart what is asked for. Labels and other notes in the metadata do not count.
func digestOf(data *value.Value, r *Request) string {
	hash := sha256.New()
	hash.Write(SpecOf(data).AppendJSON(nil))
	hash.Write([]byte("\n" + string(r.Class) + "\n" + strconv.FormatBool(r.Activated) + "\n" + strconv.FormatUint(r.Generation, 10)))
	if len(r.Parameters) > 0 {
		hash.Write([]byte("\n" + r.Parameters.String()))
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}
