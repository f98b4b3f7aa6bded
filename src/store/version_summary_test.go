package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

func TestSummarize(t *testing.T) {
	for _, test := range []struct {
		name   string
		writes []string // each one transaction
		want   []string // "op revision paths", newest first
	}{
		{name: "a creation", writes: []string{"create project/p"}, want: []string{"created 1 []"}},
		{name: "values", writes: []string{`create project/p {"spec":{"n":1,"m":{"a":1}}}`, `put project/p {"spec":{"n":2,"m":{"a":2}}}`},
			want: []string{"updated 2 [/spec/m/a /spec/n]", "created 1 []"}},
		{name: "members that come and go", writes: []string{`create project/p {"spec":{"n":1}}`, `put project/p {"spec":{"m":{"a":2}}}`},
			want: []string{"updated 2 [/spec/m /spec/n]", "created 1 []"}},
		{name: "lists", writes: []string{`create project/p {"spec":{"l":[1,2]}}`, `put project/p {"spec":{"l":[1,3]}}`, `put project/p {"spec":{"l":[1]}}`},
			want: []string{"updated 3 [/spec/l]", "updated 2 [/spec/l/1]", "created 1 []"}},
		{name: "deleted and created again", writes: []string{`create project/p {"spec":{"n":1}}`, "delete project/p", `create project/p {"spec":{"n":2}}`},
			want: []string{"created 1 []", "deleted 1 []", "created 1 []"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, testSchema)
			for _, write := range test.writes {
				apply(t, s, write)
			}
			var got []string
			for v, err := range store.Summarize(s.History(t.Context(), "project/p")) {
				if err != nil {
					t.Fatal(err)
				}
				slices.Sort(v.Paths)
				if v.Position == "" || v.Time.IsZero() || v.Files || v.Status || v.Erased {
					t.Errorf("got %+v", v)
				}
				got = append(got, fmt.Sprint(v.Op, " ", v.Version[strings.LastIndexByte(v.Version, '-')+1:], " ", v.Paths))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestSummarizeManyPaths(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, "create project/p")
	var members []string
	for n := range store.MaxPaths + 7 {
		members = append(members, fmt.Sprintf(`"m%d":1`, n))
	}
	apply(t, s, `put project/p {"spec":{}}`, "create project/q")
	apply(t, s, `put project/p {"spec":{`+strings.Join(members, ",")+`}}`)
	for v, err := range store.Summarize(s.History(t.Context(), "project/p")) {
		if err != nil || len(v.Paths) != store.MaxPaths || v.MorePaths != 7 {
			t.Errorf("got %d paths and %d more, %v", len(v.Paths), v.MorePaths, err)
		}
		break
	}
}

func TestSummarizeErrors(t *testing.T) {
	s := open(t, testSchema)
	for _, err := range store.Summarize(s.History(t.Context(), "project/none")) {
		if dovetail.CodeOf(err) != dovetail.CodeNotFound {
			t.Errorf("got %v", err)
		}
	}
}
