package kubeapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/server/kubeapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
)

// manyWatches is how many informers one process shall have.
const manyWatches = 1000

// watching is a number of watches of all apps, as informers have them.
type watching struct {
	server *apitest.Server
	told   chan string // the name of each object, by each watch
}

// openWatches opens watches that tell what comes after now, and waits until all are there.
func openWatches(t testing.TB, server *apitest.Server, n int) *watching {
	t.Helper()
	w := &watching{server: server, told: make(chan string, n)}
	client := &http.Client{Transport: &http.Transport{}}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		client.CloseIdleConnections()
	})
	for range n {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+group+"/apps?watch=true&allowWatchBookmarks=true", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != http.StatusOK {
			t.Fatal(response.Status)
		}
		go func() {
			defer response.Body.Close()
			lines := bufio.NewScanner(response.Body)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				if _, after, found := strings.Cut(lines.Text(), `"name":"`); found && !strings.Contains(lines.Text(), "BOOKMARK") {
					name, _, _ := strings.Cut(after, `"`)
					select {
					case w.told <- name:
					case <-ctx.Done():
						return
					}
				}
			}
		}()
	}
	return w
}

// create creates an app, and returns once every watch has told it.
func (w *watching) create(t testing.TB, n int, name string) time.Duration {
	t.Helper()
	w.server.Must(201, "POST", apps, `{"metadata":{"name":"`+name+`"}}`)
	start := time.Now()
	for range n {
		select {
		case got := <-w.told:
			if got != name {
				t.Fatalf("a watch tells %s, want %s", got, name)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("not all watches tell %s", name)
		}
	}
	return time.Since(start)
}

func watched(t testing.TB) *apitest.Server {
	t.Helper()
	s := apitest.NewStore(t, apitest.OpenBolt(t), store.Config{}, "testdata/shop.yaml")
	server := apitest.Serve(t, s, httpapi.Options{Services: []httpapi.Service{kubeapi.New(s, time.Now).Service()}})
	server.Must(201, "POST", group+"/projects", `{"metadata":{"name":"p1"}}`)
	return server
}

// TestManyWatches: each event reaches each of a thousand watches once, in the order of the writes, and reads and writes go on beside them.
func TestManyWatches(t *testing.T) {
	n := manyWatches
	if testing.Short() {
		n = 100
	}
	server := watched(t)
	w := openWatches(t, server, n)
	for i := range 3 {
		w.create(t, n, fmt.Sprintf("a%d", i))
		server.Must(200, "GET", apps+fmt.Sprintf("/a%d", i), "")
	}
	select {
	case name := <-w.told:
		t.Errorf("%s is sent twice", name)
	default:
	}
}

// BenchmarkManyWatches measures what a thousand idle watches take from reads and writes, in turns with a server that has none, and after which time an
// event has reached all of them.
func BenchmarkManyWatches(b *testing.B) {
	alone, beside := watched(b), watched(b)
	w := openWatches(b, beside, manyWatches)
	others := make([]*apitest.Server, 2)
	others[0], others[1] = alone, beside
	for _, server := range others {
		server.Must(201, "POST", group+"/projects", `{"metadata":{"name":"p2"}}`)
	}
	w.create(b, manyWatches, "a")
	alone.Must(201, "POST", apps, `{"metadata":{"name":"a"}}`)
	get := func(server *apitest.Server) time.Duration {
		start := time.Now()
		response, err := http.Get(server.URL + apps + "/a")
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		return time.Since(start)
	}
	n := 0
	create := func(server *apitest.Server) time.Duration {
		n++
		start := time.Now()
		server.Must(201, "POST", group+"/projects", fmt.Sprintf(`{"metadata":{"name":"q%d"}}`, n)) // which no watch is about
		return time.Since(start)
	}
	for _, c := range []struct {
		name string
		do   func(*apitest.Server) time.Duration
	}{{"get", get}, {"create", create}} {
		b.Run(c.name, func(b *testing.B) {
			var times [2][]time.Duration
			for b.Loop() {
				for i, server := range others {
					times[i] = append(times[i], c.do(server))
				}
			}
			for i := range times {
				slices.Sort(times[i])
			}
			median := func(of []time.Duration) float64 { return of[len(of)/2].Seconds() }
			b.ReportMetric(median(times[0])/median(times[1]), "of-none")
		})
	}
	b.Run("event", func(b *testing.B) {
		var all time.Duration
		i := 0
		for b.Loop() {
			i++
			all += w.create(b, manyWatches, fmt.Sprintf("e%d-%d", b.N, i))
		}
		b.ReportMetric(all.Seconds()*1000/float64(i), "ms-to-all")
	})
}
