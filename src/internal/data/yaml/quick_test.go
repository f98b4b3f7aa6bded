package yaml

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/value"
)

// TestQuicklyAsTheLibrary reads all the YAML of the tests in both ways. Values and places must be the
// same, and most of what people write must go the quick way.
func TestQuicklyAsTheLibrary(t *testing.T) {
	files, documents, quickly := 0, 0, 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" && filepath.Ext(path) != ".yml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		sameAsLibrary(t, path, data)
		for _, document := range bytes.Split(data, []byte("\n---\n")) {
			q := quick{limits: value.Limits{}.WithDefaults(), meter: &meter{}}
			documents++
			if _, ok := q.document(string(document)+"\n", 1); ok {
				quickly++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d of %d documents quickly", files, quickly, documents)
	if files < 50 || quickly < documents/2 {
		t.Errorf("only %d of %d documents in %d files are read quickly", quickly, documents, files)
	}
}

// TestQuicklyOnMadeUpText reads what looks like YAML in both ways.
func TestQuicklyOnMadeUpText(t *testing.T) {
	pieces := []string{"a:", "b: ", "c: d", "'e': f", "\"g\": 'h'", "- ", "-", "- i", "- - j", "- k: l", "|", "m: |", "n: |-", "o: |+", "- |", "# p", "q: r # s", "t: u#v", "w: {}", "x: []", "- {}",
		"y: 'z'", "u: yes", "- Off", "v: 08", "- 010", "- 1:30", "- 1.", "- 2024-01-02", "0: 1", "- -1", "- 'it''s'", "text", "a:b", "k: #", "- #", "", " ", "---", "--- ", "a: b: c", "d: \"e\\\"\"", "f: &g h", "i: >", "null: 1", "j: ~", "k: null", "1.50", "- 0x1F", "l: 'm", "n: - o", "p: 'q' r", "- 's': t"}
	rapid.Check(t, func(r *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 9).Draw(r, "lines") {
			b.WriteString(strings.Repeat(" ", rapid.SampledFrom([]int{0, 0, 0, 1, 2, 2, 4}).Draw(r, "indent")))
			b.WriteString(rapid.SampledFrom(pieces).Draw(r, "piece"))
			b.WriteByte('\n')
		}
		text := b.String()
		if rapid.Bool().Draw(r, "cut") {
			text = strings.TrimSuffix(text, "\n")
		}
		sameAsLibrary(r, "made up", []byte(text))
	})
}

// sameAsLibrary reads a text in both ways.
func sameAsLibrary(t rapid.TB, name string, data []byte) {
	t.Helper()
	limits := value.Limits{Bytes: 1 << 24, Depth: 50, Values: 1 << 20}
	if check(data, limits) != nil {
		return
	}
	for _, classic := range []bool{false, true} {
		sameAsLibraryIn(t, classic, name, data, limits)
	}
}

func sameAsLibraryIn(t rapid.TB, classic bool, name string, data []byte, limits value.Limits) {
	t.Helper()
	got, ok := parseQuickly(classic, data, limits, &meter{})
	if !ok {
		return
	}
	want, errs := parseStream(&converter{classic: classic}, data, limits, &meter{})
	if errs.Total() > 0 {
		t.Fatalf("%s: read quickly as %s, but %v", name, value.NewList(got...).JSON(), errs)
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d documents, not %d", name, len(got), len(want))
	}
	for i := range got {
		if !same(got[i], want[i]) {
			t.Fatalf("%s: %q\nquickly %s\nlibrary %s", name, data, dump(got[i]), dump(want[i]))
		}
	}
}

// same is like value.Equal, with places and the order of members.
func same(a, b *value.Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text || a.Line != b.Line || a.Column != b.Column || len(a.Items) != len(b.Items) || len(a.Members) != len(b.Members) {
		return false
	}
	for i := range a.Items {
		if !same(a.Items[i], b.Items[i]) {
			return false
		}
	}
	for i, m := range a.Members {
		n := b.Members[i]
		if !same(m.Value, n.Value) {
			return false
		}
		m.Value, n.Value = nil, nil
		if !reflect.DeepEqual(m, n) {
			return false
		}
	}
	return true
}

// dump shows the places too.
func dump(v *value.Value) string {
	var b strings.Builder
	var walk func(*value.Value)
	walk = func(v *value.Value) {
		b.WriteString(v.Kind.String() + " " + v.Text + "@" + v.Position().String() + "(")
		for _, item := range v.Items {
			walk(item)
		}
		for _, m := range v.Members {
			b.WriteString(m.Name + ":")
			walk(m.Value)
		}
		b.WriteString(") ")
	}
	walk(v)
	return b.String()
}

// FuzzQuickly reads anything in both ways.
func FuzzQuickly(f *testing.F) {
	for _, seed := range []string{
		"a: 1\nb:\n  - c: d # e\n    f: |\n      g\n\n      h\n  - 'i''j'\n---\nk: {}\nl: []\n", "a:\n- b\n- - c\n  - d\nb: \"x\"\n", "- a\n# c\n- |-\n  x\n   y\n",
		"a: b\n  c\n", "a: b: c\n", "a:\nb: 1\n", "a: |\n\n  b\n", "a: x #y\nb: x#y\nc: #z\n", "'a': 1\n\"b\": 2\n", "a: -1\nb: 0x1F\nc: 1_000\nd: 1.50\ne: ~\nf: yes\n", "a: &x b\nc: *x\n",
		"- a: 1\n  b: 2\n -c\n", "a : b\n", "-\n", "- - a\n", "a:\n  b: 1\n c: 2\n", "--- \na: 1\n--- # c\nb: 2\n", "a: |+\n  b\n\n\n", "a: |\n  b", "? a\n: b\n", "a: >\n  b\n", "<<: a\n", "\u00e9: \u2028\n", "a: b\n...\n",
		"a: [b]\n", "a:  b  \n\n\n", "a: 'b'c\n", "a: 'b' #c\n", "a: {}#\n", "a:\n  # c\n  b\n", "a: null\nnull: b\n", "-a: b\n", "- -a\n- --- b\n", "a: 1\na: 2\n", "a: |\n  b\n # c\n", "a: |\n b\n   \n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { sameAsLibrary(t, "fuzz", data) })
}
