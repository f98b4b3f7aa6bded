package sd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Mode says how a delta SD is merged into a full one.
type Mode string

// The modes.
const (
	// BasicMerge changes versions and adds applications; nothing but applications remains.
	BasicMerge Mode = "basic-merge"
	// BasicExclusionMerge changes versions and removes applications of the same version.
	BasicExclusionMerge Mode = "basic-exclusion-merge"
	// ExtendedMerge changes versions and adds applications, and keeps everything else consistent.
	ExtendedMerge Mode = "extended-merge"
	// Replace replaces the full SD with the delta.
	Replace Mode = "replace"
)

// Modes returns all modes, the default one first.
func Modes() []Mode { return []Mode{BasicMerge, BasicExclusionMerge, ExtendedMerge, Replace} }

// ParseMode reads a mode, in letters of any case. "-merge" at its end may be left out. The error has the reason
// ReasonParamInvalid.
func ParseMode(text string) (Mode, error) {
	lower := strings.ToLower(text)
	for _, mode := range []Mode{Mode(lower), Mode(lower + "-merge")} {
		if slices.Contains(Modes(), mode) {
			return mode, nil
		}
	}
	var known []string
	for _, mode := range Modes() {
		known = append(known, string(mode))
	}
	return "", newFault(ReasonParamInvalid, dovetail.Position{}, "use one of "+strings.Join(known, ", "),
		fmt.Sprintf("there is no merge mode %q", text))
}

func (m Mode) isBasic() bool { return m == BasicMerge || m == BasicExclusionMerge }
