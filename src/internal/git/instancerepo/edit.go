package instancerepo

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/value"
)

// Edit writes documents over the file that held them, and keeps the text of everything that stays: comments,
// order, what documents do not say. A file that says the same already comes back byte for byte. documents
// are all that the file is to hold, of an inventory the environment and its associations; those of other
// files are passed over. old is nil for a new file. Errors: CodeUnprocessable for documents that are not of that file, or that it
// cannot hold, and for an old file that is no YAML map.
func Edit(name string, old []byte, documents []Document) ([]byte, error) {
	at, ok := find(name)
	if !ok {
		return nil, newDefect(ReasonNoPlace, dovetail.Position{File: name}, "it is not a file that holds documents", "name a file of the layout of instance repositories")
	}
	sets, problems := gather(documents)
	i := slices.IndexFunc(sets, func(s *set) bool { return s.path == at.path })
	if i < 0 {
		problems = append(problems, newDefect(ReasonNoPlace, dovetail.Position{File: name}, "none of the documents is in it", "give those that are"))
		return nil, dovetail.Join("the file cannot be written", problems)
	}
	text, problems := sets[i].edit(name, old, Sealing{})
	if len(problems) > 0 {
		return nil, dovetail.Join("the file cannot be written", problems)
	}
	return text, nil
}

// edit writes the set over the file that is there, with new credentials encrypted where there are keys.
func (s *set) edit(name string, old []byte, sealing Sealing) ([]byte, []*dovetail.Error) {
	if old == nil {
		content, problems := s.content(nil)
		content = s.sharing(name, content)
		if sops.Is(content) {
			text, unopened := s.withSOPS(name, nil, nil, content, sealing)
			return text, append(problems, unopened...)
		}
		content, unsealed := s.sealed(name, nil, content, sealing)
		problems = append(problems, unsealed...)
		if text, ok := s.calculated(name, nil, nil, content); ok {
			return text, problems
		}
		return yaml.Marshal(content), problems
	}
	from, twice, errs := parse(name, old, s.place)
	if errs = append(errs, twice...); len(errs) > 0 { // of two values of a key only one can be edited
		return nil, errs
	}
	to, problems := s.content(from)
	to = s.sharing(name, to)
	if sops.Is(from) || sops.Is(to) {
		if value.Equal(from, to) {
			return old, problems
		}
		text, unopened := s.withSOPS(name, old, from, to, sealing)
		return text, append(problems, unopened...)
	}
	to, unsealed := s.sealed(name, from, to, sealing)
	problems = append(problems, unsealed...)
	if value.Equal(from, to) {
		return old, problems
	}
	if text, ok := s.calculated(name, old, from, to); ok {
		return text, problems
	}
	switch {
	case path.Ext(name) == ".json":
		var text bytes.Buffer
		if err := json.Indent(&text, to.JSON(), "", "  "); err != nil {
			return nil, append(problems, dovetail.AsError(err))
		}
		return append(text.Bytes(), '\n'), problems
	}
	if s.classic {
		return yaml.RewriteClassic(old, to), problems
	}
	return yaml.Rewrite(old, to), problems
}

// sharing is the content of the set with what stands at several places of a file of an effective set as one value.
func (s *set) sharing(name string, content *value.Value) *value.Value {
	if s.shape != parameterSpec {
		return content
	}
	return shared(name, content)
}

// calculated writes a file of an effective set as the calculator writes it; false for other files.
func (s *set) calculated(name string, old []byte, from, to *value.Value) ([]byte, bool) {
	if s.shape != parameterSpec {
		return nil, false
	}
	return asCalculated(name, old, from, to)
}
