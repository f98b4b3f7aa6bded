package schema

import (
	"fmt"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
)

// History says for how long what earlier versions of the documents of a kind said is kept. The zero value is as long as the
// store's history.
type History struct {
	Time     time.Duration `json:",omitempty"` // after they were replaced; 0 if there is no limit of its own
	Versions int           `json:",omitempty"` // so many of the latest of each document; 0 if there is no limit
}

// Forever is the time of a history that has no limit.
const Forever = "forever"

// String says the limits in words.
func (h History) String() string {
	switch {
	case h == History{}:
		return "as long as the store's"
	case h.Time == 0:
		return fmt.Sprintf("%d versions", h.Versions)
	case h.Versions == 0:
		return h.Time.String()
	}
	return fmt.Sprintf("%s and %d versions", h.Time, h.Versions)
}

// history is the field as it was written.
type history struct {
	at       dovetail.Position // its line is 0 where it is not given
	time     text
	versions number
}

func (p *parser) history(f decode.Field) history {
	h := history{at: at(f)}
	readFields(f, map[string]func(decode.Field){
		"time":     func(f decode.Field) { h.time = readText(f) },
		"versions": func(f decode.Field) { h.versions = readNumber(f) },
	})
	return h
}

// meaning is the field without its positions.
func (h history) meaning() History {
	length, _ := time.ParseDuration(h.time.value) // forever has none
	return History{Time: length, Versions: h.versions.value}
}

// history checks that the limits leave something.
func (c *checker) history(r *resource) {
	h := r.history
	if text := h.time.value; text != "" && text != Forever {
		if length, err := time.ParseDuration(text); err != nil || length < time.Second {
			c.add(FaultBadValue, h.time.at, "write a time such as 720h, or forever", "%s: the time of the history is %s", r.name.value, short(text))
		}
	}
	if h.versions.at.Line > 0 && h.versions.value < 1 {
		c.add(FaultBadValue, h.versions.at, "write how many versions are kept, from 1", "%s: the history has %d versions", r.name.value, h.versions.value)
	}
}
