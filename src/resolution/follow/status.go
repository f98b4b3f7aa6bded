package follow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// ConditionFollowed is the type of the condition: whether what is stored is what is published.
const ConditionFollowed = "Followed"

// The reasons of the condition.
const (
	ReasonCurrent     = "Current"     // all of it is
	ReasonQuarantined = "Quarantined" // some packages cannot be read, and stay as they were
	ReasonFailing     = "Failing"     // it cannot be fetched or read, and stays as it was
)

// maxListed is how many warnings and quarantined packages a status names.
const maxListed = 50

// maxMessage bounds a message, in bytes.
const maxMessage = 1024

// Status is the member `follow` of the status of a source that follows another.
type Status struct {
	Spec      string     `json:"spec"`               // digest of what was to be followed
	Revision  string     `json:"revision,omitempty"` // what is stored, where it came from
	Digest    string     `json:"digest,omitempty"`   // of what was read
	Updated   *time.Time `json:"updated,omitempty"`  // when what is stored was last changed
	Packages  int        `json:"packages"`
	Versions  int        `json:"versions"`
	Requested *time.Time `json:"requested,omitempty"` // when a refresh was last asked for
	Refreshed *time.Time `json:"refreshed,omitempty"` // of which request it was the last that is done

	Warnings        []string      `json:"warnings,omitempty"` // what was left out of packages
	MoreWarnings    int           `json:"moreWarnings,omitempty"`
	Quarantined     []Quarantined `json:"quarantined,omitempty"`
	MoreQuarantined int           `json:"moreQuarantined,omitempty"`
	Error           string        `json:"error,omitempty"` // why it could not be read the last time
	ErrorCode       dovetail.Code `json:"code,omitempty"`
}

// condition is in the form of Kubernetes.
type condition struct {
	Type               string    `json:"type"`
	Status             string    `json:"status"`
	Reason             string    `json:"reason"`
	Message            string    `json:"message"`
	LastTransitionTime time.Time `json:"lastTransitionTime"`
}

// ReadStatus reads that of a document; the zero Status if there is none.
func ReadStatus(doc *dovetail.Document) Status {
	var whole struct {
		Follow Status `json:"follow"`
	}
	_ = json.Unmarshal(doc.Status, &whole) // what is damaged is made again
	return whole.Follow
}

// Requested returns the status of a source in which a refresh is asked for. The error is CodeConflict for one that follows nothing.
func Requested(doc *dovetail.Document, at time.Time) (*value.Value, error) {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, err
	}
	if data.At("spec", "follow") == nil {
		return nil, &dovetail.Error{Code: dovetail.CodeConflict, Key: doc.ID, Message: string(doc.ID) + " follows nothing", Remedy: "say in spec.follow where it is published"}
	}
	s := ReadStatus(doc)
	s.Requested = &at
	whole, err := value.StatusOf(doc)
	if err != nil || whole == nil || whole.Kind != value.Map {
		whole = value.NewMap()
	}
	whole = whole.Clone()
	v, err := value.FromAny(s)
	if err != nil {
		return nil, err
	}
	whole.Set("follow", v)
	return whole, nil
}

// specDigest tells apart what is to be followed.
func specDigest(doc *value.Value) string {
	sum := sha256.Sum256(doc.At("spec", "follow").AppendJSON(nil))
	return hex.EncodeToString(sum[:8])
}

// of notes what was fetched.
func (s *Status) of(c *Content) {
	s.Revision, s.Digest = c.Revision, c.Digest
	s.Warnings, s.MoreWarnings = firsts(c.Warnings)
	s.Quarantined, s.MoreQuarantined = firsts(c.Quarantined)
	s.Packages, s.Versions = 0, 0
	for _, p := range c.Source.Get("packages").Items {
		s.Packages++
		if versions := p.Get("versions"); versions != nil {
			s.Versions += len(versions.Items)
		}
	}
	for i := range s.Quarantined {
		s.Quarantined[i].Message = shortened(s.Quarantined[i].Message)
	}
}

func firsts[T any](list []T) (first []T, more int) {
	if more = len(list) - maxListed; more > 0 {
		return list[:maxListed:maxListed], more
	}
	return list, 0
}

func shortened(text string) string {
	if len(text) > maxMessage {
		return text[:maxMessage-3] + "..."
	}
	return text
}

// fail notes why what is published could not be read.
func (s *Status) fail(err error) {
	text := textOf(err)
	if remedy := dovetail.AsError(err).Remedy; remedy != "" {
		text += "; " + remedy
	}
	s.Error, s.ErrorCode = shortened(text), dovetail.CodeOf(err)
}

// condition says it in short.
func (s *Status) condition() condition {
	c := condition{Type: ConditionFollowed, Status: "True", Reason: ReasonCurrent, Message: fmt.Sprintf("%d packages with %d versions", s.Packages, s.Versions)}
	switch quarantined := len(s.Quarantined) + s.MoreQuarantined; {
	case s.Error != "":
		c.Status, c.Reason, c.Message = "False", ReasonFailing, s.Error
	case quarantined > 0:
		c.Status, c.Reason = "False", ReasonQuarantined
		c.Message = fmt.Sprintf("%d packages cannot be read and stay as they were, the first is %s: %s", quarantined, s.Quarantined[0].Package, s.Quarantined[0].Message)
	}
	c.Message = shortened(c.Message)
	return c
}

// document returns the whole status of a source with this part of it. Other members stay.
func (s *Status) document(doc *dovetail.Document, now time.Time) (*value.Value, error) {
	whole, err := value.StatusOf(doc)
	if err != nil || whole == nil || whole.Kind != value.Map {
		whole = value.NewMap()
	} else {
		whole = whole.Clone()
	}
	c := s.condition()
	c.LastTransitionTime = now.UTC()
	var before struct {
		Conditions []condition `json:"conditions"`
	}
	_ = json.Unmarshal(doc.Status, &before)
	for _, b := range before.Conditions {
		if b.Type == c.Type && b.Status == c.Status && b.Reason == c.Reason {
			c.LastTransitionTime = b.LastTransitionTime
		}
	}
	for _, part := range []struct {
		name string
		v    any
	}{{"conditions", []condition{c}}, {"follow", s}} {
		v, err := value.FromAny(part.v)
		if err != nil {
			return nil, err
		}
		whole.Set(part.name, v)
	}
	return whole, nil
}
