package resolution_test

import (
	"strings"
	"testing"
)

// TestFactsOfCluster: an ActiveResolution may say what the cluster has, and resolutions over stored sources heed it.
func TestFactsOfCluster(t *testing.T) {
	s := newServer(t)
	s.must(200, "PUT", "/api/sources/cat", `{"packages":[{"name":"web","versions":[{"version":"1.0.0","channels":["main"]},
		{"version":"2.0.0","channels":["main"],"properties":[{"type":"helm.kubeVersion","value":">=1.31.0-0"}]}]}]}`)
	for version, want := range map[string]string{"v1.29.3": "cat:web:1.0.0:main", "v1.31.0": "cat:web:2.0.0:main"} {
		spec := `{"spec":{"constraints":["required(\"web\")"],"facts":{"kubernetes":"` + version + `"}}}`
		if got := s.must(200, "POST", "/api/resolve", spec); !strings.Contains(got, `"selections":["`+want+`"]`) {
			t.Errorf("%s: %s", version, got)
		}
		s.must(201, "PUT", "/v2/active-resolutions/"+version, spec)
	}
	if got := s.must(422, "PUT", "/v2/active-resolutions/wrong", `{"spec":{"constraints":[],"facts":{"kubernets":"1.29"}}}`); !strings.Contains(got, `did you mean \"kubernetes\"?`) {
		t.Error(got)
	}
}
