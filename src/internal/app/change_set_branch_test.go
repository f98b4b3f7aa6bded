package app

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
)

// onBranches is a server with an attached repository, and another user's clone of that.
type onBranches struct {
	*running
	t      testing.TB
	remote *gittest.Remote
	token  string // of requests; "" without access control
}

// must sends a request, which has to be answered with a status.
func (b *onBranches) must(t testing.TB, status int, method, path, body string) string {
	t.Helper()
	got, _, text := b.as(t, b.token, method, path, body)
	if got != status {
		t.Fatalf("%s %s: status %d, want %d: %s", method, path, got, status, text)
	}
	return text
}

const (
	ownFile   = "environments/parameters/own.yaml"
	otherFile = "environments/parameters/other.yaml"
	madeFile  = "environments/parameters/made.yaml"
)

// paramSetFile is the file of a ParamSet of the site.
func paramSetFile(name, text string) string {
	return "name: " + name + "\nparameters:\n  a: " + text + "\n  b: 1\napplications: []\n"
}

func startOnBranches(t testing.TB, flags map[string]string) *onBranches {
	t.Helper()
	remote := gittest.New(t, map[string]string{ownFile: paramSetFile("own", "before"), otherFile: paramSetFile("other", "before")})
	given := map[string]string{"instance-repo-interval": "50ms"}
	for name, text := range flags {
		given[name] = text
	}
	return &onBranches{running: withGit(t, remote, given), t: t, remote: remote}
}

// git runs Git in the other user's clone.
func (b *onBranches) git(args ...string) string {
	b.t.Helper()
	out, err := gittest.Git(b.remote.Clone, args...)
	if err != nil {
		b.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

// branch is the last commit of a branch of the remote, "" if there is none.
func (b *onBranches) branch(name string) string {
	b.t.Helper()
	out, err := gittest.Git(b.remote.Dir, "for-each-ref", "--format=%(objectname)", "refs/heads/"+name)
	if err != nil {
		b.t.Fatalf("%v: %s", err, out)
	}
	return out
}

type shownChangeSet struct {
	Name, State, Version string
	Proposal             *struct {
		Branch, Into, Commit, By, Differs string
		Current                           bool
	}
	Merged *struct{ Position, Commit, By string }
}

func (b *onBranches) show(name string) (c shownChangeSet) {
	b.t.Helper()
	decode(b.t, b.must(b.t, 200, "GET", "/api/change-sets/"+url.PathEscape(name), ""), &c)
	return c
}

// stage makes a change set that changes own and creates made.
func (b *onBranches) stage(name, value string) {
	b.t.Helper()
	b.must(b.t, 201, "POST", "/api/change-sets", `{"name":"`+name+`","title":"Raise a","description":"As agreed."}`)
	b.restage(name, value)
	b.must(b.t, 201, "PUT", "/v2/param-sets/made?changeSet="+name, `{"metadata":{"name":"made"},"spec":{"parameters":{"c":3},"applications":[]}}`)
}

func (b *onBranches) restage(name, value string) {
	b.t.Helper()
	b.must(b.t, 200, "PATCH", "/v2/param-sets/own?changeSet="+name, `{"spec":{"parameters":{"a":"`+value+`"}}}`)
}

func (b *onBranches) propose(name string) shownChangeSet {
	b.t.Helper()
	b.must(b.t, 200, "POST", "/api/change-sets/"+name+"/propose", "")
	return b.show(name)
}

// TestProposedBranch proposes a change set, edits it and proposes it again, on both databases.
func TestProposedBranch(t *testing.T) {
	t.Parallel()
	t.Run("bolt", func(t *testing.T) { testProposedBranch(t, nil) })
	t.Run("mongo", func(t *testing.T) {
		testProposedBranch(t, map[string]string{"store": freshMongo(t).String()})
	})
}

func testProposedBranch(t *testing.T, flags map[string]string) {
	t.Helper()
	b := startOnBranches(t, flags)
	before := b.remote.Head()
	b.stage("c", "after")
	shown := b.propose("c")
	if p := shown.Proposal; p == nil || p.Branch != "change-set/c" || p.Into != "main" || !p.Current || p.Commit != b.branch("change-set/c") {
		t.Fatalf("proposed: %+v, the branch is at %s", shown.Proposal, b.branch("change-set/c"))
	}
	b.git("fetch", "-q", "origin")
	const from = "origin/change-set/c"
	if log := b.git("log", "--format=%P", from, "-1"); log != before {
		t.Errorf("the parent of the commit is %s, not %s", log, before)
	}
	wantMessage := "Raise a\n\nAs agreed.\n\ncreate siteParamSet/made\nupdate siteParamSet/own\n\nChange-Set: c"
	if message := b.git("log", "--format=%B", from, "-1"); message != wantMessage {
		t.Errorf("the message is\n%s", message)
	}
	if trailer := b.git("log", "--format=%(trailers:key=Change-Set,valueonly)", from, "-1"); trailer != "c" {
		t.Errorf("the trailer is %q", trailer)
	}
	if changed := b.git("diff", "--name-status", "origin/main", from); changed != "A\t"+madeFile+"\nM\t"+ownFile {
		t.Errorf("changed are\n%s", changed)
	}
	if head, text := b.remote.Head(), b.must(t, 200, "GET", "/v2/param-sets/own", ""); head != before || !strings.Contains(text, "before") {
		t.Errorf("proposing moved %s to %s, and own is %s", before, head, text)
	}

	if again := b.propose("c"); again.Proposal.Commit != shown.Proposal.Commit {
		t.Errorf("proposed again without a change: %+v", again.Proposal)
	}
	b.restage("c", "later")
	if edited := b.show("c"); edited.Proposal.Current || edited.Proposal.Commit != shown.Proposal.Commit {
		t.Errorf("after an edit: %+v", edited.Proposal)
	}
	onto := b.remote.Push("theirs", map[string]string{otherFile: paramSetFile("other", "theirs")})
	again := b.propose("c")
	b.git("fetch", "-q", "origin")
	if parent := b.git("log", "--format=%P", from, "-1"); parent != onto || again.Proposal.Commit == shown.Proposal.Commit || !again.Proposal.Current {
		t.Errorf("proposed again: %+v on %s, want %s", again.Proposal, parent, onto)
	}
	if text := b.git("show", from+":"+ownFile); !strings.Contains(text, "later") {
		t.Errorf("the branch says\n%s", text)
	}

	// What the merge of Dovetail itself would have written is what the branch has.
	b.must(t, 200, "POST", "/api/change-sets/c/merge", "")
	b.git("fetch", "-q", "origin")
	if diff := b.git("diff", again.Proposal.Commit, "origin/main"); diff != "" {
		t.Errorf("the merge wrote something else than the branch has:\n%s", diff)
	}
	if left := b.branch("change-set/c"); left != "" {
		t.Errorf("the branch is still at %s", left)
	}
	b.remote.Fsck()
}

// TestMergedBranch merges the branch of a change set in each way that Git hosts offer, also after others have pushed.
func TestMergedBranch(t *testing.T) {
	t.Parallel()
	const branch = "origin/change-set/c"
	for _, test := range []struct {
		name   string
		merge  [][]string // commands of Git on main
		moved  bool       // main, before the merge
		mongo  bool
		commit string // of which the merge consists: that of the branch, or main
	}{
		{name: "merge commit", merge: [][]string{{"merge", "-q", "--no-ff", "--no-edit", branch}}},
		{name: "fast-forward", merge: [][]string{{"merge", "-q", "--ff-only", branch}}},
		{name: "squash", merge: [][]string{{"merge", "-q", "--squash", branch}, {"commit", "-q", "-m", "Raise a (!7)"}}},
		{name: "rebase", moved: true, merge: [][]string{{"cherry-pick", branch}}},
		{name: "merge commit beside others", moved: true, merge: [][]string{{"merge", "-q", "--no-ff", "--no-edit", branch}}},
		{name: "squash beside others", moved: true, merge: [][]string{{"merge", "-q", "--squash", branch}, {"commit", "-q", "-m", "Raise a (!7)"}}},
		{name: "fast-forward, on MongoDB", mongo: true, merge: [][]string{{"merge", "-q", "--ff-only", branch}}},
		{name: "merge commit beside others, on MongoDB", mongo: true, moved: true, merge: [][]string{{"merge", "-q", "--no-ff", "--no-edit", branch}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			flags := map[string]string{}
			if test.mongo {
				flags["store"] = freshMongo(t).String()
			}
			b := startOnBranches(t, flags)
			b.stage("c", "after")
			proposed := b.propose("c")
			b.git("fetch", "-q", "origin")
			if test.moved { // also in the file that the change set changes, and in the same push as the merge
				b.remote.Commit("theirs", map[string]string{otherFile: paramSetFile("other", "theirs"),
					ownFile: strings.Replace(paramSetFile("own", "before"), "applications: []\n", "applications: []\nversion: \"7\"\n", 1)})
			}
			for _, command := range test.merge {
				b.git(command...)
			}
			if test.moved {
				b.remote.Commit("later", map[string]string{otherFile: paramSetFile("other", "later")})
			}
			b.git("push", "-q", "origin", "HEAD:main")
			commit := b.git("rev-parse", "HEAD")
			if test.moved {
				commit = b.git("rev-parse", "HEAD^")
			}
			eventually(t, "the change set is merged", func() bool { return b.show("c").State == "merged" })
			shown := b.show("c")
			if shown.Merged.Commit != commit || shown.Merged.By != "system:instance-repository" || shown.Proposal.Commit != proposed.Proposal.Commit {
				t.Errorf("merged as %+v of %+v, want %s", shown.Merged, shown.Proposal, commit)
			}
			var transaction struct {
				Origin, Message string
				Changes         []struct{ ID string }
			}
			decode(t, b.must(t, 200, "GET", "/v2/transactions/"+shown.Merged.Position, ""), &transaction)
			var ids []string
			for _, c := range transaction.Changes {
				ids = append(ids, c.ID)
			}
			for _, id := range []string{"changeSet/c", "siteParamSet/made", "siteParamSet/own"} {
				if !strings.Contains(strings.Join(ids, " "), id) {
					t.Errorf("the transaction of the merge changes %q", ids)
				}
			}
			if wantMessage := b.git("log", "--format=%B", "-1", commit); transaction.Origin != "git:"+commit || transaction.Message != wantMessage {
				t.Errorf("the transaction is of %s: %s", transaction.Origin, transaction.Message)
			}
			if text := b.must(t, 200, "GET", "/v2/param-sets/own", ""); !strings.Contains(text, `"after"`) || strings.Contains(text, `"7"`) != test.moved {
				t.Errorf("own is %s", text)
			}
			b.must(t, 200, "GET", "/v2/param-sets/made", "")
			if test.moved {
				eventually(t, "what came after it is there", func() bool {
					return strings.Contains(b.must(t, 200, "GET", "/v2/param-sets/other", ""), "later")
				})
			}
			b.must(t, 201, "POST", "/api/change-sets/c/revert", "")
			b.must(t, 200, "POST", "/api/change-sets/revert-c/merge", "")
			if text, _ := b.remote.Show(ownFile); !strings.Contains(text, "before") {
				t.Errorf("reverted, the file says\n%s", text)
			}
		})
	}
}

// TestBranchMergedOtherwise merges a branch that others changed: the change set stays open, and says what differs.
func TestBranchMergedOtherwise(t *testing.T) {
	t.Parallel()
	b := startOnBranches(t, nil)
	b.stage("c", "after")
	b.propose("c")
	b.git("fetch", "-q", "origin")
	b.git("merge", "-q", "--no-ff", "--no-edit", "origin/change-set/c")
	b.remote.Commit("tweak", map[string]string{ownFile: paramSetFile("own", "tweaked")})
	b.git("reset", "-q", "--soft", "origin/main")
	b.git("commit", "-q", "-m", "Raise a (!7)\n\nChange-Set: c")
	b.git("push", "-q", "origin", "HEAD:main")
	commit := b.remote.Head()
	eventually(t, "the difference is noted", func() bool { return b.show("c").Proposal.Differs == commit })
	if shown := b.show("c"); shown.State != "open" {
		t.Errorf("it is %+v", shown)
	}
	b.must(t, 200, "GET", "/v2/param-sets/made", "") // as anything that others push
	var check struct {
		Mergeable bool
		Conflicts []struct{ ID, Path string }
		Remaining json.RawMessage
	}
	decode(t, b.must(t, 200, "GET", "/api/change-sets/c/check", ""), &check)
	if check.Mergeable || len(check.Conflicts) != 1 || check.Conflicts[0].ID != "siteParamSet/own" || check.Conflicts[0].Path != "/spec/parameters/a" {
		t.Errorf("the check is %+v", check)
	}
	b.must(t, 409, "POST", "/api/change-sets/c/propose", "")
	b.must(t, 200, "POST", "/api/change-sets/c/rebase", `{"resolve":[{"id":"siteParamSet/own","path":"/spec/parameters/a","take":"staged"}]}`)
	decode(t, b.must(t, 200, "GET", "/api/change-sets/c/check", ""), &check)
	if text := string(check.Remaining); !check.Mergeable || !strings.Contains(text, `"tweaked"`) || !strings.Contains(text, `"after"`) || strings.Contains(text, "made") {
		t.Errorf("rebased, the check is %+v, with %s", check, text)
	}
	again := b.propose("c")
	if p := again.Proposal; p.Differs != "" || !p.Current {
		t.Errorf("proposed again: %+v", p)
	}
	b.git("fetch", "-q", "origin")
	b.git("merge", "-q", "--ff-only", "origin/change-set/c")
	b.git("push", "-q", "origin", "HEAD:main")
	eventually(t, "the change set is merged", func() bool { return b.show("c").State == "merged" })
}

// TestProposalRefused proposes what cannot be proposed: nothing is pushed, and the change set stays as it was.
func TestProposalRefused(t *testing.T) {
	t.Parallel()
	b := startOnBranches(t, nil)
	b.must(t, 201, "POST", "/api/change-sets", `{"name":"empty"}`)
	b.must(t, 201, "POST", "/api/change-sets", `{"name":"odd..name"}`)
	b.must(t, 201, "PUT", "/v2/param-sets/made?changeSet=odd..name", `{"metadata":{"name":"made"},"spec":{"parameters":{"c":3},"applications":[]}}`)
	b.must(t, 201, "POST", "/api/change-sets", `{"name":"mixed"}`)
	b.must(t, 201, "PUT", "/v2/param-sets/made?changeSet=mixed", `{"metadata":{"name":"made"},"spec":{"parameters":{"c":3},"applications":[]}}`)
	b.must(t, 201, "POST", "/v2/sources?changeSet=mixed", named("q"))
	b.must(t, 200, "PUT", "/v2/param-sets/own/status?changeSet=mixed", `{"seen":true}`)
	b.stage("c", "after")
	refs := func() string { return b.git("ls-remote", "origin") }
	before := refs()
	for _, test := range []struct {
		name, set, body string
		status          int
		says            []string
	}{
		{"nothing staged", "empty", "", 409, []string{"changes nothing"}},
		{"of no repository", "mixed", "", 422, []string{"NOT_IN_REPOSITORY", "source/q: the instance repository does not hold documents of the kind source", "siteParamSet/own: the instance repository does not hold the status"}},
		{"a name that is none of a branch", "odd..name", "", 400, []string{"change-set/odd..name"}},
		{"an option", "c", `{"branch":"--exec=x"}`, 400, []string{"not the name of a branch"}},
		{"a tag", "c", `{"branch":"refs/tags/v1"}`, 400, []string{"not the name of a branch"}},
		{"a full reference", "c", `{"branch":"refs/heads/x"}`, 400, []string{"not the name of a branch"}},
		{"out of the folder", "c", `{"branch":"../../config"}`, 400, []string{"not the name of a branch"}},
		{"the branch that is followed", "c", `{"branch":"main"}`, 400, []string{"the one that the store follows"}},
		{"a refspec", "c", `{"branch":"x:main"}`, 400, []string{"not the name of a branch"}},
		{"an unknown member", "c", `{"brunch":"x"}`, 400, []string{"brunch"}},
		{"an unknown change set", "none", "", 404, nil},
	} {
		status, text := b.call(t, "POST", "/api/change-sets/"+test.set+"/propose", test.body)
		if status != test.status {
			t.Errorf("%s: %d %s", test.name, status, text)
		}
		for _, says := range test.says {
			if !strings.Contains(text, says) {
				t.Errorf("%s: it does not say %s: %s", test.name, says, text)
			}
		}
		if test.status != 404 && b.show(test.set).Proposal != nil {
			t.Errorf("%s: it is recorded as proposed", test.name)
		}
	}
	if after := refs(); after != before {
		t.Errorf("the remote has\n%s\nand had\n%s", after, before)
	}
	b.must(t, 200, "POST", "/api/change-sets/odd..name/propose", `{"branch":"odd"}`)

	b.remote.Hook("pre-receive", "exit 1")
	if text := b.must(t, 403, "POST", "/api/change-sets/c/propose", ""); !strings.Contains(text, "repository refused") || b.show("c").Proposal != nil {
		t.Errorf("a remote that refuses it: %s, %+v", text, b.show("c").Proposal)
	}
	b.remote.Hook("pre-receive", "")
	b.propose("c")
	b.restage("c", "later")
	proposed := b.show("c").Proposal.Commit
	b.remote.Hook("pre-receive", "exit 1")
	b.must(t, 403, "POST", "/api/change-sets/c/propose", "")
	if p := b.show("c").Proposal; p.Commit != proposed || p.Current {
		t.Errorf("refused again: %+v, want %s", p, proposed)
	}
	b.must(t, 200, "POST", "/api/change-sets/c/close", "") // the branch stays, since the remote keeps it
	if p := b.show("c").Proposal; p == nil || b.branch(p.Branch) != proposed {
		t.Errorf("closed: %+v", p)
	}
	b.remote.Hook("pre-receive", "")

	without := start(t, nil)
	without.must(t, 201, "POST", "/api/change-sets", `{"name":"c"}`)
	if text := without.must(t, 409, "POST", "/api/change-sets/c/propose", ""); !strings.Contains(text, "NO_REPOSITORY") {
		t.Errorf("without a repository: %s", text)
	}
}

// TestForeignCommits keeps what others pushed to the branch of a change set.
func TestForeignCommits(t *testing.T) {
	t.Parallel()
	b := startOnBranches(t, nil)
	b.stage("c", "after")
	b.propose("c")
	b.git("fetch", "-q", "origin")
	b.git("checkout", "-q", "-b", "review", "origin/change-set/c")
	b.remote.Commit("a reviewer's", map[string]string{"README.md": "reviewed\n"})
	b.git("push", "-q", "origin", "HEAD:change-set/c", "HEAD:taken")
	foreign := b.branch("change-set/c")
	b.restage("c", "later")
	for _, body := range []string{"", `{"branch":"taken"}`, `{"branch":"change-set/c"}`} {
		if text := b.must(t, 409, "POST", "/api/change-sets/c/propose", body); !strings.Contains(text, "FOREIGN_COMMITS") || !strings.Contains(text, foreign) || !strings.Contains(text, "--branch") {
			t.Errorf("%s: %s", body, text)
		}
		if b.branch("change-set/c") != foreign || b.branch("taken") != foreign {
			t.Fatal("the foreign commit is gone")
		}
	}
	b.must(t, 200, "POST", "/api/change-sets/c/propose", `{"branch":"second"}`)
	if p := b.show("c").Proposal; p.Branch != "second" || p.Commit != b.branch("second") {
		t.Errorf("as another branch: %+v", p)
	}
	b.must(t, 200, "POST", "/api/change-sets/c/propose", `{"branch":"third"}`)
	if b.branch("second") != "" || b.branch("third") == "" || b.branch("change-set/c") != foreign {
		t.Error("a branch that was left is still there, or one of others is not")
	}

	b.must(t, 200, "POST", "/api/change-sets/c/close", "")
	if c := b.show("c"); c.State != "closed" || c.Proposal != nil || b.branch("third") != "" {
		t.Errorf("closed: %+v, the branch is at %s", c, b.branch("third"))
	}
	b.must(t, 409, "POST", "/api/change-sets/c/propose", "")
	b.must(t, 200, "POST", "/api/change-sets/c/reopen", "")
	b.must(t, 200, "POST", "/api/change-sets/c/propose", `{"branch":"fourth"}`)
	version := b.show("c").Version
	if status, _, text := b.ifMatch(t, "DELETE", "/api/change-sets/c", "other-1"); status != 412 || b.branch("fourth") == "" {
		t.Errorf("deleted as of another version: %d %s", status, text)
	}
	if status, _, text := b.ifMatch(t, "DELETE", "/api/change-sets/c", version); status != 204 || b.branch("fourth") != "" {
		t.Errorf("deleted: %d %s, the branch is at %s", status, text, b.branch("fourth"))
	}

	b.stage("d", "after")
	b.propose("d")
	b.git("push", "-q", "-f", "origin", "HEAD:change-set/d")
	b.must(t, 200, "POST", "/api/change-sets/d/close", "")
	if c := b.show("d"); c.State != "closed" || c.Proposal == nil || b.branch("change-set/d") != foreign {
		t.Errorf("closed with commits of others: %+v, the branch is at %s", c, b.branch("change-set/d"))
	}
	b.must(t, 204, "DELETE", "/api/change-sets/d", "")
	if b.branch("change-set/d") != foreign {
		t.Error("deleting the change set deleted a commit of others")
	}
}

// ifMatch sends a request about a version.
func (b *onBranches) ifMatch(t testing.TB, method, path, version string) (int, string, string) {
	t.Helper()
	request := b.request(t, method, path, "")
	request.Header.Set("If-Match", `"`+version+`"`)
	status, header, text := roundTrip(t, request)
	return status, header.Get("ETag"), text
}
