package matrix

import (
	"fmt"
	"testing"
)

// former are the members that a document had before those that a way brings back.
var former = members{"note": "between"}

// pastWays are those that bring back what was stored, or move it, and those that take more than one request.
var pastWays = []way{
	{name: "rollback of an update", does: []verb{update}, can: dries | repeats | explains | writesAll, historic: true, ready: rollback(func(t *testing.T, w *world, c change) {
		w.put(t, c.id, kept(c.spec))
	})},
	{name: "rollback of a deletion", does: []verb{create}, can: dries | repeats | explains | writesAll, historic: true, ready: rollback(func(t *testing.T, w *world, c change) {
		w.remove(t, c.id)
	})},
	{name: "revert of an update", does: []verb{update}, can: dries | repeats | explains | writesAll, historic: true, ready: revert(func(t *testing.T, w *world, c change) {
		w.put(t, c.id, c.spec)
		w.put(t, c.id, kept(c.spec))
	})},
	{name: "revert of a deletion", does: []verb{create}, can: dries | repeats | explains | writesAll, historic: true, ready: revert(func(t *testing.T, w *world, c change) {
		w.put(t, c.id, c.spec)
		w.remove(t, c.id)
	})},
	{name: "revert of a creation", does: []verb{remove}, can: dries | repeats | explains, ready: revert(func(t *testing.T, w *world, c change) {
		w.remove(t, c.id)
		w.put(t, c.id, c.spec)
	})},
	{name: "rename to", does: []verb{create}, can: dries | repeats | explains | writesAll, historic: true, ready: func(t *testing.T, w *world, c change) func(change) answer {
		from := c.id
		from.site, from.name = "elsewhere", from.name+"-former"
		w.put(t, document{"site", "", "elsewhere"}, members{"limit": 100})
		w.put(t, from, c.spec)
		return func(c change) answer {
			return w.send(t, c.asked(request{method: "POST", path: "/v2/rename", body: members{"id": from.String(), "to": c.id.String()}}))
		}
	}},
	{name: "rename from", does: []verb{remove}, can: dries | repeats | explains, cascades: true, ready: func(t *testing.T, w *world, c change) func(change) answer {
		to := c.id
		to.name += "-new"
		return func(c change) answer {
			return w.send(t, c.asked(request{method: "POST", path: "/v2/rename", body: members{"id": c.id.String(), "to": to.String()}}))
		}
	}},
	{name: "rename of the target", does: []verb{update}, can: dries | repeats | explains, ready: func(t *testing.T, w *world, c change) func(change) answer {
		device := document{"device", "", "target-" + c.id.name}
		w.put(t, device, nil)
		w.put(t, c.id, c.spec.with(members{"device": device.name}))
		return func(c change) answer {
			return w.send(t, c.asked(request{method: "POST", path: "/v2/rename", body: members{"id": device.String(), "to": device.String() + "-new"}}))
		}
	}},
	{name: "merge of a creation", does: []verb{create}, can: writesAll, ready: merge("PUT")},
	{name: "merge of an update", does: []verb{update}, can: writesAll, ready: merge("PUT")},
	{name: "merge of a batch", does: []verb{create, update}, can: writesAll, ready: merge("POST")},
	{name: "merge of a patch", does: []verb{update}, can: writesAll, ready: merge("PATCH")},
	{name: "merge of a deletion", does: []verb{remove}, ready: merge("DELETE")},
	{name: "revert of a merge", does: []verb{update}, can: writesAll, historic: true, ready: func(t *testing.T, w *world, c change) func(change) answer {
		w.put(t, c.id, c.spec)
		w.sets++
		set := fmt.Sprint("reverted-", w.sets)
		later := c
		later.spec, later.who = kept(c.spec), "root"
		if a, ok := staged(t, w, later, "PUT", set); !ok {
			return func(change) answer { return a }
		}
		if a := merged(t, w, later, set); !a.done() {
			return func(change) answer { return a }
		}
		return func(c change) answer {
			if a := w.send(t, request{who: c.who, method: "POST", path: "/api/change-sets/" + set + "/revert"}); !a.done() {
				return a
			}
			return merged(t, w, c, "revert-"+set)
		}
	}},
	{name: "cascade through a reference", does: []verb{remove}, can: dries | repeats | explains, cascades: true, ready: throughReference("device", "?cascade=true")},
	{name: "cascade by the rule of a reference", does: []verb{remove}, can: dries | repeats | explains, cascades: true, ready: throughReference("host", "")},
	{name: "migration", does: []verb{create}, can: dries | writesAll, historic: true, whole: true, ready: func(t *testing.T, w *world, c change) func(change) answer {
		from := c.id
		from.site, from.name = "elsewhere", c.id.name
		w.put(t, document{"site", "", "elsewhere"}, members{"limit": 100})
		w.put(t, from, c.spec)
		return func(c change) answer {
			a := w.send(t, c.asked(request{method: "POST", path: "/v2/schema/migrate", body: members{"sources": w.sources, "steps": []members{{"subtree": members{"from": from.String(), "to": c.id.String()}}}}}))
			if !a.done() {
				w.remove(t, from)
			}
			return a
		}
	}},
	{name: "early merge of a creation", does: []verb{create}, can: writesAll, historic: true, ready: early("PUT")},
	{name: "early merge of an update", does: []verb{update}, can: writesAll, historic: true, ready: early("PUT")},
	{name: "early merge of a deletion", does: []verb{remove}, ready: early("DELETE")},
}

// throughReference is a way that deletes what the document refers to at a member.
func throughReference(member, query string) func(*testing.T, *world, change) func(change) answer {
	return func(t *testing.T, w *world, c change) func(change) answer {
		device := document{"device", "", "cascade-" + c.id.name}
		w.put(t, device, nil)
		w.put(t, c.id, c.spec.with(members{member: device.name}))
		return func(c change) answer {
			return w.send(t, c.asked(request{method: "DELETE", path: device.path() + query}))
		}
	}
}

// kept are members that a document may have after those, whatever may not change.
func kept(spec members) members {
	after := members{}
	for _, name := range []string{"fixed", "grows"} {
		if value, ok := spec[name]; ok {
			after[name] = value
		}
	}
	return after.with(former)
}

// rollback is a way back to the version with the members of the change, after which leave was called.
func rollback(leave func(*testing.T, *world, change)) func(*testing.T, *world, change) func(change) answer {
	return func(t *testing.T, w *world, c change) func(change) answer {
		w.put(t, c.id, c.spec)
		version := unquoted(w.version(t, c.id))
		leave(t, w, c)
		return func(c change) answer {
			return w.send(t, c.asked(request{method: "POST", path: "/v2/rollback", body: members{"id": c.id.String(), "version": version}}))
		}
	}
}

// revert is a way that undoes the last transaction of the document that before makes.
func revert(before func(*testing.T, *world, change)) func(*testing.T, *world, change) func(change) answer {
	return func(t *testing.T, w *world, c change) func(change) answer {
		before(t, w, c)
		position := w.latest(t, c.id).Position
		return func(c change) answer {
			return w.send(t, c.asked(request{method: "POST", path: "/v2/transactions/" + position + "/revert"}))
		}
	}
}

// staged makes a change set of the change. It returns the refusal of the first request that was refused.
func staged(t *testing.T, w *world, c change, method, set string) (answer, bool) {
	t.Helper()
	r := request{method: method, path: withParameter(c.id.path(), "changeSet="+set)}
	switch method {
	case "PUT":
		r.body = c.id.data(c.spec)
	case "PATCH":
		r.body = members{"spec": c.spec}
	case "POST":
		r.path, r.body = "/v2/batch?changeSet="+set, []members{{"op": "put", "id": c.id.String(), "data": c.id.data(c.spec)}}
	}
	for _, r := range []request{{method: "POST", path: "/api/change-sets", body: members{"name": set}}, r} {
		r.who = c.who
		if a := w.send(t, r); !a.done() {
			return a, false
		}
	}
	return answer{}, true
}

func merged(t *testing.T, w *world, c change, set string) answer {
	t.Helper()
	return w.send(t, request{who: c.who, method: "POST", path: "/api/change-sets/" + set + "/merge"})
}

// merge is a way that stages the change and merges it.
func merge(method string) func(*testing.T, *world, change) func(change) answer {
	return atOnce(func(t *testing.T, w *world, c change) answer {
		w.sets++
		set := fmt.Sprint("merge-", w.sets)
		if a, ok := staged(t, w, c, method, set); !ok {
			return a
		}
		return merged(t, w, c, set)
	})
}

// early is a way that stages the change early, and merges it later.
func early(method string) func(*testing.T, *world, change) func(change) answer {
	return func(t *testing.T, w *world, c change) func(change) answer {
		w.sets++
		set := fmt.Sprint("early-", w.sets)
		c.who = "root"
		if refusal, ok := staged(t, w, c, method, set); !ok {
			return func(change) answer { return refusal }
		}
		return func(c change) answer { return merged(t, w, c, set) }
	}
}
