package cli_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

func TestUnified(t *testing.T) {
	numbers := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintln(&b, i)
		}
		return b.String()
	}
	for _, test := range []struct{ name, was, is, want string }{
		{"equal", "a\nb\n", "a\nb\n", ""},
		{"both empty", "", "", ""},
		{"created", "", "a\n", "@@ -0,0 +1,1 @@\n+a\n"},
		{"deleted", "a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n"},
		{"in the middle", numbers(1, 9), strings.Replace(numbers(1, 9), "5", "five", 1),
			"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		{"at the end", "a\nb\n", "a\nb\nc\n", "@@ -1,2 +1,3 @@\n a\n b\n+c\n"},
		{"far apart", numbers(1, 12), "0\n" + numbers(1, 11), "@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -9,4 +10,3 @@\n 9\n 10\n 11\n-12\n"},
		{"close together", numbers(1, 7), "0\n" + numbers(1, 5) + "7\n", "@@ -1,7 +1,7 @@\n+0\n 1\n 2\n 3\n 4\n 5\n-6\n 7\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := test.want
			if want != "" {
				want = "--- old\n+++ new\n" + want
			}
			if got := cli.Unified("old", "new", test.was, test.is); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A diff, applied to the old text, gives the new one.
func TestUnifiedApplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a", "b", "c", "d: e", "", "-", "+ x"})
		was := rapid.SliceOfN(line, 0, 30).Draw(t, "was")
		is := rapid.SliceOfN(line, 0, 30).Draw(t, "is")
		diff := cli.Unified("old", "new", text(was), text(is))
		if got := text(patch(t, was, diff)); got != text(is) {
			t.Fatalf("got %q, want %q, by\n%s", got, text(is), diff)
		}
	})
}

// Large texts that differ throughout have one difference.
func TestUnifiedOfLargeTexts(t *testing.T) {
	var was, is []string
	for i := range 3000 {
		was, is = append(was, fmt.Sprint("old ", i)), append(is, fmt.Sprint("new ", i))
	}
	diff := cli.Unified("old", "new", text(was), text(is))
	if want := "--- old\n+++ new\n@@ -1,3000 +1,3000 @@\n-" + strings.Join(was, "\n-") + "\n+" + strings.Join(is, "\n+") + "\n"; diff != want {
		t.Error("not all removed and added")
	}
}

func text(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// patch applies a unified diff, and checks what it says of the old lines.
func patch(t *rapid.T, was []string, diff string) []string {
	var out []string
	at := 0
	for i, line := range strings.Split(strings.TrimSuffix(diff, "\n"), "\n") {
		switch {
		case i < 2 || line == "":
		case strings.HasPrefix(line, "@@ "):
			var start, count int
			if _, err := fmt.Sscanf(line, "@@ -%d,%d ", &start, &count); err != nil {
				if _, err := fmt.Sscanf(line, "@@ -%d ", &start); err != nil {
					t.Fatalf("no range in %s", line)
				}
				count = 1
			}
			if count > 0 {
				start--
			}
			out = append(out, was[at:start]...)
			at = start
		case line[0] == '+':
			out = append(out, line[1:])
		default:
			if was[at] != line[1:] {
				t.Fatalf("line %d is %q, not %q", at, was[at], line[1:])
			}
			if line[0] == ' ' {
				out = append(out, line[1:])
			}
			at++
		}
	}
	return append(out, was[at:]...)
}
