package matrix

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/store"
)

// A column is a promise that every route that writes keeps.
type column struct {
	promise string
	takes   string // the parameter of the description by which a request asks for it; "" if there is none

	// What is tried before the request is carried out, and what holds after it; either may be nil.
	before func(t *testing.T, p *player, r route)
	after  func(t *testing.T, p *player, r route, made answer)
}

// columns are all of them. TestRoutes tries the rights to use a route before.
var columns = []column{
	{promise: "protection", before: func(t *testing.T, p *player, r route) {
		p.protect(t, p.roots)
		if a := p.send(t, "root", r); a.status != http.StatusForbidden || !protectedText.MatchString(a.text) {
			t.Errorf("of protected documents: %d %s", a.status, a.text)
		}
		p.protect(t, nil)
	}},
	{promise: "versions", takes: "If-Match", before: func(t *testing.T, p *player, r route) {
		r = r.with("If-Match", `"aaaaaaaaaaaaaaaaaaaaaaaaaa-1"`)
		if a := p.send(t, "root", r); a.status != http.StatusPreconditionFailed {
			t.Errorf("with a version that is not current: %d %s", a.status, a.text)
		}
	}},
	{promise: "dry run", takes: "dryRun", before: func(t *testing.T, p *player, r route) {
		dry := "dryRun=true"
		if strings.HasPrefix(r.template, "/apis/") {
			dry = "dryRun=All"
		}
		r.path = withParameter(r.at(), dry)
		if p.foretold = p.send(t, "root", r); !p.foretold.done() {
			t.Errorf("the dry run: %d %s", p.foretold.status, p.foretold.text)
		}
	}, after: func(t *testing.T, p *player, _ route, made answer) {
		if p.foretold.status != made.status || !foretells(p.foretold.text, made.text) {
			t.Errorf("the dry run foretells %d\n%s\nit is %d\n%s", p.foretold.status, p.foretold.text, made.status, made.text)
		}
	}},
	{promise: "history", after: func(t *testing.T, p *player, _ route, _ answer) {
		if p.made.Position == p.former.Position {
			t.Errorf("the last transaction of root is that of %s", p.former.Position)
		}
	}},
	{promise: "message", takes: "Dovetail-Message", after: func(t *testing.T, p *player, _ route, _ answer) {
		if p.made.Message != p.message() {
			t.Errorf("the message is %q", p.made.Message)
		}
	}},
	{promise: "audit", after: func(t *testing.T, p *player, _ route, _ answer) {
		written := func(record store.AuditRecord) bool {
			return record.Event == "" && record.Refused == "" && !record.DryRun && !p.audited[record.ID]
		}
		if records := p.audit(t); !slices.ContainsFunc(records, written) {
			t.Errorf("no new record says that it was done: %+v", records)
		}
	}},
	{promise: "repetition", takes: "Idempotency-Key", after: func(t *testing.T, p *player, _ route, made answer) {
		if again := made.again(t, p.world); again.status != made.status || again.text != made.text {
			t.Errorf("the first answer is %d %s, the second %d %s", made.status, made.text, again.status, again.text)
		}
		if last := p.latest(t); last.Position != p.made.Position {
			t.Errorf("it was done again, at %s after %s", last.Position, p.made.Position)
		}
		other := request{who: "root", method: "PUT", path: "/v2/clusters/other", body: named("other"), header: map[string]string{"Idempotency-Key": p.key()}}
		if a := p.world.send(t, other); a.done() {
			t.Errorf("another request with the same key: %d %s", a.status, a.text)
		}
	}},
}

// columns tries all columns of a route that writes, which changes nothing until its request is carried out.
func (p *player) columns(t *testing.T, r route) answer {
	t.Helper()
	var of []column
	before := p.documents(t)
	for _, c := range columns {
		takes := c.takes == "" || p.described[r.String()].takes(c.takes)
		switch why := excepted(c.promise, r); {
		case why != "" && c.takes != "" && takes:
			t.Errorf("it takes %s, so that there is no need for the reason %q", c.takes, why)
		case why == "" && !takes:
			t.Errorf("it does not take %s, and there is no reason why", c.takes)
		case why == "" && takes:
			of = append(of, c)
			p.cells++
		}
	}
	for _, c := range of {
		if c.before == nil {
			continue
		}
		c.before(t, p, r)
		if after := p.documents(t); after != before {
			t.Errorf("%s: what was refused or a dry run changed\n%s\nto\n%s", c.promise, before, after)
		}
	}
	p.sent++
	p.former, p.audited = p.latest(t), make(map[string]bool)
	for _, record := range p.audit(t) {
		p.audited[record.ID] = true
	}
	for _, c := range of {
		switch c.takes {
		case "Idempotency-Key":
			r = r.with(c.takes, p.key())
		case "Dovetail-Message":
			r = r.with(c.takes, p.message())
		}
	}
	made := p.send(t, "root", r)
	if !made.done() {
		return made
	}
	p.made = p.latest(t)
	for _, c := range of {
		if c.after != nil {
			c.after(t, p, r, made)
		}
	}
	return made
}

func (p *player) key() string     { return fmt.Sprint("key-", p.sent) }
func (p *player) message() string { return fmt.Sprint("because of ", p.sent) }

// with adds a header.
func (r route) with(name, text string) route {
	header := map[string]string{name: text}
	for other, text := range r.header {
		if other != name {
			header[other] = text
		}
	}
	r.header = header
	return r
}

// A made transaction of root.
type transaction struct{ Position, Message string }

// latest is the last transaction of root.
func (p *player) latest(t *testing.T) transaction {
	t.Helper()
	var page struct{ Items []transaction }
	decode(t, p.must(t, "GET", "/v2/transactions?limit=1&principal=root", nil).text, &page)
	return page.Items[0]
}

// audit are the newest audit records of root.
func (p *player) audit(t *testing.T) []store.AuditRecord {
	t.Helper()
	var page struct{ Items []store.AuditRecord }
	decode(t, p.must(t, "GET", "/v2/audit?order=desc&limit=50&principal=root", nil).text, &page)
	return page.Items
}

func (p *player) documents(t *testing.T) string {
	t.Helper()
	return p.must(t, "GET", "/v2/documents?content=true", nil).text
}

// foretells reports whether the answer to a dry run agrees with the one to the same request: each may have members that the
// other lacks, as the version of what was committed. Answers that are not JSON are a report and what it is about.
func foretells(dry, made string) bool {
	var one, other any
	if json.Unmarshal([]byte(withoutRandom(dry)), &one) != nil || json.Unmarshal([]byte(withoutRandom(made)), &other) != nil {
		return true
	}
	return agree(one, other)
}

// ofCommits are members whose values only a commit decides.
var ofCommits = []string{"applied", "dryRun", "etag", "generation", "managedFields", "resourceVersion", "revision", "state", "version"}

func agree(one, other any) bool {
	switch one := one.(type) {
	case map[string]any:
		there, ok := other.(map[string]any)
		for name, member := range one {
			if made, known := there[name]; known && !slices.Contains(ofCommits, name) && !agree(member, made) {
				return false
			}
		}
		return ok
	case []any:
		there, ok := other.([]any)
		return ok && slices.EqualFunc(one, there, agree)
	}
	return one == other
}

// protectedText is in refusals of protected documents, also where they may not be named.
var protectedText = regexp.MustCompile("is protected: it changes only through a change set with 1 approval|may (only be changed by|be changed outside of) a change set")
