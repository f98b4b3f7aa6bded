package cli

import (
	"bytes"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// reasonInvalidInput is the reason of files that `resolve` cannot read, beside those of package solver.
const reasonInvalidInput = "InvalidInput"

// resolutionInput is what the files of `resolve` hold together.
type resolutionInput struct {
	spec    *solver.Spec
	status  *value.Value // nil if there is none
	sources []*solver.Source
	parts   sourceManifests // of further sources
	file    string          // of the spec
}

func invalidInput(file string, v *value.Value, remedy, message string) *dovetail.Error {
	at := v.Position()
	at.File = file
	return &dovetail.Error{Code: dovetail.CodeInvalid, Reason: reasonInvalidInput, Position: at, Message: message, Remedy: remedy}
}

// readResolution reads files that hold together one spec and its sources. What is wrong with spec and
// sources is reported when they are joined.
func (s *session) readResolution(files []string) (*resolutionInput, error) {
	names, err := expand(files, isManifestFile)
	if err != nil {
		return nil, err
	}
	in := &resolutionInput{}
	parser := solver.NewParser()
	var errs []*dovetail.Error
	for _, name := range names {
		data, err := s.readInput(name)
		if err != nil {
			return nil, err
		}
		docs, err := parseFile(name, data)
		if err != nil {
			for _, e := range parts(err) {
				refused := *e
				refused.Reason = reasonInvalidInput
				errs = append(errs, &refused)
			}
		}
		for _, doc := range manifest.Flatten(docs) {
			if e := in.add(positionName(name), doc, parser); e != nil {
				errs = append(errs, e)
				break // the rest of the file is hardly better
			}
		}
	}
	put, wrong := in.parts.sources(parser)
	in.sources, errs = append(in.sources, put...), append(errs, wrong...)
	if len(errs) == 0 && in.spec == nil {
		errs = append(errs, invalidInput(strings.Join(files, ", "), nil, "add spec: {constraints: [...]}", "there is no spec"))
	}
	return in, dovetail.Join("the resolution is refused", errs)
}

// add takes what one document has.
func (in *resolutionInput) add(file string, doc *value.Value, parser *solver.Parser) *dovetail.Error {
	parser.File = file
	sources, spec := doc.Get("sources"), doc.Get("spec")
	schema, _ := doc.Get("schema").Str()
	elements, isManifest := isSourceManifest(doc)
	switch {
	case doc.Get("packages") != nil:
		in.sources = append(in.sources, parser.Source(doc))
	case isManifest:
		return in.parts.add(file, doc, elements)
	case strings.HasPrefix(schema, "olm."):
		return invalidInput(file, doc, "store it with `dovetail import catalog`", "this is a file-based catalog, not a source")
	case sources == nil && spec == nil:
		return invalidInput(file, doc, "write sources or spec", "this is neither a source nor a resolution")
	}
	if sources != nil {
		if sources.Kind != value.List {
			return invalidInput(file, sources, "write a list of sources", "sources is a list, not a "+sources.Kind.String())
		}
		for _, source := range sources.Items {
			in.sources = append(in.sources, parser.Source(source))
		}
	}
	switch {
	case spec == nil:
	case in.spec != nil:
		return invalidInput(file, spec, "keep one", "there is a second spec")
	default:
		in.spec, _ = solver.ParseSpec(spec) // its error comes again when it is joined with sources
		in.status, in.file = doc.Get("status"), file
	}
	return nil
}

// place gives the errors that NewProblem found in the spec the name of its file; those of sources have one.
func (in *resolutionInput) place(err error) error {
	var errs []*dovetail.Error
	for _, e := range parts(err) {
		placed := *e
		switch {
		case e.Reason != solver.ReasonInvalidSource:
			placed.Position.File = in.file
		case e.Position.File == "": // put together of manifests: only the message says where
			placed.Position = dovetail.Position{}
		}
		errs = append(errs, &placed)
	}
	return dovetail.Join("the resolution is refused", errs)
}

// storedSelections reads the selections to compare with: of the status, or of a file, a line each or in
// YAML as a list, below selections or below status.
func (s *session) storedSelections(from string, in *resolutionInput) ([]string, error) {
	if from == diffStatus {
		if in.status == nil {
			return nil, invalidInput(in.file, nil, "name a file: --diff=FILE", "there is no status to compare with")
		}
		return selectionTexts(in.file, in.status.Get("selections"))
	}
	data, err := s.readInput(from)
	if err != nil {
		return nil, err
	}
	if lines := bytes.Fields(data); len(lines) > 0 && bytes.Count(lines[0], []byte(":")) >= 3 && !bytes.ContainsAny(lines[0], `"'[{`) {
		var texts []string
		for _, line := range lines {
			texts = append(texts, string(line))
		}
		return texts, nil
	}
	docs, err := parseFile(from, data)
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 {
		return nil, invalidInput(from, nil, "give exactly one", "there is not one document with selections")
	}
	list := docs[0]
	for _, path := range [][]string{{"status", "selections"}, {"selections"}} {
		if v := docs[0].At(path...); v != nil {
			list = v
		}
	}
	return selectionTexts(from, list)
}

func selectionTexts(file string, list *value.Value) ([]string, error) {
	if list == nil {
		return nil, nil
	}
	var texts []string
	for _, item := range list.Items {
		if text, ok := item.Str(); ok {
			texts = append(texts, text)
		}
	}
	if list.Kind != value.List || len(texts) != len(list.Items) {
		return nil, invalidInput(file, list, "write source:name:version:channel", "selections is a list of texts")
	}
	return texts, nil
}
