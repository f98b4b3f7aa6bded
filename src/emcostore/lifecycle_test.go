package emcostore_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/bson"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// The keys of what the recorded sequences act on.
var (
	lifecycleCloud   = map[string]string{"project": "p", "logicalCloud": "lc"}
	lifecycleGroup   = map[string]string{"project": "p", "compositeApp": "ca", "compositeAppVersion": "v1", "deploymentIntentGroup": "d"}
	lifecycleCluster = map[string]string{"clusterProvider": "cp", "cluster": "c1"}
	lifecycleNetwork = map[string]string{"clusterProvider": "cp", "cluster": "c1", "network": "n1"}
	lifecycleKeys    = map[string]map[string]string{"logicalCloud": lifecycleCloud, "deploymentIntentGroup": lifecycleGroup, "cluster": lifecycleCluster}
)

// TestLifecycles stores what EMCO's services stored in recorded sequences of actions: whatever they let happen, the store does, too.
func TestLifecycles(t *testing.T) {
	text, err := os.ReadFile("../internal/emco/testdata/lifecycle.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents, err := yaml.Parse("lifecycle.yaml", text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, sequence := range documents[0].Get("sequences").Items {
		name, _ := sequence.Get("id").Str()
		t.Run(name, func(t *testing.T) {
			s := open(t, apitest.OpenBolt(t), store.Config{})
			prepare(t, s)
			for _, step := range sequence.Get("steps").Items {
				runStep(t, s, step)
			}
		})
	}
}

// prepare stores what the sequences begin with.
func prepare(t *testing.T, s Store) {
	t.Helper()
	group := bson.M{"metadata": named("d").MetaData, "spec": bson.M{"profile": "prof", "version": "v1", "logicalcloud": "lc"}}
	for _, resource := range []struct {
		key  map[string]string
		data any
	}{
		{map[string]string{"project": "p"}, named("p")},
		{map[string]string{"clusterProvider": "cp"}, named("cp")},
		{lifecycleCluster, named("c1")},
		{lifecycleNetwork, named("n1")},
		{lifecycleCloud, named("lc")},
		{map[string]string{"project": "p", "compositeApp": "ca", "compositeAppVersion": "v1"}, named("ca")},
		{map[string]string{"project": "p", "compositeApp": "ca", "compositeAppVersion": "v1", "compositeProfile": "prof"}, named("prof")},
		{lifecycleGroup, group},
	} {
		if err := s.Insert(t.Context(), resources, resource.key, nil, "data", resource.data); err != nil {
			t.Fatal(err)
		}
	}
}

func runStep(t *testing.T, s Store, step *value.Value) {
	t.Helper()
	do, _ := step.Get("do").Str()
	if stored := step.Get("stored"); stored != nil {
		for _, m := range stored.Members {
			if err := s.Insert(t.Context(), resources, lifecycleKeys[m.Name], nil, "stateInfo", historyOf(m.Value)); err != nil {
				t.Errorf("%s: %v", do, err)
			}
		}
	}
	if status := step.Get("status"); status == nil || !strings.HasPrefix(status.Text, "2") {
		return // refused by the services, which then store nothing
	}
	var err error
	switch do {
	case "put":
		err = s.Insert(t.Context(), resources, lifecycleGroup, nil, "data", bson.M{"metadata": named("d").MetaData, "spec": bson.M{"profile": "prof", "version": "v2", "logicalcloud": "lc"}})
	case "lc-put":
		err = s.Insert(t.Context(), resources, lifecycleCloud, nil, "data", plain{metadata{Name: "lc", UserData1: "changed"}})
	case "cl-del-network":
		err = s.Remove(t.Context(), resources, lifecycleNetwork)
	case "delete":
		err = s.Remove(t.Context(), resources, lifecycleGroup)
	}
	if err != nil {
		t.Errorf("%s: %v", do, err)
	}
}

// historyOf is a recorded stateInfo as the services store it.
func historyOf(recorded *value.Value) stateInfo {
	var history stateInfo
	history.StatusContextID, _ = recorded.Get("statusContext").Str()
	for _, action := range recorded.Get("actions").Items {
		entry := actionEntry{TimeStamp: time.UnixMilli(1795306582411).UTC()}
		entry.State, _ = action.Get("state").Str()
		entry.ContextID, _ = action.Get("context").Str()
		entry.Revision, _ = strconv.ParseInt(action.Get("revision").Text, 10, 64)
		history.Actions = append(history.Actions, entry)
	}
	return history
}
