package instancerepo

import (
	"regexp"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// The members of what an inventory tells people about an environment.
const (
	metadataMember   = "metadata"
	expirationMember = "expirationDate"
)

// oneWord is what the type and the status of an environment must be.
var oneWord = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*)?$`)

// checkMetadata finds what of an environment's metadata the store would refuse.
func (s *survey) checkMetadata(e *EnvironmentContents) {
	metadata := e.Definition.Get(metadataMember)
	if metadata == nil || metadata.Kind == value.Null {
		return
	}
	report := func(member, message, remedy string) {
		v := metadata.Get(member)
		s.defect(ReasonMetadataMalformed, at(e.DefinitionFile, v, value.Pointer(metadataMember, member)), message, remedy)
	}
	for _, member := range []string{"type", "status"} {
		if v := metadata.Get(member); v != nil && v.Kind != value.Null && (v.Kind != value.String || !oneWord.MatchString(v.Text)) {
			report(member, "the "+member+" of the environment is not one word", "write one word, such as IN_USE")
		}
	}
	for _, member := range []string{"owners", "teams", "labels"} {
		if v := metadata.Get(member); v != nil && !isNames(v) {
			report(member, "the "+member+" of the environment are no list of names", "write a list of texts")
		}
	}
	if _, ok := expiration(metadata); !ok {
		report(expirationMember, "the expiration date of the environment is no date", "write it as 2027-06-30")
	}
}

// isNames reports whether a value is a list of texts, one text, or nothing.
func isNames(v *value.Value) bool {
	switch v.Kind {
	case value.Null, value.String:
		return true
	case value.List:
		for _, item := range v.Items {
			if text, ok := item.Str(); !ok || text == "" {
				return false
			}
		}
		return true
	case value.Bool, value.Number, value.Map:
	}
	return false
}

// expiration returns the last day of an environment, the zero time for none; false if it is no date.
func expiration(metadata *value.Value) (time.Time, bool) {
	v := metadata.Get(expirationMember)
	if v == nil || v.Kind == value.Null || v.Kind == value.String && v.Text == "" {
		return time.Time{}, true
	}
	if len(v.Text) < len(time.DateOnly) || v.Kind != value.String {
		return time.Time{}, false
	}
	day, err := time.Parse(time.DateOnly, v.Text[:len(time.DateOnly)])
	return day, err == nil && (len(v.Text) == len(time.DateOnly) || v.Text[len(time.DateOnly)] == 'T')
}

// Expired reports the environments whose last day is over.
func (c *Contents) Expired(now time.Time) []*dovetail.Error {
	var found []*dovetail.Error
	for _, e := range c.Environments {
		metadata := e.Definition.Get(metadataMember)
		if metadata == nil {
			continue
		}
		last, ok := expiration(metadata)
		if ok && !last.IsZero() && now.UTC().Truncate(24*time.Hour).After(last) {
			found = append(found, newDefect(ReasonEnvironmentExpired, at(e.DefinitionFile, metadata.Get(expirationMember), value.Pointer(metadataMember, expirationMember)),
				"the environment "+e.String()+" expired after "+last.Format(time.DateOnly), "remove the environment, or give it a later date"))
		}
	}
	return found
}
