package app

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// line is a connection of a test, which has a name and no more.
type line struct {
	net.Conn
	name   string
	closed *[]string
}

func (l *line) Close() error {
	*l.closed = append(*l.closed, l.name)
	return nil
}

// TestSurplusWithTLS closes a connection without the closing alert of TLS, which blocks while the peer does not read.
func TestSurplusWithTLS(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	secured := tls.Server(near, certificate.TLS.Clone())
	client := tls.Client(far, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12})
	shaken := make(chan error, 1)
	go func() { shaken <- client.Handshake() }()
	if err := secured.Handshake(); err != nil {
		t.Fatal(err)
	}
	if err := <-shaken; err != nil {
		t.Fatal(err)
	}
	c := newConnections(1, prometheus.NewGauge(prometheus.GaugeOpts{Name: "a"}), prometheus.NewCounter(prometheus.CounterOpts{Name: "b"}))
	c.changed(secured, http.StateNew)
	end := make(chan error, 1)
	go func() {
		_, err := far.Read(make([]byte, 1)) // of a farewell, if there is one
		end <- err
	}()
	c.changed(&line{name: "next", closed: new([]string)}, http.StateNew)
	if err := <-end; !errors.Is(err, io.EOF) {
		t.Errorf("the other end got %v, want nothing but the end", err)
	}
}

func TestConnections(t *testing.T) {
	type event struct {
		name  string
		state http.ConnState
	}
	const opened, used, idle, gone = http.StateNew, http.StateActive, http.StateIdle, http.StateClosed
	tests := []struct {
		name   string
		events []event
		closed []string
		open   int
	}{
		{name: "as many as may be", events: []event{{"a", opened}, {"b", opened}}, open: 2},
		{name: "one more closes the oldest that is unused", events: []event{{"a", opened}, {"b", opened}, {"c", opened}}, closed: []string{"a"}, open: 3},
		{name: "not one in use", events: []event{{"a", opened}, {"a", used}, {"b", opened}, {"c", opened}}, closed: []string{"b"}, open: 3},
		{name: "but one that was used before", events: []event{{"a", opened}, {"b", opened}, {"b", used}, {"b", idle}, {"a", used}, {"a", idle}, {"c", opened}}, closed: []string{"b"}, open: 3},
		{name: "itself when all are in use", events: []event{{"a", opened}, {"a", used}, {"b", opened}, {"b", used}, {"c", opened}}, closed: []string{"c"}, open: 3},
		{name: "after one has gone there is room", events: []event{{"a", opened}, {"b", opened}, {"a", gone}, {"c", opened}}, open: 2},
		{name: "each is closed once", events: []event{{"a", opened}, {"b", opened}, {"c", opened}, {"d", opened}, {"a", gone}, {"b", gone}}, closed: []string{"a", "b"}, open: 2},
		{name: "hijacked ones are no longer ours", events: []event{{"a", opened}, {"a", used}, {"a", http.StateHijacked}, {"b", opened}, {"c", opened}}, open: 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var closed []string
			c := newConnections(2, prometheus.NewGauge(prometheus.GaugeOpts{Name: "a"}), prometheus.NewCounter(prometheus.CounterOpts{Name: "b"}))
			lines := make(map[string]*line)
			for _, e := range tt.events {
				if lines[e.name] == nil {
					lines[e.name] = &line{name: e.name, closed: &closed}
				}
				c.changed(lines[e.name], e.state)
			}
			if !slices.Equal(closed, tt.closed) || len(c.all) != tt.open {
				t.Errorf("closed %q, want %q; %d are open, want %d", closed, tt.closed, len(c.all), tt.open)
			}
		})
	}
}

// Idle connections block no client: the server closes them, and their clients connect again.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	server := start(t, map[string]string{"max-connections": "4"})
	address := server.listener.Addr().String()
	for range 20 {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	server.must(t, 200, "GET", "/v2/clusters", "")
	eventually(t, "the others are closed", func() bool {
		text := server.must(t, 200, "GET", "/metrics", "")
		return strings.Contains(text, "\ndovetail_http_connections 4\n") && !strings.Contains(text, "\ndovetail_http_connections_closed_total 0\n")
	})
}
