package gitsync_test

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestRaceOnTwoRepositories: writers of two repositories, beside pushes to both, lose nothing.
func TestRaceOnTwoRepositories(t *testing.T) {
	t.Parallel()
	const writers, writes = 4, 5
	files := map[string]map[string]string{"eu": {}, "us": {}}
	for name := range files {
		for w := range writers {
			maps.Copy(files[name], environmentOf(name+"-1", fmt.Sprintf("env-%d", w), "0"))
		}
		maps.Copy(files[name], environmentOf(name+"-1", "foreign", "0"))
	}
	s := newSeveral(t, regions, files)
	type outcome struct {
		name string
		w    int
		last string
		err  error
	}
	outcomes := make(chan outcome, 2*writers)
	for name := range files {
		for w := range writers {
			go func() {
				o := outcome{name: name, w: w}
				for i := 1; i <= writes && o.err == nil; i++ {
					text := fmt.Sprintf("%s %d %d", name, w, i)
					for {
						_, o.err = s.all.Apply(context.WithoutCancel(t.Context()), []store.Operation{s.bench.put(setOf(name+"-1", fmt.Sprintf("env-%d", w)), `{"name":"own","parameters":{"A":"`+text+`"}}`)},
							store.Options{}, gitsync.Commit{Author: fmt.Sprintf("writer %d", w), Message: text})
						if dovetail.CodeOf(o.err) != dovetail.CodeConflict { // another pushed
							break
						}
					}
					o.last = text
				}
				outcomes <- o
			}()
		}
	}
	for i := range 3 {
		for name, remote := range s.remotes {
			for { // until no writer was faster
				remote.Pull()
				remote.Commit(fmt.Sprintf("foreign %d", i), environmentOf(name+"-1", "foreign", strconv.Itoa(i+1)))
				if _, err := gittest.Git(remote.Clone, "push", "-q", "origin", "main"); err == nil {
					break
				}
				s.git(remote.Clone, "reset", "-q", "--hard", "HEAD~1")
			}
		}
	}
	for range 2 * writers {
		o := <-outcomes
		if o.err != nil {
			t.Fatal(o.err)
		}
		text, _ := s.remotes[o.name].Show(fmt.Sprintf("environments/%s-1/env-%d/Inventory/parameters/own.yaml", o.name, o.w))
		if stored := s.has(setOf(o.name+"-1", fmt.Sprintf("env-%d", o.w))); !strings.Contains(text, o.last) || !strings.Contains(stored, o.last) {
			t.Errorf("%s is lost: the file is %s, and the document %s", o.last, text, stored)
		}
	}
	s.sync()
	for name, remote := range s.remotes {
		log := s.git(remote.Dir, "log", "--format=%an: %s", "main")
		if own, foreign := strings.Count(log, "writer "), strings.Count(log, "foreign "); own != writers*writes || foreign != 3 {
			t.Errorf("%s has %d commits of writers and %d of others:\n%s", name, own, foreign, log)
		}
		if got := s.has(setOf(name+"-1", "foreign")); !strings.Contains(got, `"3"`) {
			t.Errorf("the last push to %s is not followed: %s", name, got)
		}
		remote.Fsck()
	}
	for finding, err := range s.store.Check(t.Context(), false) {
		t.Errorf("dovetail fsck: %v, %v", finding, err)
	}
}
