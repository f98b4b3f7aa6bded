package finder

import "testing"

func TestTier(t *testing.T) {
	for _, c := range []struct {
		name, term, path string
		want             tier
	}{
		{"the name", "dev", "c1/dev", whole},
		{"the path", "c1/dev", "c1/dev", whole},
		{"the beginning of the name", "de", "c1/dev", prefix},
		{"a word", "core", "c1/env-core", word},
		{"a word after a part", "core", "c1/encore-core", word},
		{"a part of the name", "ev", "c1/dev", inside},
		{"a document above", "c1", "c1/dev", above},
		{"the end of a path", "dev/co", "c1/dev/core", above},
		{"a part of the path", "1/d", "c1/dev", insidePath},
		{"letters of the name", "pgr", "c1/postgres", letters},
		{"letters of the path", "c1pg", "c1/postgres", pathLetters},
		{"letters in another order", "rgp", "c1/postgres", none},
		{"more letters than there are", "devv", "c1/dev", none},
		{"letters beyond ASCII", "ёж", "c1/ёлка-ж", letters},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := 0
			for i := range c.path {
				if c.path[i] == '/' {
					name = i + 1
				}
			}
			if got := (text{c.path, name}).tier(c.term); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
