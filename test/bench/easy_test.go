package bench

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/resolution/solver/synthetic"
	"github.com/dovetail-store/dovetail/src/value"
)

// BenchmarkEasyBesideHard measures how long easy resolutions take beside eight hard ones that are sent without an end by another user, and
// eight stored ones that the controller works on: one that is sent, and one that is stored and waited for.
func BenchmarkEasyBesideHard(b *testing.B) {
	const hard, easy = 8, 200
	s := launch(b, filepath.Join(b.TempDir(), "dovetail.db"))
	defer s.stop(b)
	send := func(method, path, body string, status int) time.Duration {
		b.Helper()
		request, err := http.NewRequestWithContext(b.Context(), method, "http://"+s.address+path, bytes.NewReader([]byte(body)))
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		began := time.Now()
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			b.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != status {
			b.Fatal(answer.Status, string(text), err)
		}
		return time.Since(began)
	}
	send(http.MethodPut, "/api/sources/easy", `{"packages":[{"name":"p","versions":[{"version":"1.0.0","channels":["main"]}]}]}`, 200)
	maze := synthetic.Problem(synthetic.Options{Packages: 200, Versions: 5, Roots: 5, Seed: 1, Mode: synthetic.Maze, Pigeons: 11})
	source := maze.Get("sources").Items[0]
	send(http.MethodPut, "/api/sources/"+source.Get("name").Text, string(source.JSON()), 200)
	const spec = `{"spec":{"sources":["easy"],"constraints":["required(\"p\")"]}}`
	n := 0
	measure := func(suffix string) {
		sent, stored := make([]time.Duration, easy), make([]time.Duration, easy)
		for i := range easy {
			sent[i] = send(http.MethodPost, "/api/resolve", spec, 200)
			stored[i] = send(http.MethodPut, fmt.Sprintf("/v2/active-resolutions/easy-%d?wait=2m", n), spec, 201)
			n++
		}
		for what, times := range map[string][]time.Duration{"sent": sent, "stored": stored} {
			slices.Sort(times)
			b.ReportMetric(float64(times[easy/2].Microseconds())/1000, "p50-ms-"+what+suffix)
			b.ReportMetric(float64(times[easy*99/100].Microseconds())/1000, "p99-ms-"+what+suffix)
		}
	}
	for b.Loop() {
		measure("-alone")
		endless := maze.Get("spec").Clone()
		endless.Set("timeoutSeconds", value.NewNumber(3600))
		endless.Set("sources", value.NewList(source.Get("name")))
		for i := range hard {
			send(http.MethodPut, fmt.Sprintf("/v2/active-resolutions/hard-%d", i), `{"spec":`+string(endless.JSON())+`}`, 201)
		}
		h := newHog(b, s.address, hard)
		measure("-beside")
		h.end(b)
		for i := range hard {
			send(http.MethodDelete, fmt.Sprintf("/v2/active-resolutions/hard-%d", i), "", 204)
		}
	}
}
