package matrix

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
)

// A scene is the place of one cell: documents with names that no other cell has.
type scene struct {
	site string
	n    int
}

func (s scene) thing() document  { return document{"thing", s.site, fmt.Sprint("thing-", s.n)} }
func (s scene) other() document  { return document{"thing", s.site, fmt.Sprint("other-", s.n)} }
func (s scene) device() document { return document{"device", "", fmt.Sprint("device-", s.n)} }
func (s scene) place() document  { return document{"site", "", s.site} }

// A trial is a change that a promise forbids, and beside it one that it permits.
type trial struct {
	promise, name string
	verb          verb
	id            func(scene) document // that is changed; default the thing
	spec          func(scene) members  // that the document has afterwards
	before        func(t *testing.T, w *world, s scene)
	guarded       bool // in the place whose documents are protected

	// What makes the permitted change a forbidden one: what happens before it, or a change of the change.
	spoil func(t *testing.T, w *world, s scene)
	bad   func(s scene, c *change)

	needs    facility // of the way
	any      bool     // what the change writes does not matter
	never    bool     // the document that it would make was never valid, so no history has it
	cascades bool     // a way that takes along what prevents the change is permitted to
	refused  []int    // the statuses of the refusal
	says     string   // parts of the refusal, of which it has one
}

// conditions reports whether the backend decides about the trial. The others are the same on every backend.
func (tr trial) conditions() bool {
	return slices.Contains([]string{"parents exist", "references exist", "unique", "exclusive", "versions", "lifecycle"}, tr.promise)
}

var (
	broken    = []int{http.StatusUnprocessableEntity, http.StatusBadRequest}
	conflicts = []int{http.StatusConflict, http.StatusUnprocessableEntity} // the latter by Kubernetes
)

// trials are all of them.
var trials = []trial{
	{promise: "parents exist", verb: create, refused: []int{404, 409, 422}, says: "site",
		spoil: func(t *testing.T, w *world, s scene) { w.remove(t, s.place()) }},
	{promise: "parents exist", name: "of a child", verb: remove, id: scene.place, cascades: true, refused: conflicts, says: "thing",
		spoil: func(t *testing.T, w *world, s scene) { w.put(t, s.thing(), nil) }},
	{promise: "references exist", verb: create, refused: conflicts, says: "device", before: aDevice, spec: referring, spoil: noDevice},
	{promise: "references exist", verb: update, refused: conflicts, says: "device", before: aDevice, spec: referring, spoil: noDevice},
	{promise: "references exist", name: "of a target", verb: remove, id: scene.device, cascades: true, refused: conflicts, says: "thing",
		spoil: func(t *testing.T, w *world, s scene) { w.put(t, s.thing(), referring(s)) }},

	{promise: "unique", verb: create, refused: conflicts, says: "serial", spec: serial, spoil: takenSerial},
	{promise: "unique", verb: update, refused: conflicts, says: "serial", spec: serial, spoil: takenSerial},
	{promise: "unique", name: "below a parent", verb: create, refused: conflicts, says: "rank", spec: rank, spoil: takenRank},
	{promise: "unique", name: "below a parent", verb: update, refused: conflicts, says: "rank", spec: rank, spoil: takenRank},
	{promise: "exclusive", verb: create, refused: conflicts, says: "port", before: aDevice, spec: plugged, spoil: takenPort},
	{promise: "exclusive", verb: update, refused: conflicts, says: "port", before: aDevice, spec: plugged, spoil: takenPort},

	{promise: "immutable", verb: update, refused: broken, says: "fixed", spec: func(scene) members { return members{"fixed": "a"} },
		spoil: func(t *testing.T, w *world, s scene) {
			w.remove(t, s.thing())
			w.put(t, s.thing(), members{"fixed": "b"})
		}},

	{promise: "rules", name: "of the parent", verb: create, refused: broken, says: "slower", spec: fast, spoil: slowSite},
	{promise: "rules", name: "of the parent", verb: update, refused: broken, says: "slower", spec: fast, spoil: slowSite},
	{promise: "rules", name: "of the former values", verb: update, refused: broken, says: "shrinks", spec: func(scene) members { return members{"grows": 1} },
		spoil: func(t *testing.T, w *world, s scene) { w.put(t, s.thing(), members{"grows": 2}) }},
	{promise: "rules", name: "of itself", verb: create, never: true, refused: broken, says: "low is above high", bad: writes(members{"low": 2, "high": 1})},
	{promise: "rules", name: "of itself", verb: update, never: true, refused: broken, says: "low is above high", bad: writes(members{"low": 2, "high": 1})},

	{promise: "shape", name: "of the data", verb: create, never: true, refused: broken, says: "low", bad: writes(members{"low": "x"})},
	{promise: "shape", name: "of the data", verb: update, never: true, refused: broken, says: "low", bad: writes(members{"low": "x"})},
	{promise: "shape", name: "of a slot", verb: create, never: true, refused: broken, says: "port", bad: writes(members{"port": members{"device": []string{"x"}}})},
	{promise: "shape", name: "of a slot", verb: update, never: true, refused: broken, says: "port", bad: writes(members{"port": members{"device": []string{"x"}}})},
	{promise: "shape", name: "on the way of a rule", verb: create, never: true, refused: broken, says: "devices", bad: writes(members{"devices": "x"})},
	{promise: "shape", name: "on the way of a rule", verb: update, never: true, refused: broken, says: "devices", bad: writes(members{"devices": "x"})},
	{promise: "shape", name: "of how many references", verb: create, never: true, refused: broken, says: "at most 2", bad: writes(three)},
	{promise: "shape", name: "of how many references", verb: update, never: true, refused: broken, says: "at most 2", bad: writes(three)},
	{promise: "strict", verb: create, never: true, refused: broken, says: "colur", bad: writes(members{"colur": "red"})},
	{promise: "strict", verb: update, never: true, refused: broken, says: "colur", bad: writes(members{"colur": "red"})},
	{promise: "spelling", verb: create, id: rack, never: true, refused: broken, says: "controler", bad: writes(members{"controler": "x"})},
	{promise: "spelling", verb: update, id: rack, never: true, refused: broken, says: "controler", bad: writes(members{"controler": "x"})},
	{promise: "errors together", verb: create, never: true, refused: broken, says: "colur", bad: writes(members{"low": "x", "colur": "red", "high": "y"})},
	{promise: "errors together", verb: create, never: true, refused: broken, says: "high", bad: writes(members{"low": "x", "colur": "red", "high": "y"})},

	{promise: "lifecycle", name: "freezes children", verb: create, refused: conflicts, says: "Closed", spoil: closedSite},
	{promise: "lifecycle", name: "freezes data", verb: update, any: true, refused: conflicts, says: "Running", spoil: running, spec: coloured},
	{promise: "lifecycle", name: "freezes", verb: remove, refused: conflicts, says: "Running", spoil: running},

	{promise: "rights", name: "create", verb: create, refused: []int{403}, says: "create", bad: by("no-create")},
	{promise: "rights", name: "update", verb: update, any: true, refused: []int{403}, says: "update", spec: coloured, bad: by("no-update")},
	{promise: "rights", name: "delete", verb: remove, refused: []int{403}, says: "delete", bad: by("no-delete")},
	{promise: "rights", name: "act", verb: act, refused: []int{403}, says: "act", bad: by("no-act")},
	{promise: "rights", name: "use", verb: create, refused: []int{403}, says: "use", before: aDevice, spec: referring, bad: by("no-use")},
	{promise: "rights", name: "use", verb: update, refused: []int{403}, says: "use", before: aDevice, spec: referring, bad: by("no-use")},

	{promise: "managed", verb: create, id: machine, refused: conflicts, says: "service"},
	{promise: "managed", verb: update, id: machine, any: true, spec: coloured, refused: conflicts, says: "service"},
	{promise: "managed", verb: remove, id: machine, refused: conflicts, says: "service"},
	{promise: "managed", verb: act, id: machine, refused: conflicts, says: "service"},

	{promise: "managed", name: "beside protections", verb: create, id: machine, guarded: true, refused: []int{403, 409}, says: "service|managed|guarded"},

	{promise: "protection", verb: create, guarded: true, refused: []int{403, 409}, says: "guarded|approved|protected"},
	{promise: "protection", verb: update, guarded: true, any: true, spec: coloured, refused: []int{403, 409}, says: "guarded|approved|protected"},
	{promise: "protection", verb: remove, guarded: true, refused: []int{403, 409}, says: "guarded|approved|protected"},
	{promise: "protection", verb: act, guarded: true, refused: []int{403, 409}, says: "guarded|approved|protected"},

	{promise: "versions", verb: update, needs: compares, any: true, refused: []int{412, 409}, spec: coloured, bad: func(_ scene, c *change) { c.base = `"aaaaaaaaaaaaaaaaaaaaaaaaaa-1"` }},
	{promise: "versions", verb: remove, needs: compares, refused: []int{412, 409}, bad: func(_ scene, c *change) { c.base = `"aaaaaaaaaaaaaaaaaaaaaaaaaa-1"` }},
	{promise: "versions", verb: act, needs: compares, refused: []int{412, 409}, bad: func(_ scene, c *change) { c.base = `"aaaaaaaaaaaaaaaaaaaaaaaaaa-1"` }},
}

func aDevice(t *testing.T, w *world, s scene)  { w.put(t, s.device(), nil) }
func noDevice(t *testing.T, w *world, s scene) { w.remove(t, s.device()) }
func referring(s scene) members                { return members{"device": s.device().name} }
func plugged(s scene) members                  { return members{"port": s.device().name} }
func serial(s scene) members                   { return members{"serial": fmt.Sprint("serial-", s.n)} }
func fast(scene) members                       { return members{"speed": 50} }
func coloured(scene) members                   { return members{"colour": "red"} }
func rack(s scene) document                    { return document{"rack", "", fmt.Sprint("rack-", s.n)} }
func machine(s scene) document                 { return document{"machine", s.site, fmt.Sprint("machine-", s.n)} }

func rank(s scene) members { return members{"rank": s.n} }

// three are references to more devices than a thing may refer to.
var three = members{"devices": []string{"a", "b", "c"}}

func takenSerial(t *testing.T, w *world, s scene) { w.put(t, s.other(), serial(s)) }
func takenRank(t *testing.T, w *world, s scene)   { w.put(t, s.other(), rank(s)) }
func takenPort(t *testing.T, w *world, s scene)   { w.put(t, s.other(), plugged(s)) }
func slowSite(t *testing.T, w *world, s scene)    { w.put(t, s.place(), members{"limit": 10}) }

func closedSite(t *testing.T, w *world, s scene) {
	w.must(t, "POST", s.place().path()+"/close", members{})
}

func running(t *testing.T, w *world, s scene) { w.must(t, "POST", s.thing().path()+"/run", members{}) }

// by is a change by a principal.
func by(who string) func(scene, *change) { return func(_ scene, c *change) { c.who = who } }

// writes is a change that writes other members.
func writes(spec members) func(scene, *change) { return func(_ scene, c *change) { c.spec = spec } }
