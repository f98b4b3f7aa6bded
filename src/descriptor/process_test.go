package descriptor_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/descriptor"
	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/store"
)

// sendOne is a request that brings one application.
func sendOne(name, version string) string {
	return fmt.Sprintf(`{"SD_DATA":{"applications":[{"version":"%s:%s","deployPostfix":"x"}]}}`, name, version)
}

// Both SDs change in one commit.
func TestProcessIsOneTransaction(t *testing.T) {
	s := newServer(t, descriptor.Options{})
	head := s.head()
	s.must(200, "POST", process, sendOne("a", "1"))
	s.must(200, "POST", process, sendOne("b", "1"))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var seen []string
	for event, err := range s.store.Watch(ctx, head, store.WatchQuery{Kind: "solutionDescriptor"}) {
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, change := range event.Changes {
			ids = append(ids, fmt.Sprintf("%s %s %d", change.Op, change.ID[strings.LastIndex(string(change.ID), "/")+1:], change.Revision))
		}
		slices.Sort(ids)
		if seen = append(seen, strings.Join(ids, ", ")); len(seen) == 2 {
			break
		}
	}
	if want := []string{"created delta 1, created full 1", "updated delta 2, updated full 2"}; !slices.Equal(seen, want) {
		t.Errorf("commits %q, want %q", seen, want)
	}
}

// Requests that come at the same time all take effect.
func TestProcessLosesNothing(t *testing.T) {
	const writers, each = 8, 6
	s := newServer(t, descriptor.Options{})
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				if a := s.do("POST", process, sendOne(fmt.Sprintf("app-%d-%d", w, i), "1")); a.status != 200 {
					t.Errorf("status %d: %s", a.status, a.text)
				}
			}
		})
	}
	all.Wait()
	var names []string
	for _, item := range s.must(200, "GET", fullPath, "").body.Get("applications").Items {
		names = append(names, item.Get("version").Text)
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) != writers*each {
		t.Errorf("%d applications, want %d", len(names), writers*each)
	}
	if delta := s.must(200, "GET", deltaPath, "").body.Get("applications").Items; len(delta) != 1 {
		t.Errorf("the delta SD has %d applications", len(delta))
	}
}

func TestDryRun(t *testing.T) {
	s := newServer(t, descriptor.Options{})
	s.must(200, "POST", process, sendOne("a", "1"))
	head := s.head()
	a := s.must(200, "POST", process+"&dryRun=true", sendOne("a", "2"))
	want := `{"environmentId":"c/e","dryRun":true,` +
		`"full":{"effect":"updated","sd":{"applications":[{"version":"a:2","deployPostfix":"x"}]},"changes":[{"change":"changed","path":"/applications/0",` +
		`"message":"a (deployPostfix x) was 1, is 2","old":{"version":"a:1","deployPostfix":"x"},"new":{"version":"a:2","deployPostfix":"x"}}]},` +
		`"delta":{"effect":"updated","sd":{"applications":[{"version":"a:2","deployPostfix":"x"}]},"changes":[{"change":"changed","path":"/applications/0",` +
		`"message":"a (deployPostfix x) was 1, is 2","old":{"version":"a:1","deployPostfix":"x"},"new":{"version":"a:2","deployPostfix":"x"}}]},"warnings":[]}`
	if a.text != want || a.header.Get("Dovetail-Dry-Run") != "true" {
		t.Errorf("got\n%s\nwant\n%s", a.text, want)
	}
	s.must(200, "PUT", fullPath+"&dryRun=true", `{"applications":[]}`)
	s.must(204, "DELETE", fullPath+"&dryRun=true", "")
	s.must(422, "POST", process+"&dryRun=true", `{"SD_DATA":{"applications":[{"version":"a"}]}}`)
	if s.head() != head {
		t.Error("a dry run wrote something")
	}
}

// The same request twice writes nothing the second time.
func TestProcessAgain(t *testing.T) {
	s := newServer(t, descriptor.Options{})
	first := s.must(200, "POST", process, sendOne("a", "1"))
	head := s.head()
	again := s.must(200, "POST", process, sendOne("a", "1"))
	for _, part := range []string{"full", "delta"} {
		if first.body.At(part, "effect").Text != "created" || again.body.At(part, "effect").Text != "unchanged" || first.body.At(part, "etag").Text != again.body.At(part, "etag").Text {
			t.Errorf("%s: %s, then %s", part, first.text, again.text)
		}
	}
	if s.head() != head {
		t.Error("something was written")
	}
}

func TestNamespaces(t *testing.T) {
	const unknown = `{"SD_DATA":{"applications":[{"version":"a:1","deployPostfix":"core"},{"version":"b:1","deployPostfix":"bss"}]}}`
	namespace := func(s *server) {
		s.must(201, "POST", "/v2/clusters/c/environments/e/namespaces", `{"metadata":{"name":"core"},"spec":{"namespace":"env-core"}}`)
	}
	t.Run("none known", func(t *testing.T) {
		s := newServer(t, descriptor.Options{})
		if warnings := s.must(200, "POST", process, unknown).body.Get("warnings").Items; len(warnings) > 0 {
			t.Errorf("%d warnings", len(warnings))
		}
	})
	t.Run("warned of", func(t *testing.T) {
		s := newServer(t, descriptor.Options{})
		namespace(s)
		warnings := s.must(200, "POST", process, unknown).body.Get("warnings").Items
		if len(warnings) != 1 || warnings[0].Get("code").Text != sd.ReasonUnknownNamespace || warnings[0].Get("path").Text != "/applications/1/deployPostfix" ||
			warnings[0].Get("file").Text != "SD_DATA" {
			t.Errorf("warnings %v", warnings)
		}
		referrers := s.must(200, "GET", "/v2/clusters/c/environments/e/namespaces/core?view=referrers", "")
		if !strings.Contains(referrers.text, "solutionDescriptor/full") || !strings.Contains(referrers.text, "solutionDescriptor/delta") {
			t.Errorf("the namespace does not know its applications: %s", referrers.text)
		}
		s.must(204, "DELETE", "/v2/clusters/c/environments/e/namespaces/core", "")
	})
	t.Run("put is warned of", func(t *testing.T) {
		s := newServer(t, descriptor.Options{})
		namespace(s)
		a := s.must(201, "PUT", fullPath, `{"applications":[{"version":"b:1","deployPostfix":"bss"}]}`)
		if len(a.body.Get("warnings").Items) != 1 {
			t.Error(a.text)
		}
	})
	t.Run("enforced", func(t *testing.T) {
		s := newServer(t, descriptor.Options{EnforceNamespaces: true})
		for _, known := range []bool{false, true} {
			if known {
				namespace(s)
			}
			head := s.head()
			for _, a := range []answer{s.must(422, "POST", process, unknown), s.must(422, "PUT", deltaPath, `{"applications":[{"version":"b:1","deployPostfix":"bss"}]}`)} {
				if got := reasons(a.body); slices.Compact(got)[0] != sd.ReasonUnknownNamespace {
					t.Error(a.text)
				}
			}
			if s.head() != head {
				t.Error("something was written")
			}
		}
		s.must(200, "POST", process, `{"SD_DATA":{"applications":[{"version":"a:1","deployPostfix":"core"}]}}`)
	})
	for _, role := range []string{"origin", "peer"} {
		t.Run("the "+role+" of a blue-green domain", func(t *testing.T) {
			s := newServer(t, descriptor.Options{EnforceNamespaces: true})
			namespace(s)
			s.must(201, "POST", "/v2/clusters/c/environments/e/namespaces", `{"metadata":{"name":"bss-`+role+`"},"spec":{"namespace":"env-bss"}}`)
			s.must(422, "POST", process, unknown)
			s.must(201, "POST", "/v2/clusters/c/environments/e/bg-domains", `{"metadata":{"name":"d"},"spec":{"`+role+`Namespace":{"name":"env-bss"}}}`)
			s.must(200, "POST", process, unknown)
		})
	}
	t.Run("names in the place of deploy postfixes", func(t *testing.T) {
		s := newServer(t, descriptor.Options{})
		namespace(s)
		s.must(200, "POST", process, `{"SD_DATA":{"applications":[{"version":"a:1","deployPostfix":"env-core"}],"userData":{"useDeployPostfixAsNamespace":true}}}`)
		if got := s.sd(fullPath); got != `{"applications":[{"version":"a:1","deployPostfix":"core"}]}` {
			t.Error(got)
		}
	})
}

// A stored SD that is none keeps others from being merged into it, and can be replaced.
func TestMalformedStoredSD(t *testing.T) {
	s := newServer(t, descriptor.Options{})
	s.must(201, "PUT", documents+"full", `{"metadata":{"name":"full"},"spec":{"applications":["a"]}}`)
	a := s.must(422, "POST", process, sendOne("b", "1"))
	if part := a.body.Get("errors").Items[0]; part.Get("reason").Text != sd.ReasonInvalidApplication ||
		part.Get("file").Text != "cluster/c/environment/e/solutionDescriptor/full" || part.Get("path").Text != "/spec/applications/0" {
		t.Error(a.text)
	}
	s.must(200, "POST", process, `{"SD_DELTA":false,"SD_DATA":{"applications":[]}}`)
	s.must(422, "PUT", documents+"other", `{"metadata":{"name":"other"},"spec":{"applications":[]}}`)
	s.must(422, "PUT", documents+"full", `{"metadata":{"name":"full"},"spec":{}}`)
}

// contended is a store in which another writer comes first, always or so many times.
type contended struct {
	*store.Store
	times int
	tries int
}

func (c *contended) Apply(ctx context.Context, ops []store.Operation, options store.Options) (*store.Result, error) {
	if c.tries++; c.tries <= c.times {
		return nil, dovetail.Join("the transaction was refused", []*dovetail.Error{
			{Code: dovetail.CodeStale, Message: "another version", Index: 1}, {Code: dovetail.CodeExists, Message: "it exists", Index: 2}})
	}
	return c.Store.Apply(ctx, ops, options)
}

func TestProcessIsRepeated(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		times  int
		status int
	}{
		{name: "until it gets through", times: 5, status: 200},
		{name: "but not for ever", times: 1000, status: 409},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &contended{Store: newStore(t), times: test.times}
			s := serve(t, c.Store, descriptor.New(c, descriptor.Options{}))
			a := s.must(test.status, "POST", process, sendOne("a", "1"))
			if a.status == 409 && (a.body.Get("code").Text != "conflict" || c.tries != 100) {
				t.Errorf("%d tries: %s", c.tries, a.text)
			}
		})
	}
	t.Run("nor when it is called off", func(t *testing.T) {
		c := &contended{Store: newStore(t), times: 1000}
		serve(t, c.Store, descriptor.New(c, descriptor.Options{}))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		request, err := sd.ParseRequest(map[string]string{"SD_DATA": `{"applications":[]}`})
		if err != nil {
			t.Fatal(err)
		}
		_, err = descriptor.New(c, descriptor.Options{}).Process(ctx, inventory.Environment{Cluster: "c", Name: "e"}, request, store.Options{})
		if dovetail.CodeOf(err) != dovetail.CodeCanceled {
			t.Error(err)
		}
	})
}

// The message of a request is kept with what it wrote.
func TestMessage(t *testing.T) {
	s := newServer(t, descriptor.Options{})
	s.must(200, "POST", process, sendOne("a", "1"), "Dovetail-Message", "deploy a")
	if a := s.must(200, "GET", "/v2/transactions", ""); !strings.Contains(a.text, `"deploy a"`) {
		t.Error(a.text)
	}
}
