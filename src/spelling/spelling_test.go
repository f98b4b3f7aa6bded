package spelling_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/spelling"
)

func ExampleNearest() {
	fmt.Println(spelling.Nearest("clutser", []string{"app", "cluster"}))
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
			if got := spelling.Nearest(c.name, names); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
