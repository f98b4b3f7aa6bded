package layering_test

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/store"
)

const (
	bucketG    = "/api/v1.0/buckets/g/documents"
	dataSchema = "---\nschema: deckhand/DataSchema/v1\nmetadata: {schema: metadata/Control/v1, name: example/Kind/v1}\n" +
		"data: {type: object, properties: {password: {type: string, pattern: %q}}}\n"
)

// asker sends a request as a principal.
type asker = func(who, method, path, body string) answer

func must(t testing.TB, a answer, status int) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("answered %d, want %d: %s", a.status, status, a.text)
	}
	return a
}

// twoWorlds are servers that differ in what the writer of bucket a may not read: what documents of bucket b hold.
func twoWorlds(t *testing.T) [2]asker {
	return worldsOf(t, [2]string{"{a: Ebony}", "{a: {b: [1, 2]}, z: 1}"})
}

// worldsOf are servers that differ in a secret, and in these values of documents of bucket b.
func worldsOf(t *testing.T, values [2]string) [2]asker {
	var worlds [2]asker
	for i, world := range []struct{ secret, value string }{{"Eagle-1", values[0]}, {"owl", values[1]}} {
		worlds[i] = accessServer(t)
		must(t, worlds[i]("root", "PUT", bucketG, policy), 200)
		must(t, worlds[i]("root", "PUT", bucketB, strings.Replace(secretDocument, "swordfish", world.secret, 1)+
			kind("source", "site", "data: "+world.value+"\n")+kind("above", "global", "  labels: {k: v}\ndata: "+world.value+"\n")), 200)
	}
	return worlds
}

// TestOracles tries to learn the content of a document without the right to read it, from whether and how a PUT is refused.
func TestOracles(t *testing.T) {
	usesPart := kind("x", "site", "  substitutions:\n    - src: {schema: example/Kind/v1, name: source, path: .a.b}\n      dest: {path: .password}\ndata: {user: admin}\n")
	usesPattern := kind("x", "site", "  substitutions:\n    - src: {schema: deckhand/Passphrase/v1, name: password, path: ., pattern: 'E(a)gle', match_group: 1}\n      dest: {path: .user, pattern: admin}\ndata: {user: admin}\n")
	taken := kind("x", "site", "    parentSelector: {k: v}\n    actions: [{method: delete, path: .z}]\ndata: {}\n")
	for _, test := range []struct {
		name, query, body string
		status            int
		class             string
	}{
		{name: "a pattern over a secret", body: kind("x", "site", usesSecret) + fmt.Sprintf(dataSchema, "^E"), status: 403, class: "HTTPForbidden"},
		{name: "a secret alone", body: kind("x", "site", usesSecret), status: 409, class: "SubstitutionSourceNotFound"},
		{name: "a part of a secret", body: usesPattern, status: 409, class: "SubstitutionSourceNotFound"},
		{name: "whether there is something at a path", body: usesPart, status: 409, class: "SubstitutionSourceNotFound"},
		{name: "a parent", body: kind("x", "site", inherits), status: 409, class: layering.ClassUnreadableConflict},
		{name: "whether a parent has a value", body: taken, status: 409, class: layering.ClassUnreadableConflict},
		{name: "checks left to rendering", query: "validate=structure", body: kind("x", "site", usesSecret), status: 403, class: "HTTPForbidden"},
		{name: "a schema alone", body: fmt.Sprintf(dataSchema, "^E"), status: 403, class: "HTTPForbidden"},
		{name: "a policy", body: strings.Replace(policy, "layering-policy", "other", 1), status: 403, class: "HTTPForbidden"},
		{name: "a document of another bucket", body: kind("source", "site", "data: {}\n"), status: 409, class: layering.ClassUnreadableConflict},
	} {
		t.Run(test.name, func(t *testing.T) {
			worlds := twoWorlds(t)
			for _, who := range []string{"writer", "blind"} {
				for _, query := range []string{"?dryRun=true&" + test.query, "?" + test.query} {
					first := worlds[0](who, "PUT", bucketA+query, test.body)
					second := worlds[1](who, "PUT", bucketA+query, test.body)
					if first.text != second.text {
						t.Errorf("%s %s: the answers differ:\n%s\n%s", who, query, first.text, second.text)
					}
					if first.status != test.status || first.class() != test.class {
						t.Errorf("%s %s: %d %s", who, query, first.status, first.text)
					}
					for _, hidden := range []string{"above", "bucket b", "buckets/b", "Bucket/b"} {
						if strings.Contains(first.text, hidden) {
							t.Errorf("%s %s: %s is named: %s", who, query, hidden, first.text)
						}
					}
				}
			}
		})
	}
}

// A principal that may read encrypted documents only redacted does not learn their content either: not by substituting
// them, and not by replacing one with a guess.
func TestOraclesOverRedactedSecrets(t *testing.T) {
	worlds := worldsOf(t, [2]string{"{a: 1}", "{a: 1}"})
	both := func(who, method, path, body string) answer {
		t.Helper()
		first, second := worlds[0](who, method, path, body), worlds[1](who, method, path, body)
		if withoutTimes(first.text) != withoutTimes(second.text) {
			t.Errorf("%s %s %s: the answers differ:\n%s\n%s", who, method, path, first.text, second.text)
		}
		return first
	}
	must(t, both("redacted", "PUT", bucketA, kind("x", "site", usesSecret)), 409)
	must(t, both("root", "PUT", bucketA+"?", kind("x", "site", usesSecret)+strings.NewReplacer("password", "mine", "swordfish", "mine").Replace(secretDocument)), 200)
	if a := must(t, both("redacted", "GET", "/api/v1.0/revisions/3/rendered-documents?metadata.name=x", ""), 200); !strings.Contains(a.text, "password: REDACTED") {
		t.Errorf("rendered: %s", a.text)
	}
	for _, guess := range []string{"Eagle-1", "owl", "mine"} {
		body := kind("x", "site", "data: {user: admin, password: "+guess+"}\n") + strings.NewReplacer("password", "mine", "swordfish", guess).Replace(secretDocument)
		dry := must(t, both("redacted", "PUT", bucketA+"?dryRun=true", body), 200)
		if !strings.Contains(dry.text, "/data/password") || !strings.Contains(dry.text, "revision: 4") {
			t.Errorf("%s: %s", guess, dry.text)
		}
	}
	must(t, both("redacted", "PUT", bucketA, kind("x", "site", "data: {user: admin, password: owl}\n")), 200)
	for _, path := range []string{"deepdiff/4", "diff/4", "rendered-documents", "origins?path=."} {
		both("redacted", "GET", "/api/v1.0/revisions/3/"+path, "")
	}
}

// A principal that may use a secret, but not read it, can substitute it, and learns nothing about it.
func TestUseOfSecrets(t *testing.T) {
	pattern := strings.Replace(usesSecret, "path: .}", "path: ., pattern: 'E(a)', match_group: 1}", 1)
	within := strings.Replace(usesSecret, "{path: .password}", "{path: .user, pattern: admin}", 1)
	for _, test := range []struct {
		name, common, body string
		status             int
	}{
		{name: "as it is", body: kind("x", "site", usesSecret), status: 200},
		{name: "what is not there", body: kind("x", "site", strings.Replace(usesSecret, "name: password", "name: other", 1)), status: 409},
		{name: "what is no secret", body: kind("x", "site", reads), status: 409},
		{name: "a part of it", body: kind("x", "site", pattern), status: 403},
		{name: "within a text", body: kind("x", "site", within), status: 403},
		{name: "checked by a schema", common: fmt.Sprintf(dataSchema, "^E"), body: kind("x", "site", usesSecret), status: 403},
		{name: "what is made of it has a pattern", body: kind("x", "site", usesSecret) + kind("y", "site",
			"  substitutions:\n    - src: {schema: example/Kind/v1, name: x, path: .password, pattern: '^(E)', match_group: 1}\n      dest: {path: .b}\ndata: {}\n"), status: 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			worlds := twoWorlds(t)
			for _, query := range []string{"?dryRun=true", ""} {
				var texts [2]string
				for i, as := range worlds {
					if test.common != "" && query != "" {
						must(t, as("root", "PUT", bucketG, policy+test.common), 200)
					}
					texts[i] = must(t, as("user", "PUT", bucketA+query, test.body), test.status).text
				}
				if texts[0] != texts[1] {
					t.Errorf("the answers differ:\n%s\n%s", texts[0], texts[1])
				}
			}
			if test.status != 200 {
				return
			}
			if a := must(t, worlds[0]("user", "GET", "/api/v1.0/revisions/3/rendered-documents", ""), 200); strings.Contains(a.text, "password") {
				t.Errorf("the user sees %s", a.text)
			}
			if a := must(t, worlds[0]("keeper", "GET", "/api/v1.0/revisions/3/rendered-documents?cleartext-secrets=true&metadata.name=x", ""), 200); !strings.Contains(a.text, "password: Eagle-1") {
				t.Errorf("the keeper sees %s", a.text)
			}
		})
	}
}

// A parent that the principal may not read does not appear in rendered documents, and documents that depend on it are left
// out.
func TestParentAcrossBuckets(t *testing.T) {
	as := twoWorlds(t)[0]
	must(t, as("root", "PUT", bucketA, kind("x", "site", inherits)), 200)
	for _, path := range []string{"rendered-documents", "origins?path=.", "rendered-documents?metadata.name=x"} {
		a := must(t, as("writer", "GET", "/api/v1.0/revisions/3/"+path, ""), 200)
		if strings.Contains(a.text, "Ebony") || strings.Contains(a.text, "name: x") {
			t.Errorf("%s: %s", path, a.text)
		}
	}
	if a := must(t, as("root", "GET", "/api/v1.0/revisions/3/rendered-documents?metadata.name=x", ""), 200); !strings.Contains(a.text, "Ebony") {
		t.Errorf("what root may see: %s", a.text)
	}
	// Put again beside something else it stays; changed it is refused.
	must(t, as("writer", "PUT", bucketA, kind("x", "site", inherits)+kind("y", "site", "data: {}\n")), 200)
	must(t, as("writer", "PUT", bucketA, kind("x", "site", strings.Replace(inherits, "c: 1", "c: 2", 1))+kind("y", "site", "data: {}\n")), 409)
	// Nor may what is made of it be substituted.
	if a := must(t, as("writer", "PUT", bucketA, kind("x", "site", inherits)+kind("y", "site", strings.Replace(reads, "name: source", "name: x", 1))), 409); a.class() != "SubstitutionSourceNotFound" {
		t.Errorf("substituted: %s", a.text)
	}
}

// TestOneBucketWriter shows that a principal with rights on one bucket can write it, and that the audit records name it.
func TestOneBucketWriter(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		var mu sync.Mutex
		told := make(map[string]int)
		as := accessServerOn(t, open(t), store.Audit{Report: func(_ context.Context, r store.AuditRecord) {
			mu.Lock()
			defer mu.Unlock()
			if r.DryRun {
				told["dry run"]++
			} else if r.Refused != "" {
				told["refused "+r.Principal]++
			} else {
				told[r.Principal]++
			}
		}})
		must(t, as("root", "PUT", bucketG, policy+kind("source", "global", "data: {a: shared}\n")), 200)
		must(t, as("root", "PUT", bucketB, secretDocument+kind("z", "site", usesSecret)), 200)
		mine := strings.NewReplacer("password", "mine").Replace(secretDocument)
		for i, step := range []struct{ method, path, body, want string }{
			{method: "PUT", path: bucketA, body: kind("x", "site", reads)},
			{method: "PUT", path: bucketA, body: kind("x", "site", strings.Replace(reads, "c: 1", "c: 2", 1)) + kind("y", "site", "data: {}\n")},
			{method: "PUT", path: bucketA + "?dryRun=true", body: kind("x", "site", strings.Replace(reads, "c: 1", "c: 3", 1)), want: "old: 2"},
			{method: "PUT", path: bucketA, body: kind("x", "site", reads) + mine},
			{method: "POST", path: "/api/v1.0/rollback/4"},
			{method: "PUT", path: bucketA, body: ""},
			{method: "POST", path: "/api/v1.0/rollback/3"},
			{method: "GET", path: "/api/v1.0/revisions/3/rendered-documents", want: "b: shared"},
		} {
			a := as("writer", step.method, step.path, step.body)
			if a.status != 200 && a.status != 201 || !strings.Contains(a.text, step.want) {
				t.Fatalf("step %d: %d %s", i+1, a.status, a.text)
			}
		}
		for _, refused := range []struct{ method, path, body string }{
			{method: "PUT", path: bucketB, body: kind("x", "site", "data: {}\n")},
			{method: "PUT", path: bucketB, body: ""},
			{method: "PUT", path: bucketC, body: ""},
			{method: "PUT", path: bucketC + "?dryRun=true", body: kind("q", "site", "data: {}\n")},
			{method: "POST", path: "/api/v1.0/rollback/1"},
			{method: "DELETE", path: "/api/v1.0/revisions"},
		} {
			a := must(t, as("writer", refused.method, refused.path, refused.body), 403)
			for _, hidden := range []string{"name: z", "/z", "password", "Bucket/b/layeringSchema/deckhand"} {
				if strings.Contains(a.text, hidden) {
					t.Errorf("%s %s names %s: %s", refused.method, refused.path, hidden, a.text)
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if told["writer"] != 6 || told["refused writer"] != 4 || told["dry run"] != 2 {
			t.Errorf("on record: %v", told)
		}
	})
}

// TestStoredKinds reads what the service stores through the document API, in two stores that differ in the names and contents
// of hidden buckets and documents: a principal that may not read all documents gets the same answers from both.
func TestStoredKinds(t *testing.T) {
	worlds := [2]asker{accessServer(t), accessServer(t)}
	for i, as := range worlds {
		hidden := []string{"hidden-one", "hidden-two"}[i]
		must(t, as("root", "PUT", bucketG, policy+kind("shared", "global", "data: {a: 1}\n")), 200)
		for _, text := range []string{"old", "new"} {
			must(t, as("root", "PUT", "/api/v1.0/buckets/"+hidden+"/documents", kind(hidden, "global", "data: {a: "+hidden+text+"}\n")), 200)
		}
		must(t, as("root", "PUT", bucketA, kind("x", "site", "data: {}\n")), 200)
		must(t, as("root", "POST", "/api/v1.0/revisions/3/tags/t", "{note: a}"), 201)
	}
	const revisions = "/v2/layering-revisions"
	for _, test := range []struct {
		name, path string
		shown      bool // to a principal that may read all documents
		status     int  // for one that may not; 0 for 200
	}{
		{name: "revisions", path: revisions + "?view=document", shown: true},
		{name: "a revision", path: revisions + "/3?view=document", shown: true},
		{name: "revisions of a bucket", path: revisions + "?fieldSelector=spec.buckets=hidden-one"},
		{name: "a tree", path: revisions + "/3?view=tree"},
		{name: "tags", path: revisions + "/3/layering-tags"},
		{name: "the index", path: revisions + "/3/layering-indexes/index", shown: true, status: 403},
		{name: "indexes", path: revisions + "/3/layering-indexes", shown: true},
		{name: "archived contents", path: "/v2/layering-contents", shown: true},
		{name: "the head", path: "/v2/layering-heads"},
		{name: "everything", path: "/v2/documents", shown: true},
		{name: "the service's list", path: "/api/v1.0/revisions", shown: true},
		{name: "the service's description", path: "/api/v1.0/revisions/3", shown: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, who := range []string{"indexer", "writer", "reporter"} {
				first, second := worlds[0](who, "GET", test.path, ""), worlds[1](who, "GET", test.path, "")
				if withoutRandom(first.text) != withoutRandom(second.text) {
					t.Errorf("%s: the answers differ:\n%s\n%s", who, first.text, second.text)
				}
				if strings.Contains(first.text, "hidden-one") && !strings.Contains(test.path, "hidden-one") {
					t.Errorf("%s sees %s", who, first.text)
				}
				if who == "indexer" && first.status != cmp.Or(test.status, 200) {
					t.Errorf("answered %d: %s", first.status, first.text)
				}
			}
			a := worlds[0]("archivar", "GET", test.path, "")
			if a.status != 200 || test.shown != strings.Contains(a.text, "hidden-one") && !strings.Contains(test.path, "hidden-one") {
				t.Errorf("who may read all documents sees %d %s", a.status, a.text)
			}
		})
	}
}

var random = regexp.MustCompile(`[a-z2-7]{26}|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// withoutRandom takes out of an answer of the API of documents what is random, and times.
func withoutRandom(text string) string { return random.ReplaceAllString(text, "") }

// What others need may not be taken away, and the refusal does not tell who they are.
func TestRemovalThatBreaksHiddenDocuments(t *testing.T) {
	as := accessServer(t)
	must(t, as("root", "PUT", bucketG, policy), 200)
	must(t, as("writer", "PUT", bucketA, kind("source", "site", "data: {a: 1}\n")), 200)
	must(t, as("root", "PUT", bucketB, kind("x", "site", reads)), 200)
	for _, query := range []string{"", "?dryRun=true"} {
		a := must(t, as("writer", "PUT", bucketA+query, ""), 409)
		if a.class() != layering.ClassUnreadableConflict || strings.Contains(a.text, "Kind") {
			t.Errorf("refused as %s", a.text)
		}
		if a := must(t, as("root", "PUT", bucketA+query, ""), 409); !strings.Contains(a.text, "Kind/v1 x") {
			t.Errorf("root learns %s", a.text)
		}
	}
}

// TestNonInterference holds two servers side by side that differ in what buckets hold that a principal may not read: it gets
// the same answers, byte by byte, by every read and every dry run.
func TestNonInterference(t *testing.T) {
	rounds.Checks(t, 8, 100)
	rapid.Check(t, func(rt *rapid.T) {
		worlds := [2]asker{accessServer(t), accessServer(t)}
		both := func(who, method, path, body string) answer {
			first, second := worlds[0](who, method, path, body), worlds[1](who, method, path, body)
			if a, b := withoutTimes(first.text), withoutTimes(second.text); first.status != second.status || a != b {
				rt.Fatalf("%s %s %s\n%s\ndiffers:\n%d %s\n%d %s", who, method, path, body, first.status, a, second.status, b)
			}
			return first
		}
		both("root", "PUT", bucketG, policy+kind("shared", "global", "  labels: {k: v}\ndata: {a: 1, b: {c: d}}\n"))
		writers := rapid.SampledFrom([]string{"writer", "blind", "redacted"})
		revisions := 1
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			if rapid.Bool().Draw(rt, "hidden") {
				names := drawNames(rt)
				statuses := [2]int{}
				for i, world := range worlds {
					statuses[i] = world("root", "PUT", bucketB, drawBucket(rt, names, "h", 10*(i+1))).status
				}
				if statuses != [2]int{200, 200} {
					rt.Skip("what is hidden is refused")
				}
				revisions++
			}
			who := writers.Draw(rt, "who")
			if who == "redacted" {
				who = "writer" // this one reads all buckets, so it sees how they differ; below only its secrets are hidden
			}
			body := drawBucket(rt, drawNames(rt), "a", 0)
			both(who, "PUT", bucketA+"?dryRun=true", body)
			if both(who, "PUT", bucketA, body).status == 200 {
				revisions++
			}
		}
		for n := 1; n <= revisions; n++ {
			base := fmt.Sprint("/api/v1.0/revisions/", n)
			for _, path := range []string{"", "/documents", "/rendered-documents", "/rendered-documents?limit=1", "/origins?path=.", "/origins?limit=2",
				"/validations", "/validations/detail", "/tags", "/diff/1", "/deepdiff/1", "/diff/0", "/deepdiff/0"} {
				for _, who := range []string{"writer", "blind", "reporter", "norole"} {
					both(who, "GET", base+path, "")
				}
			}
		}
		both("writer", "GET", "/api/v1.0/revisions", "")
		both("writer", "PUT", bucketB+"?dryRun=true", "")
		both("writer", "POST", "/api/v1.0/rollback/1", "")
	})
}

// drawNames draws the documents of a bucket by names, layers and what they refer to.
func drawNames(t *rapid.T) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"p", "q", "r", "s"}), 0, 3, rapid.ID).Draw(t, "names")
}

// drawBucket writes documents of a bucket with drawn links; their data differs by a number, and their names begin so that
// those of different buckets differ.
func drawBucket(t *rapid.T, names []string, prefix string, data int) string {
	var b strings.Builder
	for _, name := range names {
		switch link := (int(name[0]) + len(names)) % 4; {
		case prefix == "h": // what is hidden links in a fixed way, so that it differs in nothing but data
			fmt.Fprintf(&b, "%s", kind(prefix+name, "site", fmt.Sprintf("  labels: {h: %s}\n  storagePolicy: %s\n  substitutions:\n    - {src: {schema: example/Kind/v1, name: shared, path: .a}, dest: {path: .b}}\ndata: {a: %d, t: {x: %d}}\n",
				name, []string{"encrypted", "cleartext"}[link%2], data, data+1)))
		default:
			source := rapid.SampledFrom([]string{"shared", "hp", "hq", "ap", "none"}).Draw(t, "source")
			path := rapid.SampledFrom([]string{".a", ".t.x", ".b.c"}).Draw(t, "path")
			switch rapid.IntRange(0, 3).Draw(t, "link") {
			case 0:
				b.WriteString(kind(prefix+name, "site", inherits))
			case 1:
				fmt.Fprintf(&b, "%s", kind(prefix+name, "site", fmt.Sprintf("  substitutions:\n    - {src: {schema: example/Kind/v1, name: %s, path: %s}, dest: {path: .z}}\ndata: {a: 1}\n", source, path)))
			case 2:
				b.WriteString(kind(prefix+name, "site", "  storagePolicy: encrypted\ndata: {a: 2}\n"))
			default:
				b.WriteString(kind(prefix+name, "site", "data: {a: 3}\n"))
			}
		}
	}
	return b.String()
}

// withoutTimes takes out of an answer when revisions were made.
func withoutTimes(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if at := strings.Index(line, "createdAt:"); at >= 0 {
			lines[i] = line[:at]
		}
	}
	return strings.Join(lines, "\n")
}
