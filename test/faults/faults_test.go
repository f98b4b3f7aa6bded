package faults

import (
	"flag"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

var (
	duration = flag.Duration("faults", 0, "how long TestFaults runs; 0 skips it")
	seed     = flag.Uint64("seed", 0, "seed of TestFaults; 0 chooses one")
	replay   = flag.String("replay", "", "file with the history that TestReplay checks")
	crash    = flag.Bool("crash", false, "TestFaults crashes PostgreSQL, too: only where no other test uses it")
	folder   = flag.String("folder", "", "where logs and histories go; default a temporary folder, which is kept when the test fails")
)

// TestFaults runs processes under load and faults, and checks what clients saw.
func TestFaults(t *testing.T) {
	if *duration == 0 {
		t.Skip("-faults says how long it runs; .ci/run faults runs it")
	}
	place := workFolder(t)
	program, err := Build(t.Context(), place, nil)
	if err != nil {
		t.Fatal(err)
	}
	options := Options{Seed: *seed, Duration: *duration, Program: program, Folder: place, Crash: *crash}
	if options.Seed == 0 {
		options.Seed = uint64(time.Now().UnixNano()) % 1e9
	}
	t.Logf("-seed %d, logs in %s", options.Seed, place)
	history, summary, err := RunLoad(t.Context(), options)
	if history != nil {
		path := filepath.Join(place, "history.jsonl")
		if err := history.WriteFile(path); err != nil {
			t.Error(err)
		}
		t.Log(summary)
		report(t, history)
		if t.Failed() {
			t.Logf("check it again with -run 'TestReplay$' -replay %s", path)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// TestFaultsFindsLies runs processes whose database acknowledges some updates that it does not do: the checks must find it, with the
// same processes, faults and load as in TestFaults.
func TestFaultsFindsLies(t *testing.T) {
	if *duration == 0 {
		t.Skip("-faults says that such runs are wanted")
	}
	place := workFolder(t)
	program, err := Build(t.Context(), place, nil)
	if err != nil {
		t.Fatal(err)
	}
	var asked, lies atomic.Int64
	const every = 15
	history, summary, err := RunLoad(t.Context(), Options{Seed: 1, Duration: 20 * time.Second, Program: program, Folder: place,
		Kinds: []string{"messages delayed"}, Lie: func(request message) message {
			name, collection := request.command()
			if name != "update" || collection != "documents" && collection != "commits" || asked.Add(1)%every != 0 {
				return nil
			}
			lies.Add(1)
			return acknowledgement(request)
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d lies%s", lies.Load(), summary)
	findings := 0
	for _, check := range Checks {
		found := check.Find(history)
		t.Logf("%s: %d findings", check.Name, len(found))
		findings += len(found)
	}
	if findings == 0 || lies.Load() == 0 {
		t.Errorf("%d lies, %d findings", lies.Load(), findings)
	}
}

// TestReplay checks a history from its file.
func TestReplay(t *testing.T) {
	if *replay == "" {
		t.Skip("-replay names the file of a history")
	}
	history, err := ReadFile(*replay)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("-seed %d", history.Run.Seed)
	report(t, history)
}

// report runs all checks, and shows the first findings of each.
func report(t *testing.T, h *History) {
	t.Helper()
	const shown = 10
	for _, check := range Checks {
		began := time.Now()
		findings := check.Find(h)
		t.Logf("%s: %d findings (%v)", check.Name, len(findings), time.Since(began).Round(time.Millisecond))
		for i, finding := range findings {
			if i == shown {
				t.Errorf("%s: and %d more", check.Name, len(findings)-shown)
				break
			}
			t.Errorf("%s: %s", check.Name, finding)
		}
	}
}

// workFolder is the folder for the files of a run.
func workFolder(t *testing.T) string {
	t.Helper()
	if *folder != "" {
		if err := os.MkdirAll(*folder, 0o700); err != nil {
			t.Fatal(err)
		}
		return *folder
	}
	place, err := os.MkdirTemp("", "faults-") //nolint:usetesting // kept when the test fails
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !t.Failed() {
			_ = os.RemoveAll(place)
		}
	})
	return place
}
