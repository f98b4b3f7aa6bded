package suggest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
)

func ExampleNearest() {
	fmt.Println(suggest.Nearest("clutser", []string{"app", "cluster"}))
	// Output: cluster
}

func TestNearest(t *testing.T) {
	names := []string{"app", "cluster", "clusterProvider", "compositeApp", "project"}
	for _, c := range []struct{ name, want string }{
		{"clusterProvidr", "clusterProvider"},
		{"clusterprovider", "clusterProvider"},
		{"porject", "project"},
		{"ap", "app"},
		{"Cluster", "cluster"},
		{"clstr", ""},
		{"network", ""},
		{"", ""},
		{strings.Repeat("p", 65), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := suggest.Nearest(c.name, names); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
