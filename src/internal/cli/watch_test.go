package cli_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// TestWatch shows what is there, and then every change, on a database and through a server.
func TestWatch(t *testing.T) {
	for _, way := range []string{"database", "server"} {
		for _, test := range []struct {
			name, args string
			want       [4]string // at first, and after each write: a watch that lags shows documents as they are by then
		}{
			{"a kind", "get clouds --in project/p1 --watch", [4]string{
				"listed     c1   1   2026-03-01T12:00:03Z\n",
				"created    c2   1   2026-03-01T12:00:04Z\n",
				"updated    c1   2   2026-03-01T12:00:05Z\n",
				"deleted    c2   -   -\n"}},
			{"names", "get clouds --watch -o name", [4]string{
				"listed project/p1/cloud/c1\n", "created project/p1/cloud/c2\n", "updated project/p1/cloud/c1\n", "deleted project/p1/cloud/c2\n"}},
			{"one document that is not there yet", "get cloud p1/c2 -w -o name", [4]string{
				"", "created project/p1/cloud/c2\n", "", "deleted project/p1/cloud/c2\n"}},
			{"by field", "get clouds -w -o name --fields spec.size=2", [4]string{
				"", "", "updated project/p1/cloud/c1\n", "deleted project/p1/cloud/c2\n"}},
			{"json", "get cloud p1/c2 -w -o json", [4]string{"",
				`{"op":"created","id":"project/p1/cloud/c2","time":"-","document":{"kind":"cloud","key":{"project":"p1","cloud":"c2"},"ifMatch":"u5-1","metadata":{"name":"c2"}}}` + "\n",
				"", `{"op":"deleted","id":"project/p1/cloud/c2","time":"-"}` + "\n"}},
			{"columns", "get clouds -w -o custom-columns=NAME:.metadata.name,SIZE:.spec.size", [4]string{"c1   <none>\n", "c2   <none>\n", "c1   2\n", ""}},
			{"labels", "get clouds -w -L tier", [4]string{
				"listed     p1/c1   1   2026-03-01T12:00:03Z   <none>\n",
				"created    p1/c2   1   2026-03-01T12:00:04Z   <none>\n",
				"updated    p1/c1   2   2026-03-01T12:00:05Z   <none>\n",
				"deleted    p1/c2   -   -\n"}},
			{"yaml", "get clouds -w -o yaml --in project/p1 --fields spec.size=2", [4]string{"", "",
				"---\nop: updated\nid: project/p1/cloud/c1\ntime: -\ndocument:\n  kind: cloud\n  key:\n    project: p1\n    cloud: c1\n" +
					"  ifMatch: u3-2\n  metadata:\n    name: c1\n  spec:\n    size: 2\n",
				"---\nop: deleted\nid: project/p1/cloud/c2\ntime: -\n"}},
		} {
			t.Run(test.name+"/"+way, func(t *testing.T) {
				t.Chdir(t.TempDir())
				writeFile(t, "start.yaml", "[{kind: project, metadata: {name: p1}}, {kind: cloud, key: {project: p1}, metadata: {name: c1}}]")
				writeFile(t, "c1.yaml", "{kind: cloud, key: {project: p1}, metadata: {name: c1}, spec: {size: 2}}")
				writeFile(t, "c2.yaml", "{kind: cloud, key: {project: p1}, metadata: {name: c2}}")
				deps := newDeps(t, way == "server")
				do := func(command string) {
					t.Helper()
					if _, errs, code := runCommand(t.Context(), t, deps, command); code != 0 {
						t.Fatal(errs)
					}
				}
				do("dovetail apply -f start.yaml")
				w := startWatch(t, deps, strings.Fields(test.args))
				for i, command := range []string{"", "dovetail apply -f c2.yaml", "dovetail apply -f c1.yaml", "dovetail delete -f c2.yaml"} {
					if command != "" {
						do(command)
					}
					if got := w.read(strings.Count(test.want[i], "\n")); got != test.want[i] {
						t.Errorf("after %q: got\n%s\nwant\n%s", command, got, test.want[i])
					}
				}
				if code := w.stop(); code != 0 {
					t.Errorf("a watch that is ended gave %d", code)
				}
			})
		}
	}
}

// watching is a watch that runs.
type watching struct {
	lines  chan string // with room for all that a test expects
	cancel context.CancelFunc
	code   chan int
}

// startWatch returns once the watch will see what comes.
func startWatch(t *testing.T, deps cli.Deps, args []string) *watching {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	w := &watching{lines: make(chan string, 100), cancel: cancel, code: make(chan int, 1)}
	go func() {
		defer close(w.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			w.lines <- lines.Text() + "\n"
		}
	}()
	connect := deps.Connect
	begun := make(chan struct{})
	deps.Connect = func(server cli.Server) (cli.Store, error) {
		st, err := connect(server)
		return &signalling{st, begun}, err
	}
	deps.Out = in
	go func() {
		code := cli.Run(ctx, deps, args)
		_ = in.Close()
		w.code <- code
	}()
	t.Cleanup(func() { cancel(); _ = out.Close() })
	<-begun
	return w
}

// read returns so many lines, with the times of events, which differ from run to run, as a dash.
func (w *watching) read(lines int) string {
	var b strings.Builder
	for range lines {
		line, open := <-w.lines
		if at := strings.Index(line, `"time":"`); at >= 0 {
			end := at + len(`"time":"`) + strings.IndexByte(line[at+len(`"time":"`):], '"')
			line = line[:at] + `"time":"-` + line[end:]
		}
		if strings.HasPrefix(line, "time: ") {
			line = "time: -\n"
		}
		b.WriteString(line)
		if !open {
			break
		}
	}
	return b.String()
}

func (w *watching) stop() int {
	w.cancel()
	return <-w.code
}
