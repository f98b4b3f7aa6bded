package matrix

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// drawnKinds are kinds of which a write is decided by other documents: a berth by rules over its parent, a buoy by rules over the gate that it refers
// to, a barge by what it was, a boat by its own state, a raft by the state of its parent, a task by the state of the yard that it refers to.
const drawnKinds = `name: drawn
resources:
- {name: yard, schema: &data {properties: {spec: {type: object, properties: {text: {type: string}, number: {type: integer}, gate: {type: string}, yard: {type: string}}}}},
   lifecycle: {initial: Open, actions: &actions {close: {from: [Open], to: Closed}, hold: {from: [Open], to: Held}, reopen: {from: [Closed, Held], to: Open}}, freeze: {children: {raft: [STATE]}}}}
- {name: gate, parent: yard, schema: *data}
- {name: berth, parent: yard, schema: *data, rules: [PARENT]}
- {name: buoy, parent: yard, schema: *data, references: [{name: gate, at: spec.gate}], rules: [REFS]}
- {name: barge, parent: yard, schema: *data, OLD}
- {name: boat, parent: yard, schema: *data, lifecycle: {initial: Open, actions: *actions, freeze: {FREEZE: [STATE]}}}
- {name: raft, parent: yard, schema: *data}
- {name: task, schema: *data, references: [{name: yard, at: spec.yard}], lifecycle: {initial: New, actions: {run: {from: [New], to: Ran, needs: {yard: [STATE]}}, again: {from: [Ran], to: New}}}}
`

// drawnRoles: limited reads and writes berths, buoys and rafts of two yards, and tasks, writer writes barges and boats without reading them. Neither may
// read the yard hid and its gate, although limited may refer to both. Of the yard h2 they have no right at all: who may refer to something learns whether
// it exists.
const (
	drawnRoles = `
- name: docks
  rules:
  - {kinds: [berth, buoy, raft], verbs: [read, create, update, delete]}
  - {kinds: [yard, gate], verbs: [use]}
- {name: tasks, rules: [{kinds: [task, activeResolutionSet], verbs: [read, create, update, delete, act]}]}
- name: blind
  rules: [{kinds: [barge, boat], verbs: [create, update, delete, act]}]
`
	drawnBindings = `
- {role: docks, users: [limited], on: [yard/own, yard/hid]}
- {role: tasks, users: [limited]}
- {role: owner, users: [limited], on: [yard/own]}
- {role: blind, users: [writer], on: [yard/own, yard/hid]}
`
	drawnVisible = `
- {kind: yard, metadata: {name: own}, spec: {text: K, number: 15}}
- {kind: gate, key: {yard: own}, metadata: {name: g}, spec: {text: K, number: 15}}
- {kind: berth, key: {yard: own}, metadata: {name: a}, spec: {gate: g}}
- {kind: buoy, key: {yard: own}, metadata: {name: a}, spec: {gate: g}}
- {kind: task, metadata: {name: t}, spec: {yard: own}}
- {kind: task, metadata: {name: u}, spec: {yard: hid}}
`
	// A document that may not be read refers to one that may be, and has another name in each store.
	drawnHidden = `
- {kind: yard, metadata: {name: hid}, spec: {text: "%[1]s-hidden", number: %[2]d0}}
- {kind: gate, key: {yard: hid}, metadata: {name: g}, spec: {text: "%[1]s-hidden", number: %[2]d0}}
- {kind: barge, key: {yard: hid}, metadata: {name: b}, spec: {text: "%[1]s-hidden", number: %[2]d0}}
- {kind: boat, key: {yard: hid}, metadata: {name: b}, spec: {text: "%[1]s-hidden"}}
- {kind: boat, key: {yard: hid}, metadata: {name: "%[1]s-hidden"}, spec: {yard: own}}
- {kind: siteParamSet, metadata: {name: "%[1]s-hidden"}, spec: {parameters: {}, applications: []}}
- {kind: deployPostfix, key: {cluster: h, environment: dev}, metadata: {name: "%[1]s-hidden"}, spec: {namespace: x}}
`
	drawnInOne = `
- {kind: yard, metadata: {name: h2}}
`
)

// comparisons are rules that compare what is written with another document. They hold for equal values.
var comparisons = []string{
	"!has(self.spec.text) || !has(OTHER.spec.text) || self.spec.text <= OTHER.spec.text",
	"!has(self.spec.text) || !has(OTHER.spec.text) || self.spec.text >= OTHER.spec.text",
	"!has(self.spec.text) || !has(OTHER.spec.text) || OTHER.spec.text.startsWith(self.spec.text)",
	"!has(self.spec.number) || !has(OTHER.spec.number) || self.spec.number <= OTHER.spec.number",
	"!has(self.spec.number) || !has(OTHER.spec.number) || self.spec.number >= OTHER.spec.number",
	"!has(self.spec.number) || self.spec.number == OTHER.spec.number",
	"!has(self.spec.number) || !has(OTHER.spec.text) || self.spec.number <= size(OTHER.spec.text)",
	"!(has(self.spec.text) && OTHER.spec.text == self.spec.text)",
}

// drawKinds writes the built-in ref-schema, and kinds with drawn rules and lifecycles, into a folder.
func drawKinds(t *testing.T, random *rand.Rand) (dir string) {
	t.Helper()
	g := &interferences{Rand: random}
	rules := func(other string, more ...string) string {
		all := append(slices.Clone(comparisons), more...)
		var b []string
		for _, n := range g.Perm(len(all))[:1+g.IntN(2)] {
			text, err := json.Marshal(strings.ReplaceAll(all[n], "OTHER", other))
			if err != nil {
				t.Fatal(err)
			}
			b = append(b, string(text))
		}
		return strings.Join(b, ", ")
	}
	old := "immutable: [spec.text, spec.number]"
	if g.IntN(3) > 0 {
		old = "rules: [" + rules("oldSelf") + "]"
	}
	kinds := drawnKinds
	for strings.Contains(kinds, "[STATE]") {
		kinds = strings.Replace(kinds, "[STATE]", pick(g, []string{"[Closed]", "[Held]"}), 1)
	}
	kinds = strings.NewReplacer("PARENT", rules("parent"), "REFS", strings.ReplaceAll(rules("refs.gate"), `"!`, `"!has(refs.gate) || !`), "OLD", old,
		"FREEZE", pick(g, []string{"put", "delete"})).Replace(kinds)
	w := &world{dir: t.TempDir()}
	w.file(t, "dovetail.yaml", builtIn)
	w.file(t, "drawn.yaml", kinds)
	return w.dir
}

// drawnNames and drawnSpecs are those of the drawn kinds.
var (
	drawnNames = map[string][]string{"yard": {"own", "own", "hid", "hid", "hid", "h2", "none"}, "gate": {"g", "g", "h2", "none"}, "berth": {"a", "b", "none"}, "buoy": {"a", "b", "none"},
		"barge": {"b", "b", "none"}, "boat": {"b", "b", "none"}, "raft": {"a", "b"}, "task": {"t", "u", "none"}}
	drawnChildren = []string{"gate", "berth", "berth", "buoy", "buoy", "barge", "barge", "boat", "boat", "raft", "raft"}
	drawnActions  = map[string][]string{"yard": {"close", "hold", "reopen"}, "boat": {"close", "hold", "reopen"}, "task": {"run", "run", "again"}}
)

// drawnSpec is one whose values lie between those of the stores.
func (g *interferences) drawnSpec() string {
	spec := map[string]any{}
	if g.IntN(2) == 0 {
		spec["text"] = pick(g, []string{"", "A", "E", "Enigma", "K", "Q", "Quartz", "Z"})
	}
	if g.IntN(2) == 0 {
		spec["number"] = pick(g, []int{0, 10, 15, 20, 30})
	}
	if g.IntN(2) == 0 {
		spec["gate"] = pick(g, drawnNames["gate"])
	}
	if g.IntN(2) == 0 {
		spec["yard"] = pick(g, drawnNames["yard"])
	}
	text, err := json.Marshal(spec)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// drawn writes, reads or acts on a document of a drawn kind, by the API or as clients of Kubernetes do.
func (g *interferences) drawn() request {
	r := request{who: pick(g, []string{"limited", "limited", "writer", "writer", "unbound"}), header: map[string]string{}}
	kind, yard := pick(g, []string{"yard", "task", "task"}), ""
	if g.IntN(4) > 0 {
		kind, yard = pick(g, drawnChildren), pick(g, drawnNames["yard"])
	}
	name := pick(g, drawnNames[kind])
	r.method = pick(g, []string{"PUT", "PUT", "PUT", "POST", "PATCH", "PATCH", "DELETE", "GET"})
	data := fmt.Sprintf(`"metadata":{"name":%q},"spec":%s}`, name, g.drawnSpec())
	var item string
	dry := "?dryRun=true"
	if g.IntN(3) == 0 {
		dry, item = "?dryRun=All", "/apis/drawn.dovetail.dev/v1/"
		if yard != "" {
			item += "namespaces/" + yard + "/"
		}
		data = fmt.Sprintf(`{"apiVersion":"drawn.dovetail.dev/v1","kind":%q,%s`, strings.ToUpper(kind[:1])+kind[1:], data)
		if r.method == "PATCH" && g.IntN(2) == 0 {
			dry += "&fieldManager=m&force=true"
			r.media = "application/apply-patch+yaml"
		}
	} else {
		item = "/v2/"
		if yard != "" {
			item += "yards/" + yard + "/"
		}
		data = "{" + data
		if actions := drawnActions[kind]; actions != nil && g.IntN(2) == 0 {
			r.method, name, data = "POST", name+"/"+pick(g, actions), ""
		}
	}
	item += plural(kind)
	if r.method != "POST" || strings.Contains(name, "/") {
		item += "/" + name
	}
	r.path, r.body = item, data
	if r.method == "PATCH" && r.media == "" {
		r.media = "application/merge-patch+json"
	}
	if r.method == "GET" || r.method == "DELETE" {
		r.body = ""
	}
	if r.method != "GET" && g.IntN(2) == 0 {
		r.path += dry
	} else if strings.HasPrefix(item, "/v2/") && g.IntN(6) == 0 {
		r.path += "?changeSet=cs"
	}
	return r
}

func plural(kind string) string { return kind + "s" }

// rename gives a document another id, which may be that of a hidden one.
func (g *interferences) rename() request {
	from := pick(g, []string{"cluster/v", "cluster/v/environment/dev", "cluster/v/environment/prod", "yard/own", "yard/own/gate/g", "yard/own/berth/a", "yard/own/buoy/a", "task/t",
		"siteParamSet/own", "yard/hid", "yard/hid/gate/g", "yard/hid/barge/b", "cluster/h"})
	at := strings.LastIndexByte(from, '/')
	to := from[:at+1] + pick(g, []string{"h", "h2", "hid", "sh2", "own", "v", "dev", "prod", "none", "g", "u"})
	if strings.Count(from, "/") == 3 && g.IntN(2) == 0 { // to another parent
		parts := strings.Split(from, "/")
		parts[1] = pick(g, []string{"h", "h2", "hid", "own", "v", "none"})
		to = strings.Join(parts[:3], "/") + "/" + pick(g, []string{"dev", "prod", "g", "h2", "none", parts[3]})
	}
	r := request{who: pick(g, []string{"limited", "limited", "limited", "writer", "unbound"}), method: "POST", path: "/v2/rename", header: map[string]string{}}
	r.body = fmt.Sprintf(`{"id":%q,"to":%q}`, from, to)
	switch g.IntN(4) {
	case 0, 1:
		r.path += "?dryRun=true"
	case 2:
		r.path += "?changeSet=cs"
	}
	return r
}

// fleet writes a set, which its service acts upon, and looks at what that makes.
func (g *interferences) fleet() request {
	r := request{who: "limited", method: "GET", header: map[string]string{}}
	const sets = "/v2/active-resolution-sets"
	switch g.IntN(4) {
	case 0:
		r.path = pick(g, []string{sets, sets + "/one", sets + "/two/status", "/v2/active-resolutions", "/v2/active-resolutions/one-h", "/v2/active-resolutions/two-h2",
			"/v2/active-resolutions/one-v?view=document"})
		return r
	case 1:
		r.method, r.path = "DELETE", sets+"/"+pick(g, []string{"one", "two"})
		return r
	}
	spec := pick(g, []string{`"clusterSelector":"team"`, `"clusterSelector":"team=Enigma"`, `"clusterSelector":"team in (Quartz, own)"`, `"clusters":[]`, `"clusters":[{"name":"h"}]`,
		`"clusters":[{"name":"h2"},{"name":"none"}]`})
	spec = `{` + spec + `,"template":{"spec":{"sources":["s1"],"constraints":["required(\"p\")"]}}}`
	name := pick(g, []string{"one", "two"})
	r.method, r.path, r.body = "PUT", sets+"/"+name+"?wait=20s", fmt.Sprintf(`{"metadata":{"name":%q},"spec":%s}`, name, spec)
	switch g.IntN(6) {
	case 0:
		r.method, r.path, r.media = "PATCH", "/apis/resolution.dovetail.dev/v1/activeresolutionsets/"+name, "application/merge-patch+json"
	case 1:
		r.path = sets + "/" + name + "?changeSet=cs"
	case 2:
		r.path = sets + "/" + name + "?dryRun=true"
	}
	return r
}
