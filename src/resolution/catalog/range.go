package catalog

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

var (
	// version is a full version of SemVer 2.0.0.
	version = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)
	// wildcard is a version that leaves out its last numbers.
	wildcard = regexp.MustCompile(`^(0|[1-9]\d*)(?:\.(0|[1-9]\d*|[xX*]))?(?:\.[xX*])?$`)
	// comparison is an operator and what it compares with; blanks may stand between.
	comparison = regexp.MustCompile(`^(>=|<=|==|!=|=|!|>|<)?\s*([^\s<>=!|]+)\s*`)
)

// allPreReleases is added to a group that admits the pre-releases between its bounds: catalogs
// compare by precedence alone, Masterminds/semver wants to be asked.
const allPreReleases = ">=0.0.0-0"

// maxGroups bounds what one group may become: each x-range that is left out doubles it.
const maxGroups = 64

// Range rewrites a range of a catalog: comparisons with = == != ! > < >= <=, x-ranges, a blank
// for "and", || for "or". The result admits the same versions, pre-releases too. The empty range
// stays empty. The error has the code CodeInvalid.
func Range(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	var all []string
	for group := range strings.SplitSeq(text, "||") {
		alternatives, err := rewriteGroup(strings.TrimSpace(group))
		if err != nil {
			return "", &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("%q is not a range of versions: %s", text, err),
				Remedy: `write comparisons with full versions, as ">=1.0.0 <2.0.0"`}
		}
		all = append(all, alternatives...)
	}
	rewritten := strings.Join(all, " || ")
	if _, err := semver.NewConstraint(rewritten); err != nil {
		return "", &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("%q is too long a range of versions", text), Err: err,
			Remedy: "write fewer comparisons"}
	}
	return rewritten, nil
}

// rewriteGroup rewrites comparisons that hold together. They become several groups where one of
// them leaves out a range in the middle.
func rewriteGroup(text string) ([]string, error) {
	if text == "" {
		return nil, fmt.Errorf("an alternative is empty")
	}
	groups := []string{""}
	for text != "" {
		m := comparison.FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("%q is not a comparison", text)
		}
		text = text[len(m[0]):]
		alternatives, err := rewriteComparison(m[1], m[2])
		if err != nil {
			return nil, err
		}
		var next []string
		for _, g := range groups {
			for _, a := range alternatives {
				next = append(next, strings.TrimPrefix(g+" "+a, " "))
			}
		}
		if len(next) > maxGroups {
			return nil, fmt.Errorf("it leaves out too many ranges")
		}
		groups = next
	}
	for i := range groups {
		groups[i] += " " + allPreReleases
	}
	return groups, nil
}

func rewriteComparison(operator, with string) ([]string, error) {
	if version.MatchString(with) {
		switch operator {
		case "", "==":
			operator = "="
		case "!":
			operator = "!="
		}
		return []string{operator + with}, nil
	}
	from, to, err := span(with)
	if err != nil {
		return nil, err
	}
	switch operator {
	case ">":
		return []string{">=" + to}, nil
	case ">=":
		return []string{">=" + from}, nil
	case "<":
		return []string{"<" + from}, nil
	case "<=":
		return []string{"<" + to}, nil
	case "!", "!=":
		return []string{"<" + from, ">=" + to}, nil
	default:
		return []string{">=" + from + " <" + to}, nil
	}
}

// span returns the first version of an x-range and the first after it.
func span(text string) (from, to string, err error) {
	m := wildcard.FindStringSubmatch(text)
	if m == nil {
		return "", "", fmt.Errorf("%q is not a version", text)
	}
	major, err := strconv.ParseUint(m[1], 10, 63)
	if err != nil {
		return "", "", fmt.Errorf("%q is too large", m[1])
	}
	if m[2] == "" || strings.ContainsAny(m[2], "xX*") {
		return fmt.Sprintf("%d.0.0", major), fmt.Sprintf("%d.0.0", major+1), nil
	}
	minor, err := strconv.ParseUint(m[2], 10, 63)
	if err != nil {
		return "", "", fmt.Errorf("%q is too large", m[2])
	}
	return fmt.Sprintf("%d.%d.0", major, minor), fmt.Sprintf("%d.%d.0", major, minor+1), nil
}
