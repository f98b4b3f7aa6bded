package krm

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// Read makes documents of the values of a file: of layered documents, of Kubernetes objects with annotations of layering, and of a
// configuration of the function, which is the layering policy. Otherwise it is as rendering.Read.
func Read(file string, values []*value.Value) ([]*rendering.Document, error) {
	var documents []*rendering.Document
	var errs dovetail.Errors
	for i := 0; i < len(values); {
		n := 1
		var read []*rendering.Document
		var err error
		switch v := values[i]; {
		case isLayered(v):
			read, err = readObject(file, v)
		case isConfiguration(v):
			read, err = readConfiguration(file, v)
		case isObject(v):
			at := v.Position()
			at.File = file
			err = &dovetail.Error{Code: dovetail.CodeInvalid, Reason: rendering.ClassInvalidDocumentFormat, Position: at, Message: "the Kubernetes object has no annotation " + prefix + "layer",
				Remedy: "add it, name the file in the objects of a Layering, or keep the object out of these files"}
		default: // documents are read together, so that their errors are sorted
			for i+n < len(values) && !isObject(values[i+n]) {
				n++
			}
			read, err = rendering.Read(file, values[i:i+n])
		}
		i += n
		documents = append(documents, read...)
		errs.Join(err)
	}
	if err := errs.Err("the documents are refused"); err != nil {
		return nil, err
	}
	return documents, nil
}

// isObject reports whether a value is an object of Kubernetes or of its tools, rather than a layered document.
func isObject(v *value.Value) bool {
	return v.Get("apiVersion") != nil && v.Get("kind") != nil && v.Get("schema") == nil
}

// isConfiguration reports whether a value configures the function.
func isConfiguration(v *value.Value) bool {
	version, _ := v.Get("apiVersion").Str()
	kind, _ := v.Get("kind").Str()
	return strings.HasPrefix(version, prefix) && kind == "Layering"
}

func readObject(file string, v *value.Value) ([]*rendering.Document, error) {
	document, problems := documentOf(v)
	var errs dovetail.Errors
	for _, p := range problems {
		e := *p.err
		e.Position.File, e.Position.Path = file, p.path
		errs.Add(&e)
	}
	if len(problems) > 0 {
		return nil, errs.Err("the documents are refused")
	}
	documents, err := rendering.ProfileKubernetes.Read(file, []*value.Value{document})
	if err != nil {
		return nil, moved(err, in(objectPath))
	}
	return []*rendering.Document{documents[0].WithForm(formOf(v, documents[0].Schema))}, nil
}

// readConfiguration reads the policy. What says nothing about layers is of the function alone.
func readConfiguration(file string, v *value.Value) ([]*rendering.Document, error) {
	f := function{}
	if f.check(v); len(f.findings) > 0 {
		var errs dovetail.Errors
		for i := range f.findings {
			e := *f.findings[i].err
			e.Reason, e.Position.File, e.Position.Path = rendering.ClassInvalidDocumentFormat, file, f.findings[i].path
			errs.Add(&e)
		}
		return nil, errs.Err("the documents are refused")
	}
	spec := v.Get("spec")
	if spec.Get("allowMissingSources") != nil {
		at := spec.Get("allowMissingSources").Position()
		at.File, at.Path = file, value.Pointer("spec", "allowMissingSources")
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: rendering.ClassInvalidDocumentFormat, Position: at,
			Message: "allowMissingSources in a file of a site has no effect", Remedy: "use the flag --allow-missing-sources"}
	}
	if spec == nil {
		return nil, nil
	}
	policy := policyOf(spec)
	if policy == nil {
		return nil, nil
	}
	documents, err := rendering.Read(file, []*value.Value{policy})
	if err != nil {
		return nil, moved(err, in(specPath))
	}
	return []*rendering.Document{documents[0].WithForm(&rendering.Form{Path: specPath})}, nil
}

// in translates the path of a position, whose file stays.
func in(path func(string) string) func(dovetail.Position) dovetail.Position {
	return func(at dovetail.Position) dovetail.Position {
		at.Path = path(at.Path)
		return at
	}
}

// moved translates the positions of errors.
func moved(err error, to func(dovetail.Position) dovetail.Position) error {
	var errs dovetail.Errors
	for _, e := range partsOf(err) {
		c := *e
		c.Position = to(e.Position)
		errs.Add(&c)
	}
	errs.Count(dovetail.AsError(err).Omitted())
	return errs.Err("the documents are refused")
}
