package main

import (
	"path"
	"regexp"
	"strings"
)

const questions = `(?:whether|what|who|whose|which|how|where|when|why)`

// phrases are not plain English, or have a standard term. They are searched in comments of Go and TypeScript, and in pages.
var phrases = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:nobody|somebody|anybody|anew|mend(?:s|ed|ing)?|but for|as ever|is told|are told|let pass|gives? way|` +
		`look again|for people|who may do what|come apart|list anew|ailing|in earnest)\b`),
	regexp.MustCompile(`\b(?:says?|tells?) (?:the reader |the user |a user )?` + questions + `\b`),
	regexp.MustCompile(`(?m)^\w+ (?:is|are) (?:` + questions + `|that|those|the one|the ones)\b`),
	regexp.MustCompile(`\b(?:is|are|as) (?:that|those) of\b`),
	regexp.MustCompile(`(?:""|\bnil|\b0|\bempty|\bundefined|\bzero|\bnone),? (?:for|of) (?:none|nothing|no \w+)\b`),
	regexp.MustCompile(`\bwhere (?:there (?:is|are|was|were)|it (?:has|had)|they have|one has) (?:none|nothing|no\b)`),
	regexp.MustCompile(`\b(?:which|as|what|all) there (?:is|are|was|were)\b`),
	regexp.MustCompile(`\basked for\b|\b(?:is|are|was|were) (?:not )?(?:asked|said)\b`),
	regexp.MustCompile(`\b(?:is|are|was|were|been|be) looked (?:at|for)\b`),
	regexp.MustCompile(`\b(?:is|are) (?:not )?known ` + questions + `\b`),
	regexp.MustCompile(`\bwhat (?:became|becomes|comes|came|has become|is to become) of\b`),
	regexp.MustCompile(`\b(?:has|have|had|is|are) gone\b`),
	regexp.MustCompile(`\btak(?:e|es|en|ing)(?: \w+){0,2} along\b|\btook(?: \w+){0,2} along\b`),
	regexp.MustCompile(`\bstands? (?:there|beside|below|above|at|in|before|after|elsewhere|apart)\b`),
	regexp.MustCompile(`\bbeside\b|\bin clear\b|\bwho asks?\b`),
	regexp.MustCompile(`\bcom(?:e|es|ing) in(?:to)? force\b|\bcame in(?:to)? force\b|\bfrom when on\b`),
	regexp.MustCompile(`\b(?:is|are|was|were) (?:another one|another than|others than)\b`),
	regexp.MustCompile(`\b(?:has|have|had|get|gets|keeps?) \w+(?: \w+)? to (?:itself|themselves)\b`),
}

var (
	wholeComment = regexp.MustCompile(`^\s*(?://+|/\*\*?|\*/?)\s?(.*)$`)
	endComment   = regexp.MustCompile(`^.*?[\s;{},)]//\s(.*)$`)
	inlineCode   = regexp.MustCompile("`[^`]*`")
)

// countPhrases counts the phrases in the prose of a file.
func countPhrases(name, text string) (n int) {
	prose := proseOf(name, text)
	for _, phrase := range phrases {
		n += len(phrase.FindAllStringIndex(prose, -1))
	}
	return n
}

// proseOf returns the comments of code, and the text of a page without code, headings and tables.
func proseOf(name, text string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case path.Ext(name) != ".md":
			found := wholeComment.FindStringSubmatch(line)
			if found == nil {
				found = endComment.FindStringSubmatch(line)
			}
			if found != nil && !strings.HasPrefix(found[1], "nolint") {
				b.WriteString(found[1])
			}
		case strings.HasPrefix(strings.TrimLeft(line, " "), "```"):
			code = !code
		case !code && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "|"):
			b.WriteString(inlineCode.ReplaceAllString(line, "``"))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
