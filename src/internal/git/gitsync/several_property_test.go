package gitsync_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"pgregory.net/rapid"
)

// TestWhoHoldsDependsOnHeads draws commits to three repositories, which are followed at any time. In the end each document outside of clusters is the one of the first
// repository that has it, each cluster that of its repository, and what differs is found: whatever happened before.
func TestWhoHoldsDependsOnHeads(t *testing.T) {
	rounds.Checks(t, 8, 60)
	order := []string{"one", "two", "three"}
	sets := []string{"a", "b"}
	rapid.Check(t, func(r *rapid.T) {
		shares := make([]gitsync.Share, len(order))
		start := make(map[string]map[string]string)
		has := make(map[string]map[string]string) // by repository and name
		for i, name := range order {
			shares[i] = gitsync.Share{Name: name, Clusters: []string{name}}
			start[name], has[name] = environmentOf(name, "dev", "0"), make(map[string]string)
		}
		s := newSeveral(t, shares, start)
		for i := range rapid.IntRange(3, 8).Draw(r, "commits") {
			name, set := rapid.SampledFrom(order).Draw(r, "repository"), rapid.SampledFrom(sets).Draw(r, "set")
			text := rapid.SampledFrom([]string{"x", "y", gittest.Gone}).Draw(r, "text")
			files := environmentOf(name, "dev", strconv.Itoa(i+1))
			switch file := "environments/parameters/" + set + ".yaml"; {
			case text != gittest.Gone:
				files[file] = fmt.Sprintf("name: %s\nparameters: {V: %s}\n", set, text)
				has[name][set] = text
			case has[name][set] != "":
				files[file] = gittest.Gone
				delete(has[name], set)
			}
			s.remotes[name].Push("drawn", files)
			if rapid.Bool().Draw(r, "follow") {
				if err := s.syncers[name].Sync(t.Context()); err != nil {
					r.Fatal(err)
				}
			}
		}
		s.sync()
		for _, set := range sets {
			first := ""
			for _, name := range order {
				text, file := has[name][set], "REPO_DOCUMENT_ELSEWHERE environments/parameters/"+set+".yaml"
				if found := slices.Contains(s.findings(name, gitsync.ReasonDocumentElsewhere), file); found != (text != "" && first != "" && text != first) {
					r.Errorf("%s has %q, the first one %q; found: %v", name, text, first, found)
				}
				if first == "" {
					first = text
				}
			}
			if got := s.has(dovetail.ID("siteParamSet/" + set)); (got == "") != (first == "") || first != "" && !strings.Contains(got, `"V":"`+first+`"`) {
				r.Errorf("%s is %s, and %q in the first repository", set, got, first)
			}
		}
		for _, name := range order {
			want, _ := s.remotes[name].Show("environments/" + name + "/dev/Inventory/parameters/own.yaml")
			_, value, _ := strings.Cut(want, "A: ")
			if got := s.has(setOf(name, "dev")); !strings.Contains(got, strings.TrimSpace(value)) {
				r.Errorf("%s is %s, and its file %s", name, got, want)
			}
		}
	})
}

// BenchmarkAttachTwo attaches two repositories of 500 environments to a store, and one after the other to two stores: the shares must cost nothing to speak of.
func BenchmarkAttachTwo(b *testing.B) {
	remotes := map[string]*gittest.Remote{}
	for _, name := range []string{"eu", "us"} {
		files := make(map[string]string)
		for i := range 500 {
			maps.Copy(files, environmentOf(name+"-1", fmt.Sprintf("env-%d", i), "0"))
		}
		remotes[name] = gittest.New(b, files)
	}
	attach := func(together bool) {
		var s *several
		for _, share := range regions {
			if s == nil || !together {
				s = &several{bench: &bench{t: b}, remotes: remotes, shares: regions}
				s.openStore(nil)
				s.reopen()
			}
			s.add(share.Name, "main")
		}
	}
	b.Run("together", func(b *testing.B) {
		measured(b, func() { attach(true) })
	})
	b.Run("one by one", func(b *testing.B) {
		measured(b, func() { attach(false) })
	})
}
