package sd_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
)

func parse(t testing.TB, source, text string) *sd.Descriptor {
	t.Helper()
	if text == "" {
		return nil
	}
	descr, err := sd.Parse(source, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return descr
}

func jsonOf(descr *sd.Descriptor) string {
	if descr == nil {
		return ""
	}
	return string(descr.Value().JSON())
}

// TestProcess holds what the vectors leave open.
func TestProcess(t *testing.T) {
	const (
		a1      = `{"version":2.1,"applications":[{"version":"a:1","deployPostfix":"x"}]}`
		a1Basic = `{"applications":[{"version":"a:1","deployPostfix":"x"}]}`
		b1      = `{"note":"n","applications":[{"version":"b:1","deployPostfix":"y"}]}`
		text    = `{"applications":["a:1"]}`
		named   = `{"applications":[{"version":"a:1","deployPostfix":"ns-x"},{"version":"b:1","deployPostfix":"ns-y","alias":"b"},{"version":"c:1","deployPostfix":"what"}],` +
			`"userData":{"useDeployPostfixAsNamespace":true,"more":1},"deployGraph":[{"chunkName":"w","apps":["a:ns-x","b","c:what"]},{"chunkName":"v"}]}`
	)
	namespaces := map[string]string{"ns-x": "x", "ns-y": "y"}
	tests := []struct {
		name          string
		request       sd.Request
		in            []string
		full          string
		namespaces    map[string]string
		domain        *sd.Domain
		wantFull      string
		wantDelta     string
		warnings, err string
	}{
		{name: "the first SD is kept whole", request: sd.Request{Mode: sd.BasicMerge, Delta: true}, in: []string{b1}, wantFull: b1, wantDelta: b1},
		{name: "the first SDs are merged", request: sd.Request{Mode: sd.BasicMerge, Delta: true}, in: []string{a1, b1},
			wantFull:  `{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"b:1","deployPostfix":"y"}]}`,
			wantDelta: `{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"b:1","deployPostfix":"y"}]}`},
		{name: "no delta replaces", request: sd.Request{Mode: sd.ExtendedMerge}, in: []string{b1}, full: a1, wantFull: b1},
		{name: "replace", request: sd.Request{Mode: sd.Replace, Delta: true}, in: []string{b1}, full: a1, wantFull: b1},
		{name: "replace takes any form", request: sd.Request{Mode: sd.BasicMerge}, in: []string{text}, full: a1, wantFull: text},
		{name: "replace by several", request: sd.Request{Mode: sd.Replace}, in: []string{a1, b1}, full: a1,
			wantFull: `{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"b:1","deployPostfix":"y"}]}`},
		{name: "the first SD has the form of its mode", request: sd.Request{Mode: sd.BasicMerge, Delta: true}, in: []string{text}, err: "SD_INVALID_APPLICATION in0:1:18 /applications/0"},
		{name: "nothing to exclude from", request: sd.Request{Mode: sd.BasicExclusionMerge, Delta: true}, in: []string{a1}, wantFull: a1, wantDelta: a1, warnings: "SD_FULL_ABSENT in0:1:1"},
		{name: "warnings of all merges", request: sd.Request{Mode: sd.BasicExclusionMerge, Delta: true}, full: a1Basic, in: []string{b1, a1},
			wantFull: a1Basic, wantDelta: `{"applications":[{"version":"b:1","deployPostfix":"y"}]}`,
			warnings: "SD_NEW_APPLICATION_IGNORED in1:1:32 /applications/0, SD_NEW_APPLICATION_IGNORED in0:1:29 /applications/0"},
		{name: "what is wrong in the stored and the new SD", request: sd.Request{Mode: sd.BasicMerge, Delta: true}, full: text, in: []string{text},
			err: "SD_INVALID_APPLICATION full:1:18 /applications/0, SD_INVALID_APPLICATION in0:1:18 /applications/0"},
		{name: "nothing came in", request: sd.Request{Mode: sd.BasicMerge, Delta: true}, err: "SD_PARAM_MISSING "},

		{name: "known namespaces", request: sd.Request{Mode: sd.BasicMerge, Delta: true}, in: []string{b1}, namespaces: namespaces, wantFull: b1, wantDelta: b1},
		{name: "an unknown namespace", request: sd.Request{Mode: sd.BasicMerge, Delta: true}, in: []string{b1}, full: a1, namespaces: map[string]string{},
			wantFull: `{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"b:1","deployPostfix":"y"}]}`, wantDelta: b1,
			warnings: "SD_UNKNOWN_NAMESPACE in0:1:62 /applications/0/deployPostfix"},
		{name: "an unknown namespace of several SDs", request: sd.Request{Mode: sd.BasicMerge}, in: []string{a1, b1, b1}, namespaces: map[string]string{"x": "x"},
			wantFull: `{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"b:1","deployPostfix":"y"}]}`,
			warnings: "SD_UNKNOWN_NAMESPACE in1:1:29 /applications/0/deployPostfix"},
		{name: "enforced, with what else is wrong", request: sd.Request{Mode: sd.BasicMerge, Delta: true, EnforceNamespaces: true}, in: []string{b1}, full: text, namespaces: map[string]string{},
			err: "SD_UNKNOWN_NAMESPACE in0:1:62 /applications/0/deployPostfix, SD_INVALID_APPLICATION full:1:18 /applications/0"},
		{name: "what is excluded needs no namespace", request: sd.Request{Mode: sd.BasicExclusionMerge, Delta: true, EnforceNamespaces: true}, in: []string{b1}, full: b1, namespaces: map[string]string{},
			wantFull: `{"applications":[]}`, wantDelta: b1},
		{name: "namespaces of a blue-green domain", request: sd.Request{Mode: sd.BasicMerge, Delta: true, EnforceNamespaces: true}, in: []string{a1, b1},
			namespaces: map[string]string{"one": "x-origin", "two": "y-peer"}, domain: &sd.Domain{Origin: "ONE", Peer: "two"},
			wantFull:  `{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"b:1","deployPostfix":"y"}]}`,
			wantDelta: `{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"b:1","deployPostfix":"y"}]}`},
		{name: "folders of other namespaces", request: sd.Request{Mode: sd.BasicMerge, EnforceNamespaces: true}, in: []string{b1},
			namespaces: map[string]string{"one": "y-peer", "two": "y-origin"}, domain: &sd.Domain{Origin: "one", Peer: "two"}, err: "SD_UNKNOWN_NAMESPACE in0:1:62 /applications/0/deployPostfix"},
		{name: "names of namespaces", request: sd.Request{Mode: sd.ExtendedMerge, Delta: true}, in: []string{strings.ReplaceAll(strings.ReplaceAll(named, `{"version":"b:1","deployPostfix":"ns-y","alias":"b"},`, ""), `,"b",`, `,"a:ns-x",`)}, namespaces: namespaces,
			wantFull:  `{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"c:1","deployPostfix":"what"}],"userData":{"more":1},"deployGraph":[{"chunkName":"w","apps":["a:x","a:x","c:what"]},{"chunkName":"v"}]}`,
			wantDelta: `{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"c:1","deployPostfix":"what"}],"userData":{"more":1},"deployGraph":[{"chunkName":"w","apps":["a:x","a:x","c:what"]},{"chunkName":"v"}]}`,
			warnings:  "SD_UNKNOWN_NAMESPACE in0:1:92 /applications/1/deployPostfix"},
		{name: "an alias of its own stays", request: sd.Request{Mode: sd.BasicMerge}, in: []string{strings.Replace(named, `,{"version":"c:1","deployPostfix":"what"}`, "", 1)}, namespaces: namespaces,
			wantFull: `{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"b:1","deployPostfix":"y","alias":"b"}],"userData":{"more":1},"deployGraph":[{"chunkName":"w","apps":["a:x","b","c:what"]},{"chunkName":"v"}]}`},
		{name: "names of namespaces that are not known", request: sd.Request{Mode: sd.BasicMerge}, in: []string{named}, wantFull: named,
			warnings: "SD_UNKNOWN_NAMESPACE in0:1:51 /applications/0/deployPostfix, SD_UNKNOWN_NAMESPACE in0:1:92 /applications/1/deployPostfix, SD_UNKNOWN_NAMESPACE in0:1:145 /applications/2/deployPostfix"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var in []*sd.Descriptor
			for i, text := range test.in {
				in = append(in, parse(t, "in"+string(rune('0'+i)), text))
			}
			out, err := test.request.Process(in, sd.State{Full: parse(t, "full", test.full), Namespaces: test.namespaces, Domain: test.domain})
			if err != nil {
				if got := requestText(nil, err); got != test.err {
					t.Errorf("error %s\nwant  %s", got, test.err)
				}
				return
			}
			if test.err != "" {
				t.Fatalf("no error, want %s", test.err)
			}
			if got := jsonOf(out.Full); got != test.wantFull {
				t.Errorf("full %s\nwant %s", got, test.wantFull)
			}
			if got := jsonOf(out.Delta); got != test.wantDelta {
				t.Errorf("delta %s\nwant  %s", got, test.wantDelta)
			}
			var warnings []string
			for _, w := range out.Warnings {
				warnings = append(warnings, w.Reason+" "+w.Position.String())
			}
			if got := strings.Join(warnings, ", "); got != test.warnings {
				t.Errorf("warnings %s\nwant     %s", got, test.warnings)
			}
		})
	}
}

// An application that only the stored SD has is not said to be missing there.
func TestWarningOfSeveralExclusions(t *testing.T) {
	const a, b = `{"applications":[{"version":"a:1","deployPostfix":"x"}]}`, `{"applications":[{"version":"b:1","deployPostfix":"x"}]}`
	request := &sd.Request{Mode: sd.BasicExclusionMerge, Delta: true}
	out, err := request.Process([]*sd.Descriptor{parse(t, "a", a), parse(t, "b", b)},
		sd.State{Full: parse(t, "full", `{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"b:1","deployPostfix":"x"}]}`)})
	if err != nil || len(out.Warnings) != 1 {
		t.Fatal(out, err)
	}
	if got, want := out.Warnings[0].Message, "the application b:1 (deployPostfix x) is not in the SDs before it in the request and was ignored"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What stays keeps its position, all else has none, so that comments can be kept.
func TestPositionsOfResults(t *testing.T) {
	const text = "# c\nversion: 1\napplications:\n  # d\n  - {version: a:1, deployPostfix: x}\n"
	full := parse(t, "full", text)
	request := &sd.Request{Mode: sd.ExtendedMerge, Delta: true}
	in := parse(t, "in", `{"version":1,"applications":[{"version":"a:2","deployPostfix":"x"},{"version":"b:1","deployPostfix":"x"}]}`)
	out, err := request.Process([]*sd.Descriptor{in}, sd.State{Full: full})
	if err != nil {
		t.Fatal(err)
	}
	const want = "# c\nversion: 1\napplications:\n  # d\n  - {version: a:2, deployPostfix: x}\n  - version: b:1\n    deployPostfix: x\n"
	if got := string(yaml.Edit([]byte(text), full.Value(), out.Full.Value())); got != want {
		t.Errorf("got\n%s", got)
	}
	if v := out.Delta.Value(); v.Line != 0 || v.Get("applications").Items[0].Line != 0 {
		t.Error("the delta SD has positions")
	}
	request.Delta = false
	out, err = request.Process([]*sd.Descriptor{in}, sd.State{Full: full})
	if err != nil || out.Full.Value().Line != 0 {
		t.Errorf("the full SD that replaces another has positions, %v", err)
	}
}

func TestFoldEndsWithTheRequest(t *testing.T) {
	descr := parse(t, "sd.yaml", "version: 2.1\ntype: solutionDeploy\ndeployMode: composite\napplications:\n- version: a:1\n  deployPostfix: x\n")
	sds := make([]*sd.Descriptor, 100)
	for i := range sds {
		sds[i] = descr
	}
	gone := errors.New("gone")
	for _, allowed := range []int{3, 105} { // while they are checked, and while they are merged
		calls := 0
		_, err := sd.FoldUntil(func() error {
			if calls++; calls > allowed {
				return gone
			}
			return nil
		}, sd.BasicMerge, sds...)
		if !errors.Is(err, gone) || calls != allowed+1 {
			t.Errorf("%v after %d calls", err, calls)
		}
	}
}
