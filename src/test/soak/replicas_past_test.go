package soak_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// noted is what a writer knows of its apps at a position.
type noted struct {
	position string
	values   map[string]int
}

// TestReplicasReadEveryPosition has three processes write at random, and notes positions. Afterwards each process answers each
// position alike, and as the writer knew it.
func TestReplicasReadEveryPosition(t *testing.T) {
	rounds.Soak(t)
	all := startOn(t, 3, mongotest.Location(t).String(), schemas(t, map[string]string{"schema.yaml": fourKinds}))
	all[0].Must(t, 201, "POST", "/v2/projects", named("p"))
	histories := make([][]noted, len(all))
	var writers sync.WaitGroup
	for w := range all {
		writers.Go(func() { histories[w] = writeHistory(t, all, w, rounds.Of(12, 100)) })
	}
	writers.Wait()
	for w, history := range histories {
		for _, k := range history {
			answers := make([]map[string]int, len(all))
			for i, p := range all {
				answers[i] = appsAt(t, p, k.position)
				if !maps.Equal(answers[i], answers[0]) {
					t.Errorf("position %s is %v to one process and %v to another", k.position, answers[0], answers[i])
				}
			}
			own := maps.Clone(answers[0])
			maps.DeleteFunc(own, func(name string, _ int) bool { return !strings.HasPrefix(name, fmt.Sprintf("w%d", w)) })
			if !maps.Equal(own, k.values) {
				t.Errorf("writer %d knew %v at position %s, which shows %v", w, k.values, k.position, own)
			}
		}
	}
}

// writeHistory writes apps of one writer through any process, and returns a position behind each write.
func writeHistory(t *testing.T, all []*apptest.Process, w, writes int) (history []noted) {
	random := rand.New(rand.NewPCG(uint64(w), 11))
	values := make(map[string]int)
	for value := 1; value <= writes; value++ {
		name := fmt.Sprintf("w%da%d", w, random.IntN(3))
		verb, body := "PUT", fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"value":%d}}`, name, value)
		if _, there := values[name]; there && random.IntN(4) == 0 {
			verb, body = "DELETE", ""
			delete(values, name)
		} else {
			values[name] = value
		}
		status, text, err := all[random.IntN(len(all))].Call(t.Context(), verb, "/v2/projects/p/apps/"+name, body)
		if err != nil || status >= 300 {
			t.Errorf("%s %s: %d %s %v", verb, name, status, text, err)
			return history
		}
		var page struct{ Items []struct{ Position string } }
		status, text, err = all[random.IntN(len(all))].Call(t.Context(), "GET", "/v2/transactions?limit=1", "")
		if err != nil || status != 200 || json.Unmarshal([]byte(text), &page) != nil || len(page.Items) != 1 {
			t.Errorf("the last transaction: %d %s %v", status, text, err)
			return history
		}
		history = append(history, noted{page.Items[0].Position, maps.Clone(values)})
	}
	return history
}

// appsAt returns the values of all apps at a position.
func appsAt(t *testing.T, p *apptest.Process, position string) map[string]int {
	t.Helper()
	status, text, err := p.Call(t.Context(), "GET", "/v2/projects/p/apps?limit=100&at="+url.QueryEscape(position), "")
	var page struct {
		Items []struct {
			Metadata struct{ Name string }
			Spec     struct{ Value int }
		}
	}
	if err != nil || status != 200 || json.Unmarshal([]byte(text), &page) != nil {
		t.Fatalf("the apps at %s: %d %s %v", position, status, text, err)
	}
	values := make(map[string]int)
	for _, item := range page.Items {
		values[item.Metadata.Name] = item.Spec.Value
	}
	return values
}

// TestReplicasBackUpWhileWritten backs up while three processes write at random: every backup restores without a finding, and
// is the store of its position.
func TestReplicasBackUpWhileWritten(t *testing.T) {
	rounds.Soak(t)
	all := startOn(t, 3, mongotest.Location(t).String(), schemas(t, map[string]string{"schema.yaml": fourKinds}))
	all[0].Must(t, 201, "POST", "/v2/projects", named("p"))
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for w := range all {
		writers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				app, last := fmt.Sprintf("w%dn%d", w, n), fmt.Sprintf("w%dn%d", w, n-1)
				profile := fmt.Sprintf(`{"metadata":{"name":"w%d"},"spec":{"app":%q}}`, w, app)
				for _, request := range [][3]string{{"POST", "apps", named(app)}, {"PUT", fmt.Sprintf("profiles/w%d", w), profile}, {"DELETE", "apps/" + last, ""}} {
					_, _, _ = all[(w+n)%3].Call(t.Context(), request[0], "/v2/projects/p/"+request[1], request[2])
				}
			}
		})
	}
	defer writers.Wait()
	defer close(stop)
	most := 0
	for n := range rounds.Of(4, 200) {
		p := all[n%3]
		file := filepath.Join(t.TempDir(), "backup")
		var written struct{ Position string }
		if err := json.Unmarshal([]byte(command(t, 0, "", "backup", file, "--server", p.URL(), "-o", "json")), &written); err != nil {
			t.Fatal(err)
		}
		location := "bolt:" + filepath.Join(t.TempDir(), "restored.db")
		if n%4 == 1 {
			location = mongotest.Location(t).String()
		}
		command(t, 0, "", "restore", file, "--store", location)
		requireWhole(t, location)
		want := command(t, 0, "", "export", "--at", written.Position, "--server", all[(n+1)%3].URL())
		if got := command(t, 0, "", "export", "--store", location); got != want {
			t.Fatalf("the backup of position %s is\n%s\nand the store was\n%s", written.Position, got, want)
		}
		most = max(most, strings.Count(want, "\n"))
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if most < 6 {
		t.Errorf("the largest backup has %d lines: nothing was written meanwhile", most)
	}
}
