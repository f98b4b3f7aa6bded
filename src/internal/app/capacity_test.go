package app

import (
	"io/fs"
	"math"
	"testing"
)

func TestAvailableMemory(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		limit int64
		want  int64
	}{
		{"no container", nil, math.MaxInt64, math.MaxInt64},
		{"a limit of Go", nil, 1 << 29, 1 << 29},
		{"cgroup v2", map[string]string{cgroupLimits[0]: "536870912\n"}, math.MaxInt64, 1 << 29},
		{"cgroup v2 without limit", map[string]string{cgroupLimits[0]: "max\n"}, 1 << 30, 1 << 30},
		{"cgroup v1", map[string]string{cgroupLimits[1]: "268435456\n"}, 1 << 30, 1 << 28},
		{"the limit of Go is less", map[string]string{cgroupLimits[0]: "536870912\n"}, 1 << 28, 1 << 28},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := availableMemory(test.limit, func(name string) ([]byte, error) {
				text, ok := test.files[name]
				if !ok {
					return nil, fs.ErrNotExist
				}
				return []byte(text), nil
			})
			if got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}
