package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestManyWarnings: of many references without a target some are named, and the rest is counted, since finding the place of each in a large document
// takes as long as the document is.
func TestManyWarnings(t *testing.T) {
	s := openWith(t, "resources:\n  - name: app\n  - name: user\n    references:\n      - {name: app, at: 'spec.apps[*]'}\n", store.Config{WeakReferences: true})
	names := make([]string, 150)
	for i := range names {
		names[i] = fmt.Sprintf("%q", "a"+fmt.Sprint(i))
	}
	result := apply(t, s, `create user/u {"spec":{"apps":[`+strings.Join(names, ",")+`]}}`)
	if w := result.Outcomes[0].Warnings; len(w) != 101 || !strings.HasSuffix(w[100].Message, "refers to 50 more documents that do not exist") {
		t.Errorf("%d warnings: %v", len(w), w[len(w)-1])
	}
}

func TestWeakStore(t *testing.T) {
	s := openWith(t, testSchema, store.Config{WeakReferences: true})
	apply(t, s, "create project/p")
	result := apply(t, s, `create project/p/profile/x {"spec":{"app":"a"}}`)
	if w := result.Outcomes[0].Warnings; len(w) != 1 || w[0].Code != dovetail.CodeMissing || w[0].Missing[0] != "project/p/app/a" {
		t.Errorf("warnings: %v", w)
	}
	if _, err := s.Create(t.Context(), op(t, "create project/q/app/a")); dovetail.CodeOf(err) != dovetail.CodeMissing {
		t.Errorf("a parent must exist all the same: %v", err)
	}
}
