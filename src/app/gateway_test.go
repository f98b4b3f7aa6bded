package app

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/gateway"
	"github.com/dovetail-store/dovetail/src/store"
)

// A gateway in front of a server of documents: the client, a watch too, sees no difference.
func TestGatewayInFront(t *testing.T) {
	server := start(t, nil)
	g, err := gateway.New(gateway.Options{Servers: []string{server.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serveGateway(ctx, listener, g) }()
	url := "http://" + listener.Addr().String()
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
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
