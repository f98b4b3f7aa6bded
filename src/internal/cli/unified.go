package cli

import (
	"fmt"
	"strings"
)

// diffContext is how many equal lines surround a difference.
const diffContext = 3

// unified returns the differences of two texts in the unified format, "" when they are equal. The
// names stand in the first two lines.
func unified(oldName, newName, oldText, newText string) string {
	edits := compareLines(splitLines(oldText), splitLines(newText))
	hunks := hunksOf(edits)
	if len(hunks) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldName, newName)
	for _, h := range hunks {
		h.write(&b)
	}
	return b.String()
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// edit is one line of a comparison: ' ' in both texts, '-' only in the old, '+' only in the new.
type edit struct {
	op   byte
	text string
}

// maxTable bounds the memory of a comparison. Texts that differ in more lines than that allows are
// shown as removed and added as a whole.
const maxTable = 4 << 20

// compareLines finds the longest common subsequence of lines, after what is equal at both ends is
// set aside.
func compareLines(a, b []string) []edit {
	var edits []edit
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		edits = append(edits, edit{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	var tail []string
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, a[len(a)-1])
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	edits = append(edits, compareMiddle(a, b)...)
	for i := len(tail) - 1; i >= 0; i-- {
		edits = append(edits, edit{' ', tail[i]})
	}
	return edits
}

func compareMiddle(a, b []string) []edit {
	var edits []edit
	width := len(b) + 1
	if (len(a)+1)*width > maxTable {
		for _, line := range a {
			edits = append(edits, edit{'-', line})
		}
		for _, line := range b {
			edits = append(edits, edit{'+', line})
		}
		return edits
	}
	// common[i*width+j] is the length of the longest common subsequence of a[i:] and b[j:].
	common := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			edits = append(edits, edit{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[(i+1)*width+j] >= common[i*width+j+1]):
			edits = append(edits, edit{'-', a[i]})
			i++
		default:
			edits = append(edits, edit{'+', b[j]})
			j++
		}
	}
	return edits
}

// hunk is a run of edits with their context.
type hunk struct {
	oldStart, newStart int // how many lines come before
	edits              []edit
}

// hunksOf groups the differences with their context; those whose contexts meet come together.
func hunksOf(edits []edit) []hunk {
	var hunks []hunk
	oldLine, newLine := 0, 0
	equal := 0 // how many lines since the last difference
	for i, e := range edits {
		if e.op == ' ' {
			equal++
		} else {
			if len(hunks) == 0 || equal > 2*diffContext {
				endHunk(hunks, edits[i-equal:i])
				equal = min(equal, diffContext)
				hunks = append(hunks, hunk{oldStart: oldLine - equal, newStart: newLine - equal})
			}
			h := &hunks[len(hunks)-1]
			h.edits = append(append(h.edits, edits[i-equal:i]...), e)
			equal = 0
		}
		if e.op != '+' {
			oldLine++
		}
		if e.op != '-' {
			newLine++
		}
	}
	endHunk(hunks, edits[len(edits)-equal:])
	return hunks
}

// endHunk gives the last hunk its context after the last difference.
func endHunk(hunks []hunk, after []edit) {
	if len(hunks) > 0 {
		h := &hunks[len(hunks)-1]
		h.edits = append(h.edits, after[:min(len(after), diffContext)]...)
	}
}

func (h *hunk) write(b *strings.Builder) {
	oldCount, newCount := 0, 0
	for _, e := range h.edits {
		if e.op != '+' {
			oldCount++
		}
		if e.op != '-' {
			newCount++
		}
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", span(h.oldStart, oldCount), span(h.newStart, newCount))
	for _, e := range h.edits {
		b.WriteByte(e.op)
		b.WriteString(e.text)
		b.WriteByte('\n')
	}
}

// span is a range of lines as the format writes it: an empty one names the line before it.
func span(start, count int) string {
	if count != 0 {
		start++
	}
	if count == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, count)
}
