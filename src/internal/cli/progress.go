package cli

import (
	"fmt"
	"strings"
)

// progressEvery is after how many steps the line is drawn again, where it is not known how many there are.
const progressEvery = 1000

// barWidth is how many characters the bar of a progress has, where that is known.
const barWidth = 30

// progress counts on the last line of a terminal; elsewhere it is silent.
type progress struct {
	session *session
	verb    string // "exported"
	noun    string // "document"
	shown   bool
	count   int
	total   int // 0 when it is not known
	drawn   int // the count that the line shows
}

func (s *session) progress(verb, noun string) *progress { return s.progressOf(verb, noun, 0) }

// progressOf is a progress whose end is known: it has a bar.
func (s *session) progressOf(verb, noun string, total int) *progress {
	return &progress{session: s, verb: verb, noun: noun, shown: s.ErrTerminal, total: total}
}

func (p *progress) step() { p.steps(1) }

func (p *progress) steps(n int) {
	p.count += n
	every := progressEvery
	if p.total > 0 {
		every = max(p.total/100, 1)
	}
	if p.shown && p.count-p.drawn >= every && p.count != p.total {
		p.draw("")
	}
}

// done replaces the line by the final count.
func (p *progress) done() {
	if p.shown {
		p.draw("\n")
	}
}

func (p *progress) draw(end string) {
	p.drawn = p.count
	bar := ""
	if p.total > 0 {
		full := barWidth * min(p.count, p.total) / p.total
		bar = fmt.Sprintf("[%s%s] %3d%% ", strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), 100*min(p.count, p.total)/p.total)
	}
	fmt.Fprintf(p.session.Err, "\r%s%s %s%s", bar, p.verb, count(p.count, p.noun), end)
}
