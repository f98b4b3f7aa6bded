package faults

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
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
	runAll(t, options)
}

// runAll makes the runs that failed once, and then the one of the options, which is kept if it fails.
func runAll(t *testing.T, options Options) {
	t.Helper()
	rolling := options.Earlier != ""
	kept, err := readSeeds(seedFolder, rolling)
	if err != nil {
		t.Fatal(err)
	}
	run := func(c seedCase, keep bool) {
		t.Run(fmt.Sprint("seed ", c.Seed), func(t *testing.T) {
			of := options
			of.Seed, of.Duration, of.Kinds, of.Folder = c.Seed, c.Duration, c.Kinds, filepath.Join(options.Folder, fmt.Sprint("seed-", c.Seed))
			if err := os.MkdirAll(of.Folder, 0o700); err != nil {
				t.Fatal(err)
			}
			runOne(t, of)
			if t.Failed() && keep {
				c.Why = "a run failed"
				name, err := keepSeed(seedFolder, c)
				t.Logf("kept in %s, with which the next run begins: %v", name, err)
			}
		})
	}
	for _, c := range kept {
		run(c, false)
	}
	run(seedCase{Seed: options.Seed, Duration: options.Duration, Kinds: options.Kinds, Rolling: rolling}, true)
}

func runOne(t *testing.T, options Options) {
	t.Helper()
	t.Logf("-seed %d, logs in %s", options.Seed, options.Folder)
	history, summary, err := RunLoad(t.Context(), options)
	if history != nil {
		path := filepath.Join(options.Folder, "history.jsonl")
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

// TestSeedsAreKept keeps runs and reads them again, each for its test.
func TestSeedsAreKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "seeds")
	want := []seedCase{{Seed: 7, Duration: time.Minute, Why: "x"}, {Seed: 7, Duration: time.Second, Kinds: []string{rollingUpdate}, Rolling: true, Why: "y"}}
	for _, c := range want {
		if _, err := keepSeed(folder, c); err != nil {
			t.Fatal(err)
		}
	}
	for n, rolling := range []bool{false, true} {
		if got, err := readSeeds(folder, rolling); err != nil || !reflect.DeepEqual(got, want[n:n+1]) {
			t.Errorf("rolling %t: %+v, %v", rolling, got, err)
		}
	}
	for _, rolling := range []bool{false, true} { // those that are committed
		if _, err := readSeeds(seedFolder, rolling); err != nil {
			t.Error(err)
		}
	}
}

// TestRollingUpdates updates all processes to the last supported version and back, again and again at random moments, under load and with the
// faults of single processes: all that holds in TestFaults holds.
func TestRollingUpdates(t *testing.T) {
	if *duration == 0 {
		t.Skip("-faults says how long it runs; .ci/run versions runs it")
	}
	earlier, err := BuildSupported(t.Context())
	if missing := (errNoHistory{}); errors.As(err, &missing) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	place := workFolder(t)
	program, err := filepath.Abs(filepath.Join(place, "dovetail"))
	if err == nil {
		err = buildPlain(t.Context(), repository, program)
	}
	if err != nil {
		t.Fatal(err)
	}
	options := Options{Seed: max(1, *seed), Duration: *duration, Program: program, Earlier: earlier, Folder: place,
		Kinds: []string{rollingUpdate, "connections cut", "process killed", "messages delayed"}}
	runAll(t, options)
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
