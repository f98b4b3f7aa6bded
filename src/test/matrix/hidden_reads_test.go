package matrix

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestReadsTellNothing asks every read of the description for what exists and may not be read, and for what does not exist: who may
// read one namespace only cannot tell them apart, and no answer names what is hidden.
func TestReadsTellNothing(t *testing.T) {
	w := newServer(t, `roles:
- {name: namespace, rules: [{kinds: ["*"], verbs: [read]}]}
bindings:
- {role: editor, users: [root]}
- {role: namespace, users: [ann], on: [cluster/c1/environment/e1/deployPostfix/n1]}`, []string{"root", "ann"}, nil)
	const hidden, absent = "hidden01", "absent01"
	document := func(kind, key, name string) string {
		team := "seen"
		if name == hidden {
			team = hidden
		}
		return `{"kind":"` + kind + `","key":{` + key + `},"metadata":{"name":"` + name + `","labels":{"team":"` + team + `"}}}`
	}
	batch := `[` + strings.Join([]string{document("cluster", "", "c1"), document("environment", `"cluster":"c1"`, "e1"), document("deployPostfix", `"cluster":"c1","environment":"e1"`, "n1"),
		document("deployPostfix", `"cluster":"c1","environment":"e1"`, hidden), document("cluster", "", hidden), document("environment", `"cluster":"`+hidden+`"`, hidden),
		document("deployPostfix", `"cluster":"`+hidden+`","environment":"`+hidden+`"`, hidden), document("source", "", hidden)}, ",") + `]`
	for _, setup := range [][2]string{{"/v2/batch", batch}, {"/api/change-sets", `{"name":"` + hidden + `"}`}} {
		w.must(t, "POST", setup[0], setup[1])
	}
	values := func(name string) map[string]string {
		return map[string]string{"environmentId": name + "/" + name, "under": "cluster/" + name, "id": "cluster/" + name, "text": name, "namespaceName": name, "changeSet": name,
			"labelSelector": "team=" + name, "author": name, "principal": name, "context": "pipeline", "right": "read"}
	}
	requests := 0
	for _, op := range w.operations(t) {
		if op.verb != http.MethodGet || op.template == "/v2/watch" {
			continue
		}
		ask := func(name, parameter string) (int, string) {
			requests++
			query := url.Values{}
			for _, q := range op.query() {
				if text := values(name)[q.Name]; text != "" && (q.Required || q.Name == parameter) {
					query.Set(q.Name, text)
				}
			}
			status, text := w.as(t, "ann", "GET", elementOf.ReplaceAllString(op.template, name)+"?"+query.Encode(), "")
			return status, accidental.ReplaceAllString(strings.ReplaceAll(text, name, "NAME"), "X")
		}
		for parameter := range values("") {
			t.Run(op.template+" "+parameter, func(t *testing.T) {
				status, text := ask(hidden, parameter)
				otherStatus, other := ask(absent, parameter)
				if status != otherStatus || text != other {
					t.Errorf("%d %s\nbut for what does not exist: %d %s", status, text, otherStatus, other)
				}
				if strings.Contains(other, hidden) || status >= 500 {
					t.Errorf("%d %s", status, other)
				}
			})
		}
	}
	if requests < 2000 {
		t.Errorf("only %d requests", requests)
	}
}
