package cli

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/value"
)

func newVersionCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version and build",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return runVersion(s) },
	}
}

// Build says from what the program was built.
type Build struct {
	Version  string `json:"version"`            // of the module: "v1.2.0", or "(devel)"
	Revision string `json:"revision,omitempty"` // of the source code
	Modified bool   `json:"modified,omitempty"` // whether the source code differed from that
	Time     string `json:"time,omitempty"`     // of the revision
	Go       string `json:"go"`                 // of the compiler
}

// ReadBuild reads what the compiler recorded.
func ReadBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Build{Version: "unknown"}
	}
	b := Build{Version: info.Main.Version, Go: info.GoVersion}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Revision = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		case "vcs.time":
			b.Time = setting.Value
		}
	}
	return b
}

// String gives all of it in a line.
func (b Build) String() string {
	words := []string{b.Version}
	if b.Revision != "" {
		revision := b.Revision[:min(len(b.Revision), 12)]
		if b.Modified {
			revision += " with changes"
		}
		words = append(words, "("+strings.TrimSpace(revision+" "+b.Time)+")")
	}
	return strings.Join(append(words, b.Go), " ")
}

func runVersion(s *session) error {
	b := ReadBuild()
	item, err := valueOf(b)
	if err != nil {
		return err
	}
	result := shown{single: true, items: []*value.Value{item}, names: []string{b.Version}}
	result.table.add(fmt.Sprintf("dovetail %s", b))
	s.show(result)
	return nil
}
