package schema

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
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

// Plural is the plural of the kind's name, in lower case and without hyphens: "deployPostfix" gives "deploypostfixes".
func (k *Kind) Plural() string { return plural(strings.ToLower(k.Name)) }

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
	if near := suggest.Nearest(written, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
}

// enumerate joins words for a sentence: "a, b and c".
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
