package app

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/schema"
)

// A group of the ref-schema that the cluster does not know is found, also when the ref-schema changes while the server runs.
func TestRegistration(t *testing.T) {
	model := func(text string) *schema.Model {
		model, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		return model
	}
	cluster := newKubernetes(t)
	flags := cluster.flags(t)
	asked, err := access.NewCluster(access.ClusterOptions{Server: cluster.URL, CAFile: flags["kubernetes-ca"], TokenFile: flags["kubernetes-token-file"]})
	if err != nil {
		t.Fatal(err)
	}
	logs := &apptest.Logs{}
	inForce := model("name: shop\nresources: [{name: shop}]\n")
	r := &registration{cluster: asked, model: func() *schema.Model { return inForce }, log: newLog(Config{}, logs)}
	steps := []struct {
		name   string
		change func()
		says   string
	}{
		{name: "known", change: func() { cluster.groups = []string{"apps", "shop.dovetail.dev"} }, says: "knows all API groups"},
		{name: "a changed ref-schema", change: func() {
			inForce = model("name: shop\nresources: [{name: shop}]\n---\nname: stock\nresources: [{name: item}]\n---\nresources: [{name: bin}]\n")
		}, says: "does not know: dovetail.dev, stock.dovetail.dev; upgrade the release"},
		{name: "after the upgrade", change: func() { cluster.groups = []string{"shop.dovetail.dev", "stock.dovetail.dev", "dovetail.dev"} }, says: "knows all API groups"},
		{name: "no answer", change: func() { cluster.broken = true }, says: "does not say which API groups it has"},
	}
	if detail, _ := r.check(t.Context()); detail != "not asked yet" {
		t.Error(detail)
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			cluster.set(step.change)
			for range 2 {
				r.look(t.Context())
			}
			detail, err := r.check(t.Context())
			if degraded := strings.Contains(step.says, "does not"); (err != nil) != degraded || !strings.Contains(detail, step.says) {
				t.Errorf("%s, %v, want %s, degraded: %t", detail, err, step.says, degraded)
			}
		})
	}
	if n := strings.Count(logs.String(), "API groups that the cluster does not know"); n != 1 {
		t.Errorf("the finding is %d times in the log", n)
	}
}
