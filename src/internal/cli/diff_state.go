package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// state is what diff compares of a document. The zero state is that of no document.
type state struct {
	data    *value.Value
	status  *value.Value
	content []dovetail.File
}

func stateOf(doc *dovetail.Document) (state, error) {
	st := state{content: doc.Content}
	var err error
	if st.data, err = value.DataOf(doc, nil); err != nil {
		return st, err
	}
	st.status, err = statusOf(doc)
	return st, err
}

// compareOperation compares what is stored with what the operation would make of it.
func (r *resolver) compareOperation(ctx context.Context, op store.Operation) (difference, error) {
	doc, err := r.st.Get(ctx, op.ID)
	exists := err == nil
	if !exists && (dovetail.CodeOf(err) != dovetail.CodeNotFound || op.Verb == store.Patch || op.Verb == store.PutStatus) {
		return difference{}, err
	}
	var was state
	if exists {
		if was, err = stateOf(doc); err != nil {
			return difference{}, err
		}
	}
	next := was
	var refused *dovetail.Error
	switch op.Verb {
	case store.Put, store.Create:
		next.data = withoutStatus(op.Data)
	case store.ApplyFields:
		if next.data, refused, err = applied(doc, was.data, op); err != nil {
			return difference{}, err
		}
	case store.Patch:
		next.data = value.MergePatch(was.data, withoutStatus(op.Data))
	case store.PutStatus:
		next.status = op.Data
	case store.Delete:
		next = state{}
	}
	if op.Content != nil && op.Verb != store.Delete {
		next.content = op.Content
	}
	d := compare(op.ID, was, next, place(op.Position))
	if d.refused = cmp.Or(refused, r.check(ctx, op, doc)); d.refused != nil {
		report := toReport(d.refused)
		d.Refused = &report
	}
	return d, nil
}

// compare gives the difference of two states; its Diff is "" when they are equal.
func compare(id dovetail.ID, was, next state, source string) difference {
	return compareStates(id, was, next, "stored", source)
}

// compareStates gives the difference of two states, which are named by what the document was in each.
func compareStates(id dovetail.ID, was, next state, wasIn, nextIn string) difference {
	oldName, newName := string(id)+" ("+wasIn+")", string(id)+" ("+nextIn+")"
	d := difference{ID: id, Effect: store.WasUpdated}
	switch {
	case was.data == nil:
		oldName, d.Effect = "/dev/null", store.WasCreated
	case next.data == nil:
		newName, d.Effect = "/dev/null", store.WasDeleted
	}
	d.Diff = unified(oldName, newName, was.text(), next.text())
	return d
}

// unified returns the differences of two texts in the unified format, "" when they are equal. The names stand in the first two
// lines; the library's line before them, with both names, is left out.
func unified(oldName, newName, oldText, newText string) string {
	_, text, _ := strings.Cut(string(diff.Diff(oldName, []byte(oldText), newName, []byte(newText))), "\n")
	return text
}

// text writes a state for comparison: YAML with sorted members, of files what tells them apart.
func (s state) text() string {
	if s.data == nil {
		return ""
	}
	text := yaml.Marshal(sorted(s.data))
	rest := value.NewMap()
	if len(s.content) > 0 {
		rest.Set("content", describeFiles(s.content))
	}
	if s.status != nil {
		rest.Set("status", sorted(s.status))
	}
	if len(rest.Members) > 0 {
		text = append(text, yaml.Marshal(rest)...)
	}
	return string(text)
}

// describeFiles lists files with what tells them apart.
func describeFiles(content []dovetail.File) *value.Value {
	files := value.NewList()
	for _, f := range content {
		sum := sha256.Sum256(f.Data)
		file := value.NewMap(value.Member{Name: "name", Value: value.NewString(f.Name)})
		if f.Filename != "" {
			file.Set("filename", value.NewString(f.Filename))
		}
		file.Set("bytes", value.NewNumber(int64(len(f.Data))))
		file.Set("sha256", value.NewString(hex.EncodeToString(sum[:])))
		files.Items = append(files.Items, file)
	}
	return files
}

// sorted is the value with the members of all its maps in the order of their names.
func sorted(v *value.Value) *value.Value {
	if v == nil {
		return nil
	}
	c := *v
	c.Items, c.Members = nil, nil
	for _, item := range v.Items {
		c.Items = append(c.Items, sorted(item))
	}
	for _, m := range v.Members {
		c.Members = append(c.Members, value.Member{Name: m.Name, Value: sorted(m.Value)})
	}
	slices.SortFunc(c.Members, func(a, b value.Member) int { return cmp.Compare(a.Name, b.Name) })
	return &c
}

// colourDiff colours a unified diff as git does.
func colourDiff(diff string, paint painter) string {
	var b strings.Builder
	for line := range strings.Lines(diff) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(text, "@@"):
			text = paint(cyan, text)
		case strings.HasPrefix(text, "+"):
			text = paint(green, text)
		case strings.HasPrefix(text, "-"):
			text = paint(red, text)
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}
