package yaml

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

var (
	numbered      = regexp.MustCompile(`^line (\d+): `)
	unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// remedies are what to do about the messages of the library that people see most.
var remedies = map[string]string{
	"found character that cannot start any token":                  "indent with spaces, and put texts that begin with a special character in quotes",
	"found a tab character that violates indentation":              "indent with spaces",
	"found a tab character where an indentation space is expected": "indent with spaces",
	"mapping values are not allowed in this context":               "check the indentation, and put texts that hold a colon in quotes",
	"block sequence entries are not allowed in this context":       "put the list on lines of its own",
	"could not find expected ':'":                                  "complete the line to `name: value`",
	"did not find expected key":                                    "check the indentation of this line and those below",
	"did not find expected '-' indicator":                          "check the indentation of this line and those below",
	"did not find expected <document start>":                       "check the indentation, and separate documents by a line with ---",
	"did not find expected node content":                           "put texts that begin with a special character in quotes",
	"did not find expected ',' or ']'":                             "separate the items of the list by commas, and close it",
	"did not find expected ',' or '}'":                             "separate the members of the map by commas, and close it",
	"found undefined tag handle":                                   "remove the tag",
	"found incompatible YAML document":                             "remove the %YAML directive",
	"found unexpected document indicator":                          "close the quotation marks",
	"found unexpected end of stream":                               "close the quotation marks",
	"found unknown escape character":                               `write a backslash as \\, or use single quotes`,
	"did not find expected alphabetic or numeric character":        "put texts that begin with * or & in quotes",
}

// syntaxError turns an error of the library into one with a place. The library tells the line
// only, and not of the first one.
func syntaxError(err error, data []byte) *dovetail.Error {
	e := &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{Line: 1, Column: 1}, Err: err}
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := numbered.FindStringSubmatch(message); m != nil {
		message = message[len(m[0]):]
		line, _ := strconv.Atoi(m[1])
		if countsFromZero(message) {
			line++
		}
		e.Position.Line = lineOf(data, line)
	}
	e.Message, e.Remedy = message, remedies[message]
	if m := unknownAnchor.FindStringSubmatch(message); m != nil {
		e.Message = "the alias *" + m[1] + " has no anchor before it"
		e.Remedy = "write &" + m[1] + " before the value that it stands for, or put the text in quotes"
		e.Position = placeOf(data, findAlias(data, m[1]))
	}
	switch {
	case errors.Is(err, errPanic):
		e.Message, e.Remedy = "this cannot be read as YAML", "simplify it, beginning with comments and unusual notations"
	case strings.HasPrefix(message, "exceeded max depth"):
		e.Code = dovetail.CodeTooLarge
		e.Message, e.Remedy = "lists and maps are nested too deep", "make the document simpler, or split it"
	}
	return e
}

// countsFromZero reports whether the message is one of the library's parser, which counts lines from
// 0, unlike its scanner.
func countsFromZero(message string) bool {
	for _, prefix := range []string{"did not find expected <", "did not find expected node", "did not find expected '-'",
		"did not find expected key", "did not find expected ','", "found undefined tag", "found duplicate %", "found incompatible"} {
		if strings.HasPrefix(message, prefix) {
			return true
		}
	}
	return false
}

// lineOf turns a line as the library counts them into one as users do. At the end of the text it
// is the last one that holds something.
func lineOf(data []byte, line int) int {
	end := bytes.TrimRight(data, " \t\r\n")
	c := newCursor(end)
	user, _ := c.place(line, 1)
	return user
}

// findAlias returns the offset of the first *name that is not the beginning of a longer one.
func findAlias(data []byte, name string) int {
	alias := []byte("*" + name)
	for from := 0; ; {
		i := bytes.Index(data[from:], alias)
		if i < 0 {
			return 0
		}
		i += from
		from = i + len(alias)
		if from == len(data) || bytes.IndexByte([]byte(" \t\r\n,]}:"), data[from]) >= 0 {
			return i
		}
	}
}
