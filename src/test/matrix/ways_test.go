package matrix

import (
	"encoding/json"
	"net/url"
	"slices"
	"testing"
)

// A verb is what a change does to its document.
type verb string

const (
	create verb = "create"
	update verb = "update"
	remove verb = "delete"
	act    verb = "act"
)

// A change is what a way is to bring about: afterwards the document has these members, or none.
type change struct {
	verb verb
	id   document
	spec members
	who  string

	dry     bool   // it only says what it would do
	key     string // by which a repetition is known
	base    string // the version that the document must have
	message string // for the history
}

// facility is what a way can be asked for, beside the change itself.
type facility int

const (
	dries     facility = 1 << iota // change.dry
	repeats                        // change.key
	compares                       // change.base
	explains                       // change.message
	writesAll                      // change.spec: without it, the way makes a change of its own
)

const everything = dries | repeats | compares | explains | writesAll

// A way is one to write.
type way struct {
	name string
	does []verb
	can  facility

	// ready makes what the way needs before the change, with a document that has the members of the change if the way takes it
	// from history, and returns what brings it about. Between the two a promise makes the change impossible.
	ready func(t *testing.T, w *world, c change) func(change) answer

	historic bool // it brings back what was stored before
	cascades bool // it takes along what prevents the change
	whole    bool // it reads the whole store, and has one of its own
}

// at once is a way that needs nothing before.
func atOnce(bring func(t *testing.T, w *world, c change) answer) func(*testing.T, *world, change) func(change) answer {
	return func(t *testing.T, w *world, _ change) func(change) answer {
		return func(c change) answer { return bring(t, w, c) }
	}
}

// simple is a way of one request.
func simple(of func(c change) request) func(*testing.T, *world, change) func(change) answer {
	return atOnce(func(t *testing.T, w *world, c change) answer { return w.send(t, c.asked(of(c))) })
}

// asked adds to a request what else the change asks for, as all of REST takes it.
func (c change) asked(r request) request {
	r.who = c.who
	header := map[string]string{"Idempotency-Key": c.key, "Dovetail-Message": c.message, "If-Match": c.base}
	for name, value := range r.header {
		header[name] = value
	}
	r.header = header
	if c.dry {
		r.path = withParameter(r.path, "dryRun=true")
	}
	return r
}

func withParameter(path, parameter string) string {
	for _, c := range path {
		if c == '?' {
			return path + "&" + parameter
		}
	}
	return path + "?" + parameter
}

// operation is a way that sends a batch with one operation.
func operation(of func(c change) members) func(*testing.T, *world, change) func(change) answer {
	return atOnce(func(t *testing.T, w *world, c change) answer {
		op := of(c).with(members{"id": c.id.String()})
		if c.base != "" {
			op["ifMatch"], c.base = unquoted(c.base), ""
		}
		return w.send(t, c.asked(request{method: "POST", path: "/v2/batch", body: members{"operations": []members{op}}}))
	})
}

func unquoted(tag string) string { return tag[1 : len(tag)-1] }

// ways are all ways to write that the matrix has.
var ways = slices.Concat(directWays, pastWays)

// directWays are those of one request.
var directWays = []way{
	{name: "POST", does: []verb{create}, can: everything &^ compares, ready: simple(func(c change) request {
		return request{method: "POST", path: c.id.collection(), body: c.id.data(c.spec)}
	})},
	{name: "PUT", does: []verb{create, update}, can: everything, ready: simple(func(c change) request {
		return request{method: "PUT", path: c.id.path(), body: c.id.data(c.spec)}
	})},
	{name: "merge patch", does: []verb{update}, can: everything, ready: simple(func(c change) request {
		return request{method: "PATCH", path: c.id.path(), media: "application/merge-patch+json", body: members{"spec": c.spec}}
	})},
	{name: "label", does: []verb{update}, can: everything &^ writesAll, ready: simple(func(c change) request {
		return request{method: "PATCH", path: c.id.path(), body: members{"metadata": members{"labels": members{"more": "label"}}}}
	})},
	{name: "DELETE", does: []verb{remove}, can: everything, ready: simple(func(c change) request {
		return request{method: "DELETE", path: c.id.path()}
	})},
	{name: "DELETE of a collection", does: []verb{remove}, can: dries | repeats | explains, ready: simple(func(c change) request {
		return request{method: "DELETE", path: c.id.collection() + "?labelSelector=" + url.QueryEscape("of="+c.id.name)}
	})},
	{name: "cascade", does: []verb{remove}, can: everything, cascades: true, ready: simple(func(c change) request {
		return request{method: "DELETE", path: c.id.path() + "?cascade=true"}
	})},
	{name: "cascade from the parent", does: []verb{remove}, can: dries | repeats | explains, cascades: true, ready: simple(func(c change) request {
		if c.id.site == "" {
			return request{method: "DELETE", path: c.id.path() + "?cascade=true"}
		}
		return request{method: "DELETE", path: "/v2/sites/" + c.id.site + "?cascade=true"}
	})},
	{name: "status", does: []verb{act}, can: everything, ready: simple(func(c change) request {
		return request{method: "PUT", path: c.id.path() + "/status", body: members{"phase": "new"}}
	})},
	{name: "action", does: []verb{act}, can: dries | repeats | explains, ready: simple(func(c change) request {
		return request{method: "POST", path: c.id.path() + "/poke", body: members{}}
	})},
	{name: "lifecycle action", does: []verb{act}, can: dries | repeats | explains, ready: simple(func(c change) request {
		return request{method: "POST", path: c.id.path() + "/run", body: members{}}
	})},
	{name: "finish of work", does: []verb{act}, ready: func(t *testing.T, w *world, c change) func(change) answer {
		w.must(t, "POST", c.id.path()+"/build", members{})
		var claimed struct{ Work struct{ Token string } }
		a := w.must(t, "POST", "/v2/work/claim", members{"worker": "w", "id": c.id.String()})
		if err := json.Unmarshal([]byte(a.text), &claimed); err != nil {
			t.Fatal(err)
		}
		return func(c change) answer {
			return w.send(t, c.asked(request{method: "POST", path: "/v2/work/finish", body: members{"id": c.id.String(), "token": claimed.Work.Token, "status": members{"phase": "new"}}}))
		}
	}},

	{name: "batch create", does: []verb{create}, can: everything &^ compares, ready: operation(func(c change) members {
		return members{"op": "create", "data": c.id.data(c.spec)}
	})},
	{name: "batch put", does: []verb{create, update}, can: everything, ready: operation(func(c change) members {
		return members{"op": "put", "data": c.id.data(c.spec)}
	})},
	{name: "batch patch", does: []verb{update}, can: everything, ready: operation(func(c change) members {
		return members{"op": "patch", "data": members{"spec": c.spec}}
	})},
	{name: "batch apply of fields", does: []verb{create, update}, can: everything, ready: operation(func(c change) members {
		return members{"op": "apply", "fieldManager": "matrix", "force": true, "data": c.id.data(c.spec)}
	})},
	{name: "batch delete", does: []verb{remove}, can: everything, ready: operation(func(change) members {
		return members{"op": "delete"}
	})},
	{name: "batch cascade", does: []verb{remove}, can: everything, cascades: true, ready: operation(func(change) members {
		return members{"op": "delete", "cascade": true}
	})},
	{name: "batch status", does: []verb{act}, can: everything, ready: operation(func(change) members {
		return members{"op": "status", "status": members{"phase": "new"}}
	})},
	{name: "batch action", does: []verb{act}, can: everything, ready: operation(func(change) members {
		return members{"op": "action", "action": "poke", "data": members{}}
	})},

	{name: "import", does: []verb{create}, can: writesAll, ready: simple(func(c change) request {
		return request{method: "POST", path: "/v2/documents", body: []members{{"id": c.id.String(), "kind": c.id.kind, "data": c.id.data(c.spec), "uid": "u-" + c.id.String(), "revision": 1,
			"created": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z"}}}
	})},

	{name: "Kubernetes create", does: []verb{create}, can: dries | writesAll, ready: object("POST", "", "")},
	{name: "Kubernetes update", does: []verb{update}, can: dries | compares | writesAll, ready: object("PUT", "", "")},
	{name: "Kubernetes merge patch", does: []verb{update}, can: dries | compares | writesAll, ready: object("PATCH", "application/merge-patch+json", "")},
	{name: "server-side apply", does: []verb{create, update}, can: dries | compares | writesAll, ready: object("PATCH", "application/apply-patch+yaml", "?fieldManager=matrix&force=true")},
	{name: "Kubernetes JSON patch", does: []verb{update}, can: dries | writesAll, ready: atOnce(func(t *testing.T, w *world, c change) answer {
		return w.send(t, c.askedOfKubernetes(request{method: "PATCH", path: c.id.objects() + "/" + c.id.name, media: "application/json-patch+json",
			body: []members{{"op": "add", "path": "/spec", "value": c.spec}}}))
	})},
	{name: "Kubernetes delete", does: []verb{remove}, can: dries, ready: atOnce(func(t *testing.T, w *world, c change) answer {
		return w.send(t, c.askedOfKubernetes(request{method: "DELETE", path: c.id.objects() + "/" + c.id.name}))
	})},
	{name: "Kubernetes delete collection", does: []verb{remove}, can: dries, ready: atOnce(func(t *testing.T, w *world, c change) answer {
		return w.send(t, c.askedOfKubernetes(request{method: "DELETE", path: c.id.objects() + "?fieldSelector=metadata.name=" + c.id.name}))
	})},
	{name: "Kubernetes cascade", does: []verb{remove}, can: dries, cascades: true, ready: atOnce(func(t *testing.T, w *world, c change) answer {
		return w.send(t, c.askedOfKubernetes(request{method: "DELETE", path: c.id.objects() + "/" + c.id.name + "?propagationPolicy=Foreground"}))
	})},
}

// askedOfKubernetes adds to a request what else the change asks for, as Kubernetes takes it.
func (c change) askedOfKubernetes(r request) request {
	r.who = c.who
	if c.dry {
		r.path = withParameter(r.path, "dryRun=All")
	}
	return r
}

// object is a way that sends the whole object.
func object(method, media, query string) func(*testing.T, *world, change) func(change) answer {
	return atOnce(func(t *testing.T, w *world, c change) answer {
		path := c.id.objects()
		if method != "POST" {
			path += "/" + c.id.name
		}
		object := c.id.object(c.spec)
		if c.base != "" {
			object["metadata"].(members)["resourceVersion"] = unquoted(c.base) //nolint:forcetypeassert // object makes it
		}
		return w.send(t, c.askedOfKubernetes(request{method: method, path: path + query, media: media, body: object}))
	})
}
