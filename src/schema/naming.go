package schema

import (
	"fmt"
	"strings"
	"unicode"
)

// kebab turns an element name into a URL segment: "compositeApp" into "composite-app",
// "genericK8sIntent" into "generic-k8s-intent", "HTTPRoute" into "http-route".
func kebab(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if r == '_' {
			r = '-'
		}
		if unicode.IsUpper(r) && i > 0 && runes[i-1] != '-' && runes[i-1] != '_' {
			afterWord := !unicode.IsUpper(runes[i-1])
			beforeWord := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if afterWord || beforeWord {
				b.WriteByte('-')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// plural gives the plural of an English noun in lower case, as far as its ending tells it; a noun
// in the plural stays as it is.
func plural(noun string) string {
	before := func(ending string) (rune, bool) {
		stem, found := strings.CutSuffix(noun, ending)
		if !found || stem == "" {
			return 0, false
		}
		return rune(stem[len(stem)-1]), true
	}
	if letter, found := before("y"); found && !strings.ContainsRune("aeiou-", letter) {
		return strings.TrimSuffix(noun, "y") + "ies"
	}
	if _, found := before("sis"); found {
		return strings.TrimSuffix(noun, "is") + "es"
	}
	for _, ending := range []string{"ss", "us", "as", "x", "z", "ch", "sh"} {
		if strings.HasSuffix(noun, ending) {
			return noun + "es"
		}
	}
	if strings.HasSuffix(noun, "s") {
		return noun
	}
	return noun + "s"
}

// didYouMean offers the candidate that is nearest to what was written, or else the other remedy.
func didYouMean(written string, candidates []string, otherwise string) string {
	if near := nearest(written, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
}

// nearest returns the first of the candidates with the fewest changes of a letter, at most a third
// of the letters (letters of the other case count as equal), or "" when none is near.
func nearest(written string, candidates []string) string {
	if len(written) > maxNameLength {
		return ""
	}
	best, most := "", max(1, len(written)/3)+1
	for _, candidate := range candidates {
		if d := distance(strings.ToLower(written), strings.ToLower(candidate), most); d < most {
			best, most = candidate, d
		}
	}
	return best
}

// distance counts the insertions, deletions and replacements of a byte, and the swaps of neighbours,
// that lead from a to b, up to the limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// enumerate joins words for a sentence: "a, b and c".
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
