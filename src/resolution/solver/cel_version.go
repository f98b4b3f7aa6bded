package solver

import (
	"errors"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// semverCompare is the function of rules that compares versions, as in OLM: the build parts play no role, and a leading v, leading
// zeros, and a missing minor or patch number are accepted.
func semverCompare(a, b string) (int, error) {
	left, err := tolerantVersion(a)
	if err != nil {
		return 0, err
	}
	right, err := tolerantVersion(b)
	if err != nil {
		return 0, err
	}
	return left.Compare(right), nil
}

// tolerantVersion completes a version. One that lacks a number has no pre-release or build part.
func tolerantVersion(text string) (*semver.Version, error) {
	const numbers = 3
	text = strings.TrimPrefix(strings.TrimSpace(text), "v")
	rest := ""
	if at := strings.IndexAny(text, "-+"); at >= 0 {
		text, rest = text[:at], text[at:]
	}
	parts := strings.SplitN(text, ".", numbers+1)
	for i, part := range parts {
		if len(part) > 1 {
			parts[i] = strings.TrimLeft(part[:len(part)-1], "0") + part[len(part)-1:]
		}
	}
	if len(parts) < numbers && rest != "" {
		return nil, errors.New("a short version has no pre-release or build part")
	}
	for len(parts) < numbers {
		parts = append(parts, "0")
	}
	return semver.StrictNewVersion(strings.Join(parts, ".") + rest)
}
