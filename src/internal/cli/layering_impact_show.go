package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// writeImpact shows what a change does to people: errors and new warnings, the changed values, and how many.
func (s *session) writeImpact(r *layeringImpact) {
	for _, m := range r.Errors {
		s.tell(red, "error, "+m.when()+": ", withDocuments([]*dovetail.Error{m.err}))
	}
	if r.More > 0 {
		fmt.Fprintln(s.Err, s.paintErr()(red, "error: ")+"and "+count(r.More, "more error"))
	}
	for _, m := range r.Warnings {
		s.tell(yellow, "new warning: ", withDocuments([]*dovetail.Error{m.err}))
	}
	if r.Impact != nil && len(r.Documents) > 0 {
		t := table{header: []string{"CHANGE", "DOCUMENT", "PATH", "OLD", "NEW"}}
		for _, d := range r.Documents {
			if len(d.Values) == 0 {
				t.add(string(d.Change), d.Document.String(), "", "", "")
			}
			for _, v := range d.Values {
				t.add(string(d.Change), d.Document.String(), v.Path, literal(v.Old), literal(v.New))
			}
		}
		fmt.Fprint(s.Out, t.text(false, s.paintOut()))
	}
	fmt.Fprintln(s.Out, r.summary())
}

// when tells a reader when an error is there.
func (m *timedMessage) when() string {
	switch m.When {
	case onlyBefore:
		return "only before the change"
	case onlyAfter:
		return "after the change"
	}
	return "before and after the change"
}

// summary counts, in a sentence.
func (r *layeringImpact) summary() string {
	switch {
	case r.unread && r.refused():
		return "the documents cannot be read"
	case r.unread:
		return "the documents before the change cannot be read; the result can be rendered"
	}
	edits := map[rendering.Change]int{}
	for _, e := range r.Change {
		edits[e.Change]++
	}
	text := changeCounts("document", edits, "no document is different")
	if same := edits[rendering.Same]; same > 0 {
		text += fmt.Sprintf(", %d the same", same)
	}
	switch {
	case r.Impact == nil && r.refused():
		return text + "; the result cannot be rendered"
	case r.Impact == nil:
		return text + "; the result can be rendered, and what was before could not"
	}
	rendered := map[rendering.Change]int{}
	for _, d := range r.Documents {
		rendered[d.Change]++
	}
	text += "; " + changeCounts("rendered document", rendered, "no rendered document is different")
	if r.Unchanged > 0 {
		text += fmt.Sprintf("; without a difference: %d more made of what is different", r.Unchanged)
	}
	return text
}

// changeCounts lists how many things were added, changed and removed.
func changeCounts(what string, of map[rendering.Change]int, none string) string {
	var all []string
	for _, c := range []rendering.Change{rendering.Added, rendering.Changed, rendering.Removed} {
		if n := of[c]; n > 0 {
			all = append(all, fmt.Sprintf("%s %s", count(n, what), c))
		}
	}
	if len(all) == 0 {
		return none
	}
	return strings.Join(all, ", ")
}

// A merge request has room for so many rows a document, documents, and bytes a value.
const (
	markdownRows      = 50
	markdownDocuments = 200
	markdownValue     = 120
)

// markdown is the impact as a text for a merge request.
func (r *layeringImpact) markdown() string {
	var b strings.Builder
	b.WriteString("## Impact on rendered documents\n\n" + upperFirst(r.summary()) + ".\n")
	r.markdownMessages(&b, "Errors", r.Errors)
	r.markdownMessages(&b, "New warnings", r.Warnings)
	edits := slices.DeleteFunc(slices.Clone(r.Change), func(e rendering.Edit) bool { return e.Change == rendering.Same })
	if len(edits) > 0 {
		b.WriteString("\n### Changed documents\n\n| change | document | file |\n|---|---|---|\n")
		for i, e := range edits {
			if i == markdownDocuments {
				fmt.Fprintf(&b, "| | and %d more | |\n", len(edits)-i)
				break
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", e.Change, code(e.Document.String()), code((dovetail.Position{File: e.File, Line: e.Line}).String()))
		}
	}
	if r.Impact == nil || len(r.Documents) == 0 {
		return b.String()
	}
	b.WriteString("\n### Rendered documents\n")
	for i, d := range r.Documents {
		if i == markdownDocuments {
			fmt.Fprintf(&b, "\nAnd %d more documents.\n", len(r.Documents)-i)
			break
		}
		fmt.Fprintf(&b, "\n%s %s%s\n", code(d.Document.String()), d.Change, because(&d))
		for j, v := range d.Values {
			if j == 0 {
				b.WriteString("\n| value | before | after |\n|---|---|---|\n")
			}
			if j == markdownRows {
				fmt.Fprintf(&b, "| and %d more | | |\n", len(d.Values)-j)
				break
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", code(v.Path), code(literal(v.Old)), code(literal(v.New)))
		}
	}
	return b.String()
}

func (r *layeringImpact) markdownMessages(b *strings.Builder, title string, messages []timedMessage) {
	if len(messages) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n| when | class | where | what |\n|---|---|---|---|\n", title)
	for i := range messages {
		m := &messages[i]
		e := withDocuments([]*dovetail.Error{m.err})[0]
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", m.when(), m.Class, code(place(m.err.Position)), code(e.Message))
	}
	if r.More > 0 {
		fmt.Fprintf(b, "| | | | and %s |\n", count(r.More, "more error"))
	}
}

// because names the changed documents that a rendered one is made of, except itself.
func because(d *rendering.Consequence) string {
	var all []string
	for _, id := range d.Because {
		if id != d.Document {
			all = append(all, code(id.String()))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ", because of " + strings.Join(all[:min(len(all), maxMembers)], ", ")
}

// code shows a text in a cell of a table as it is. Nothing in it is read as Markdown.
func code(text string) string {
	if text == "" {
		return ""
	}
	if len(text) > markdownValue {
		text = strings.ToValidUTF8(text[:markdownValue], "") + "…"
	}
	text = strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ").Replace(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
