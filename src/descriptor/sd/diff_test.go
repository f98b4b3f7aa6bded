package sd_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
)

func TestDiff(t *testing.T) {
	const (
		a = `{"version":"a:1","deployPostfix":"x"}`
		b = `{"version":"b:1","deployPostfix":"x","alias":"B","note":[1]}`
	)
	descr := func(apps ...string) string { return `{"applications":[` + strings.Join(apps, ",") + `]}` }
	graph := func(chunks ...string) string {
		return `{"applications":[],"deployGraph":[` + strings.Join(chunks, ",") + `]}`
	}
	tests := []struct{ name, old, new, want string }{
		{"nothing", descr(a, b), descr(a, b), ""},
		{"version", descr(a), descr(strings.Replace(a, "a:1", "a:2", 1)), "changed /applications/0: a (deployPostfix x) was 1, is 2"},
		{"version of a text", descr(`"a:1"`), descr(`"a:2"`), "changed /applications/0: a was 1, is 2"},
		{"attributes of an application", descr(strings.Replace(a, "}", `,"gone":true,"more":{"a":1}}`, 1)), descr(strings.Replace(a, "}", `,"new":null,"more":{"a":2}}`, 1)),
			`added /applications/0/new: a (deployPostfix x): new is new: null; changed /applications/0/more: a (deployPostfix x): more was {"a":1}, is {"a":2}; removed /applications/0/gone: a (deployPostfix x): gone is gone: true`},
		{"added", descr(a), descr(b, a), "added /applications/0: b:1 (deployPostfix x, alias B) is new"},
		{"removed", descr(a, b), descr(b), "removed /applications/0: a:1 (deployPostfix x) is gone"},
		{"moved", descr(a, b), descr(b, a), "moved /applications: the applications that stay are in another order"},
		{"another alias is another application", descr(b), descr(strings.Replace(b, "B", "C", 1)), "added /applications/0: b:1 (deployPostfix x, alias C) is new; removed /applications/0: b:1 (deployPostfix x, alias B) is gone"},
		{"one of two alike", descr(a, a), descr(a), "removed /applications/1: a:1 (deployPostfix x) is gone"},
		{"what is no application", descr(`1`, `[]`), descr(`[]`, `2`), "added /applications/1: 2 is new; removed /applications/0: 1 is gone"},
		{"other attributes", `{"type":"a","old":1,"applications":[]}`, `{"version":2.1,"type":"b","applications":[]}`,
			`added /version: version is new: 2.1; changed /type: type was "a", is "b"; removed /old: old is gone: 1`},
		{"a long value", `{"applications":[],"x":"` + strings.Repeat("ä", 100) + `"}`, `{"applications":[]}`, `removed /x: x is gone: "` + strings.Repeat("ä", 59) + "…"},
		{"graph added", descr(), graph(), "added /deployGraph: deployGraph is new"},
		{"graph removed", graph(), descr(), "removed /deployGraph: deployGraph is gone"},
		{"graph of something else", graph(`1`), graph(`2`), "changed /deployGraph: deployGraph is another"},
		{"chunks", graph(`{"chunkName":"a"}`, `{"chunkName":"b"}`), graph(`{"chunkName":"c"}`, `{"chunkName":"a"}`), "added /deployGraph/0: the chunk c is new; removed /deployGraph/1: the chunk b is gone"},
		{"chunks moved", graph(`{"chunkName":"a"}`, `{"chunkName":"b"}`), graph(`{"chunkName":"b"}`, `{"chunkName":"a"}`), "moved /deployGraph: the chunks that stay are in another order"},
		{"apps", graph(`{"chunkName":"a","apps":["x","y","z"],"n":1}`), graph(`{"chunkName":"a","apps":["z","y","v"],"n":2}`),
			`changed /deployGraph/0/n: chunk a: n was 1, is 2; added /deployGraph/0/apps/2: chunk a: "v" is new; removed /deployGraph/0/apps/0: chunk a: "x" is gone; moved /deployGraph/0/apps: chunk a: the apps that stay are in another order`},
		{"apps of no list", graph(`{"chunkName":"a","apps":1}`), graph(`{"chunkName":"a","apps":[]}`), "changed /deployGraph/0/apps: chunk a: apps was 1, is []"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, d := range sd.Diff(parse(t, "old", test.old), parse(t, "new", test.new)) {
				got = append(got, string(d.Change)+" "+d.Path+": "+d.Message)
			}
			if got := strings.Join(got, "; "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
