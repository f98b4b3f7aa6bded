package client_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// stream answers with events and then lets the connection end.
func stream(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, strings.Join(events, ""))
	}
}

func ready(cursor string) string {
	return fmt.Sprintf("event: ready\nid: %s\ndata: {\"cursor\":%q}\n\n", cursor, cursor)
}

func changed(cursor string, ids ...string) string {
	var changes []string
	for _, id := range ids {
		changes = append(changes, fmt.Sprintf(`{"op":"created","id":%q,"kind":"project","uid":"u","revision":1}`, id))
	}
	return fmt.Sprintf("event: changes\nid: %s\ndata: {\"time\":\"2026-03-01T12:00:00Z\",\"changes\":[%s]}\n\n", cursor, strings.Join(changes, ","))
}

// The stream ends in the middle of an event, and continues where it was.
func TestWatchResumes(t *testing.T) {
	f, c := newFake(t)
	var resumed []string
	remember := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			resumed = append(resumed, r.Header.Get("Last-Event-ID"))
			next(w, r)
		}
	}
	cut := changed("4", "project/lost")
	f.on("GET /v2/projects",
		remember(stream(": hello\n\n", ready("1"), changed("2", "project/a", "project/b"), "event: bookmark\nid: 3\ndata: {}\n\n", cut[:len(cut)-3])),
		remember(problem(503, busy)),
		remember(stream(ready("3"), changed("4", "project/c"))),
		remember(stream("event: expired\ndata: {\"code\":\"expired\",\"detail\":\"too old\"}\n\n")))
	var got []string
	var last error
	for e, err := range c.Watch(t.Context(), "", store.WatchQuery{Kind: "project"}) {
		if last = err; err != nil {
			break
		}
		var ids []string
		for _, change := range e.Changes {
			ids = append(ids, string(change.ID))
		}
		got = append(got, string(e.Cursor)+":"+strings.Join(ids, "+"))
	}
	if want := []string{"2:project/a+project/b", "3:", "4:project/c"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if dovetail.CodeOf(last) != dovetail.CodeExpired {
		t.Errorf("got %v, want expired", last)
	}
	if want := []string{"", "3", "3", "4"}; !reflect.DeepEqual(resumed, want) {
		t.Errorf("resumed after %q, want %q", resumed, want)
	}
}

// A stream ends with its token. Where there is a source of tokens, the next one goes on.
func TestWatchOutlivesTokens(t *testing.T) {
	ended := "event: error\ndata: {\"code\":\"unauthenticated\",\"detail\":\"the token expired\"}\n\n"
	for _, test := range []struct {
		name    string
		sourced bool
		want    []string // what is seen, and as whom; the first token of the source reads the ref-schema
	}{
		{"a token", false, []string{"2 Bearer t", "unauthenticated"}},
		{"a source of tokens", true, []string{"2 Bearer t2", "3 Bearer t3", "unauthenticated"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, c := newFake(t)
			var as string
			watched := func(next http.HandlerFunc) http.HandlerFunc {
				return func(w http.ResponseWriter, r *http.Request) {
					as = r.Header.Get("Authorization")
					next(w, r)
				}
			}
			f.on("GET /v2/watch", watched(stream(ready("1"), changed("2", "project/a"), ended)), watched(stream(ready("2"), changed("3", "project/b"), ended)),
				problem(401, `{"code":"unauthenticated","detail":"the session was ended"}`))
			o, given := client.Options{Backoff: 1, Token: "t"}, 0
			if test.sourced {
				o.TokenSource = func(context.Context) (string, error) {
					given++
					return fmt.Sprint("t", given), nil
				}
			}
			c, err := client.New(c.Server(), o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for e, err := range c.Watch(t.Context(), "1", store.WatchQuery{}) {
				if err != nil {
					got = append(got, string(dovetail.CodeOf(err)))
					break
				}
				got = append(got, string(e.Cursor)+" "+as)
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// What the server sends beyond what was asked for is left out.
func TestWatchSelects(t *testing.T) {
	f, c := newFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f.on("GET /v2/watch", stream(ready("1"), changed("2", "project/a"), changed("3", "project/a", "project/p1/app/x")))
	for e, err := range c.Watch(ctx, "1", store.WatchQuery{Under: "project/p1"}) {
		if err != nil || len(e.Changes) != 1 || e.Changes[0].ID != "project/p1/app/x" {
			t.Errorf("got %+v, %v", e, err)
		}
		cancel()
	}
}

func TestWatchErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
		want   dovetail.Code
	}{
		{"refused", problem(400, `{"code":"invalid","detail":"no such cursor"}`), dovetail.CodeInvalid},
		{"an error on the way", stream(ready("1"), "event: error\ndata: {\"code\":\"corrupt\",\"detail\":\"damaged\"}\n\n"), dovetail.CodeCorrupt},
		{"not a change", stream(ready("1"), "event: changes\nid: 2\ndata: {{\n\n"), dovetail.CodeInternal},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, c := newFake(t)
			f.on("GET /v2/watch", test.answer)
			count := 0
			for _, err := range c.Watch(t.Context(), "x", store.WatchQuery{}) {
				if count++; dovetail.CodeOf(err) != test.want {
					t.Errorf("got %v, want %s", err, test.want)
				}
			}
			if count != 1 {
				t.Errorf("yielded %d times", count)
			}
		})
	}
}

func TestHead(t *testing.T) {
	f, c := newFake(t)
	f.on("GET /v2/watch", stream(ready("17")), stream(""))
	if head, err := c.Head(t.Context()); head != "17" || err != nil {
		t.Errorf("got %q, %v", head, err)
	}
	if _, err := c.Head(t.Context()); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
		t.Errorf("got %v", err)
	}
}

func TestReadEvents(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       [][3]string
	}{
		{"one", "event: a\nid: 1\ndata: x\n\n", [][3]string{{"a", "1", "x"}}},
		{"several lines of data", "data: x\ndata:y\ndata\n\n", [][3]string{{"", "", "x\ny\n"}}},
		{"line ends of Windows", "event: a\r\ndata: x\r\n\r\n", [][3]string{{"a", "", "x"}}},
		{"the id stays", "id: 1\ndata: x\n\ndata: y\n\n", [][3]string{{"", "1", "x"}, {"", "1", "y"}}},
		{"comments and unknown fields", ": hi\nretry: 7\ndata: x\n\n", [][3]string{{"", "", "x"}}},
		{"no data is no event", "event: a\nid: 1\n\ndata: x\n\n", [][3]string{{"", "1", "x"}}},
		{"cut off", "data: x\n\ndata: y\n", [][3]string{{"", "", "x"}}},
		{"long", "data: " + strings.Repeat("x", 100_000) + "\n\n", [][3]string{{"", "", strings.Repeat("x", 100_000)}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := client.ReadEvents(strings.NewReader(test.text))
			if err == nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// FuzzReadEvents shows that the reader ends on every input, and that events that it returned are read again unchanged.
func FuzzReadEvents(f *testing.F) {
	f.Add(ready("1") + changed("2", "project/a"))
	f.Add("data: x\r\ndata\n\n:c\nid:\x00\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		events, err := client.ReadEvents(strings.NewReader(text))
		if err == nil {
			t.Fatal("the stream has no end")
		}
		var again strings.Builder
		for _, e := range events {
			if strings.ContainsAny(e[0]+e[1]+e[2], "\r") {
				return
			}
			fmt.Fprintf(&again, "event: %s\nid: %s\ndata: %s\n\n", e[0], e[1], strings.ReplaceAll(e[2], "\n", "\ndata: "))
		}
		same, _ := client.ReadEvents(strings.NewReader(again.String()))
		if len(events) > 0 && !reflect.DeepEqual(events, same) {
			t.Errorf("got %q, then %q", events, same)
		}
	})
}
