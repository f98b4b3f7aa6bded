package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// outsideTests has the tests of each row of the table of what fails outside, as PACKAGE/TEST.
var outsideTests = map[string][]string{
	"the disk of the embedded store is full, also at the start": {
		"store/bolt/kv/TestOpenWithoutWriting", "store/bolt/TestFullDisk", "store/bolt/TestDeleteOnFullDisk", "internal/app/TestDiskRefusesWrites"},
	"its file system is read-only, or the process may not write the file or its folder, also at the start": {
		"store/bolt/kv/TestOpenWithoutWriting", "internal/app/TestDiskRefusesWrites"},
	"the disk has no space for the temporary file of a long list": {"store/bolt/TestFullDiskWhileListing"},
	"the disk reports errors while a commit is written":           {"store/bolt/kv/TestSyncFails", "store/bolt/kv/TestFlushUncertain"},
	"files of the store are damaged":                              {"store/bolt/TestDamageIsNeverSilent", "store/bolt/TestDamagedCheckpointIsNeverSilent"},
	"MongoDB is cut off or frozen":                                {"test/soak/TestOutage", "store/mongo/TestNetworkCut", "store/mongo/TestNoServer", "store/mongo/TestSilence", "store/TestWritesOfACutProcessFailTogether"},
	"MongoDB is slow":                                             {"test/soak/TestSlowNetwork"},
	"the Git host or the branch is gone":                          {"internal/app/TestSeveralOfAServer", "internal/git/gitsync/TestWritesWithoutRepository"},
	"the history of the branch was rewritten":                     {"internal/git/gitsync/TestRewrittenHistory"},
	"the disk of a clone is full, read-only or fails":             {"internal/git/gitrepo/TestOutsideOfGit"},
	"a registry of artifacts does not answer":                     {"internal/git/artifact/TestMavenReportsTheWorst"},
	"the receiver of a webhook fails or is slow":                  {"internal/server/webhook/TestDeadLetters", "internal/server/webhook/TestSlowReceiver"},
	"the machine's clock jumps":                                   {"store/bolt/TestTimesNeverGoBack"},
	"the process has no file descriptors left":                    {"dovetail/TestOutside"},
}

// TestOutsideTable compares the table of the documentation with the tests: each row has tests that are there, and each metric is one
// that the page of metrics has.
func TestOutsideTable(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	_, section, _ := strings.Cut(read("docs/operations.md"), "## When something outside fails\n")
	section, _, _ = strings.Cut(section, "\n## ")
	metrics, rows := read("docs/observability.md"), make(map[string]bool)
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		row := strings.TrimSpace(cells[0])
		if len(cells) != 5 || row == "what fails" || strings.HasPrefix(row, "---") {
			continue
		}
		rows[row] = true
		if len(outsideTests[row]) == 0 {
			t.Errorf("no test of %q", row)
		}
		for _, metric := range regexp.MustCompile("`(dovetail_[a-z_]+)`").FindAllStringSubmatch(cells[4], -1) {
			if !strings.Contains(metrics, "`"+metric[1]+"`") {
				t.Errorf("%q: there is no metric %s", row, metric[1])
			}
		}
	}
	for row, tests := range outsideTests {
		if !rows[row] {
			t.Errorf("the documentation has no row of %q", row)
		}
		for _, name := range tests {
			folder, test := filepath.Split(name)
			files, err := filepath.Glob(filepath.Join(repository, "src", folder, "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				found = found || strings.Contains(string(text), "\nfunc "+test+"(t *testing.T)")
			}
			if !found {
				t.Errorf("%q: there is no test %s", row, name)
			}
		}
	}
}
