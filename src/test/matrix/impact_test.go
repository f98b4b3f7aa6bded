package matrix

import (
	"slices"
	"strings"
	"testing"
)

// TestImpact stages changes that services derive something from.
func TestImpact(t *testing.T) {
	const environment, in, impact = "?environmentId=v/dev", "?changeSet=one", "/api/change-sets/one/impact"
	const yaml = "application/x-yaml"
	bucket := func(a string) string { return strings.Replace(layeredDocuments[0], "{a: 1}", "{a: "+a+"}", 1) }
	tests := []struct {
		name                      string
		method, path, media, body string
		want                      []string // service and id of each item
		parts                     []string // of the answer
	}{
		{name: "nothing derived", method: "PUT", path: "/v2/clusters/v" + in, body: `{"spec":{"x":1}}`},
		{name: "an override", method: "PUT", path: "/api/ui-override" + in, body: `{"environmentId":"v/dev","context":"pipeline","parameters":{"a":8}}`,
			want: []string{"override v/dev/pipeline"}, parts: []string{`{"op":"replace","path":"/a","from":7,"to":8}`}},
		{name: "a bucket", method: "PUT", path: "/api/v1.0/buckets/a/documents" + in, media: yaml, body: bucket("2"),
			want: []string{"layering a/example/Kind/v1/own/global"}, parts: []string{`"from":1,"to":2`}},
		{name: "a version", method: "PUT", path: "/v2/sources/s1/packages/p/versions/2.0.0" + in, body: `{"metadata":{"name":"2.0.0"},"spec":{"channels":["main"]}}`,
			want: []string{"resolution activeResolution/all"}, parts: []string{"s1:p:2.0.0:main"}},
		{name: "a resolution", method: "DELETE", path: "/v2/active-resolutions/all" + in, want: []string{"resolution activeResolution/all"}, parts: []string{`"op":"remove"`}},
		{name: "a set of resolutions", method: "PUT", path: "/v2/active-resolution-sets/some" + in, body: `{"spec":{"clusters":[{"name":"a"}],"template":{"spec":{"constraints":["required(\"p\")"]}}}}`,
			want: []string{"resolution activeResolution/some-a"}, parts: []string{"s1:p:1.0.0:main"}},
		{name: "a cluster that a set selects", method: "PUT", path: "/v2/clusters/v" + in, body: `{"metadata":{"labels":{"env":"prod"}}}`,
			want: []string{"resolution activeResolution/prod-v"}, parts: []string{"s1:p:1.0.0:main"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &sample{world: newServer(t, rootPolicy, []string{"root"}, nil), who: "root"}
			s.write(t, "POST", "/v2/batch", "application/yaml", visible)
			s.write(t, "POST", "/api/ui-override", "", `{"environmentId":"v/dev","context":"pipeline","parameters":{"a":7}}`)
			s.write(t, "PUT", "/api/v1.0/buckets/common/documents", yaml, commonBucket)
			s.write(t, "PUT", "/api/v1.0/buckets/a/documents", yaml, bucket("1"))
			s.write(t, "PUT", "/v2/active-resolutions/all?wait=2m", "", `{"metadata":{"name":"all"},"spec":{"constraints":["required(\"p\")"]}}`)
			s.write(t, "PUT", "/v2/active-resolution-sets/prod", "", `{"spec":{"clusterSelector":"env=prod","template":{"spec":{"constraints":["required(\"p\")"]}}}}`)
			s.write(t, "POST", "/api/change-sets", "", `{"name":"one"}`)
			s.write(t, test.method, test.path, test.media, test.body)
			text := s.write(t, "GET", impact, "", "")
			var found struct {
				Items      []struct{ Service, ID string }
				Total      int
				Incomplete bool
			}
			decode(t, text, &found)
			var items []string
			for _, item := range found.Items {
				items = append(items, item.Service+" "+item.ID)
			}
			if !slices.Equal(items, test.want) || found.Total != len(items) || found.Incomplete {
				t.Errorf("%s, want %s", text, test.want)
			}
			for _, part := range test.parts {
				if !strings.Contains(text, part) {
					t.Errorf("%s lacks %s", text, part)
				}
			}
			s.write(t, "POST", "/api/change-sets/one/merge", "", "")
		})
	}
}
