package cli

// colour is an escape sequence that begins a colour.
type colour string

// The colours, from the eight that every terminal has.
const (
	red    colour = "\x1b[31m"
	green  colour = "\x1b[32m"
	yellow colour = "\x1b[33m"
	cyan   colour = "\x1b[36m"
	dim    colour = "\x1b[2m"
)

const endColour = "\x1b[0m"

// painter colours a text, or leaves it as it is.
type painter func(colour, string) string

func paintOut(c colour, text string) string { return string(c) + text + endColour }
func paintNot(_ colour, text string) string { return text }

func (s *session) paintOut() painter { return s.painter(s.OutTerminal) }
func (s *session) paintErr() painter { return s.painter(s.ErrTerminal) }

// painter colours only what goes to a terminal, and nothing where NO_COLOR asks for that
// (no-color.org) or the terminal is a dumb one.
func (s *session) painter(terminal bool) painter {
	if !terminal || s.env("NO_COLOR") != "" || s.env("TERM") == "dumb" {
		return paintNot
	}
	return paintOut
}
