package app

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/store"
)

// A gateway in front of a server of documents: the client, a watch too, sees no difference.
func TestGatewayInFront(t *testing.T) {
	server := start(t, nil)
	url := startFront(t, nil, server.URL()).url()
	eventually(t, "the gateway is ready", func() bool {
		answer, err := http.Get(url + "/readyz")
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	c, err := client.New(url, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	from, err := c.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server.must(t, 201, "POST", "/v2/clusters", named("c1"))
	for event, err := range c.Watch(t.Context(), from, store.WatchQuery{}) {
		if err != nil || len(event.Changes) != 1 || event.Changes[0].ID != "cluster/c1" {
			t.Fatalf("%+v %v", event, err)
		}
		break
	}
	if _, err := c.Get(t.Context(), "cluster/none"); dovetail.CodeOf(err) != dovetail.CodeNotFound || !strings.Contains(err.Error(), "cluster/none") {
		t.Error(err)
	}
}

// front is a gateway of a test.
type front struct {
	*gatewayProcess
	logs *apptest.Logs
}

// startFront runs a gateway with the settings, as flags, on a free port until the test ends.
func startFront(t *testing.T, given map[string]string, servers ...string) *front {
	t.Helper()
	flags := map[string]string{"listen": "127.0.0.1:0", "log-level": "info"}
	maps.Copy(flags, apptest.PatientFlags())
	maps.Copy(flags, given)
	config, err := Load(flags, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &front{logs: &apptest.Logs{}}
	if f.gatewayProcess, err = startGateway(t.Context(), config, servers, f.logs); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the gateway ended with %v", err)
		}
	})
	return f
}

func (f *front) url() string {
	if f.config.TLSCert != "" {
		return "https://" + f.listener.Addr().String()
	}
	return "http://" + f.listener.Addr().String()
}
