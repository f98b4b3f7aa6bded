package cli

import "fmt"

// progressEvery is after how many steps the line is drawn anew.
const progressEvery = 1000

// progress counts on the last line of a terminal; elsewhere it is silent.
type progress struct {
	session *session
	verb    string // "exported"
	noun    string // "document"
	shown   bool
	count   int
}

func (s *session) progress(verb, noun string) *progress {
	return &progress{session: s, verb: verb, noun: noun, shown: s.ErrTerminal}
}

func (p *progress) step() {
	p.count++
	if p.shown && p.count%progressEvery == 0 {
		fmt.Fprintf(p.session.Err, "\r%s %s", p.verb, count(p.count, p.noun))
	}
}

// done replaces the line by the final count.
func (p *progress) done() {
	if p.shown {
		fmt.Fprintf(p.session.Err, "\r%s %s\n", p.verb, count(p.count, p.noun))
	}
}
