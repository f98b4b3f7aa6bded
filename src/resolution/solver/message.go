package solver

import (
	"fmt"
	"slices"
	"strings"
)

// MaxMessage is how long a message may be, in bytes.
const MaxMessage = 1024

const (
	maxLabel = 120 // bytes of a constraint in a message
	maxHead  = 420 // bytes of the constraints that clash
	maxShown = 3   // selections of a way out
)

// Label is the constraint as messages show it: the string form as it was written, the map form in words, cut if it is
// long.
func (c *Constraint) Label() string {
	text := c.text
	switch {
	case !strings.HasPrefix(text, "{"):
	case c.kind == isExpression && c.expression.operator == required:
		text = "required " + c.expression.selector.text
	case c.kind == isExpression:
		text = c.expression.text()
	case c.kind == isPinned:
		text = fmt.Sprintf("pinned %s %s", c.subject.name, c.subject.version.Original())
		if c.subject.reason != "" {
			text += " (" + c.subject.reason + ")"
		}
	case c.kind == isAtMostOne && c.property != "":
		text = "atMostOne of each " + c.property
	case c.kind == isAtMostOne:
		text = "atMostOne of " + listed(c.selectors)
	case c.kind == isConflict:
		text = "conflict of " + listed(c.selectors)
	case c.kind == isUpgrade:
		text = fmt.Sprintf("upgradeFrom %s %s", c.subject.name, c.subject.version.Original())
	}
	if len(text) > maxLabel {
		text = strings.ToValidUTF8(text[:maxLabel], "") + "..."
	}
	return text
}

func listed(selectors []*selector) string {
	var list []string
	for _, s := range selectors {
		list = append(list, s.text)
	}
	return join(list)
}

// message puts a clash in words: the constraints, the facts, and the ways out, as far as there is room.
func (e *encoding) message(u *Unsat) string {
	var labels []string
	room := maxHead
	for n, i := range u.Core {
		label := fmt.Sprintf("[%d] %s", i, e.problem.spec.Constraints[i].Label())
		if room -= len(label); room < 0 {
			labels = append(labels, fmt.Sprintf("%d more", len(u.Core)-n))
			break
		}
		labels = append(labels, label)
	}
	text := join(labels)
	if len(u.Core) > 1 {
		text += " cannot hold together"
	} else {
		text += " cannot hold"
	}
	var reasons []string
	for _, m := range u.NoMatch {
		reasons = append(reasons, e.describeStage(m))
	}
	for _, i := range u.Core {
		if c := e.problem.spec.Constraints[i]; c.kind == isUpgrade {
			reasons = append(reasons, e.upgrades(c))
		}
	}
	whole := text + ": " + strings.Join(append(slices.Clip(reasons), e.reasons(u.Facts)...), "; ")
	if len(whole) > MaxMessage {
		whole = text + ": " + strings.Join(append(slices.Clip(reasons), e.contracted(u.Facts)...), "; ")
	}
	switch {
	case len(reasons)+len(u.Facts) == 0:
	case len(whole) <= MaxMessage:
		text = whole
	default:
		text += about(u.Packages, MaxMessage-len(text))
	}
	for _, f := range u.Fixes {
		if way := "; " + f.text(); len(text)+len(way) <= MaxMessage {
			text += way
		}
	}
	if len(text) > MaxMessage {
		text = strings.ToValidUTF8(text[:MaxMessage], "")
	}
	return text
}

// about names packages, as many as there is room for.
func about(names []string, room int) string {
	text := ""
	for i, name := range names {
		next := "; it is about " + name
		if i > 0 {
			next = text + ", " + name
		}
		more := ""
		if left := len(names) - i - 1; left > 0 {
			more = fmt.Sprintf(" and %d more", left)
		}
		if len(next)+len(more) > room {
			if i == 0 {
				return ""
			}
			return text + fmt.Sprintf(" and %d more", len(names)-i)
		}
		text = next
	}
	return text
}

// text is the way out in a message: "without [1]: a 1.0.0, b 2.0.0".
func (f Fix) text() string {
	var without []string
	for _, i := range f.Without {
		without = append(without, fmt.Sprintf("[%d]", i))
	}
	then := slices.Clone(f.Selections[:min(len(f.Selections), maxShown)])
	switch more := len(f.Selections) - len(then); {
	case len(then) == 0:
		then = []string{"nothing is selected"}
	case more > 0:
		then = append(then, fmt.Sprintf("%d more", more))
	}
	return "without " + join(without) + ": " + strings.Join(then, ", ")
}

// join is "a", "a and b", "a, b and c".
func join(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
