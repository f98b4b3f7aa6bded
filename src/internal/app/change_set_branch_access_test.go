package app

import (
	"strings"
	"testing"
)

const branchRoles = `roles:
- name: proposer
  rules: [{kinds: [changeSet], verbs: [read, create, update, delete]}, {kinds: [siteParamSet], verbs: [read]}]
- name: stager
  rules: [{kinds: [changeSet], verbs: [read, create, update]}, {kinds: [siteParamSet], verbs: [update, create]}]
bindings:
- {role: editor, users: [root, bob]}
- {role: viewer, users: [reader]}
- {role: proposer, users: [ann]}
- {role: stager, users: [blind]}`

// TestProposalAccess proposes as those who may not: it needs the rights on the change set, and those of the changes themselves.
func TestProposalAccess(t *testing.T) {
	t.Parallel()
	file, tokens := accessFile(t, branchRoles, "root", "bob", "reader", "ann", "blind", "norole")
	b := startOnBranches(t, map[string]string{"access": file})
	b.token = tokens["root"]
	b.stage("c", "after")
	before := b.git("ls-remote", "origin")
	for _, test := range []struct {
		who    string
		status int
		says   string
	}{
		{"", 401, ""}, {"norole", 403, ""}, {"reader", 403, ""}, {"ann", 403, "ann may not"}, {"blind", 403, "CHANGE_SET_UNREADABLE"},
	} {
		status, _, text := b.as(t, tokens[test.who], "POST", "/api/change-sets/c/propose", "")
		if status != test.status || !strings.Contains(text, test.says) {
			t.Errorf("%q: %d %s", test.who, status, text)
		}
		if test.who != "ann" && (strings.Contains(text, "siteParamSet") || strings.Contains(text, "after")) {
			t.Errorf("%q sees %s", test.who, text)
		}
	}
	if after := b.git("ls-remote", "origin"); after != before {
		t.Errorf("the remote has\n%s", after)
	}
	b.propose("c")
	b.git("fetch", "-q", "origin")
	if author := b.git("log", "-1", "--format=%an", "origin/change-set/c"); author != "root" {
		t.Errorf("the author is %s", author)
	}
}

// TestProtectionOfBranches merges branches that change protected documents on the Git host: that of an approved change set passes,
// with exactly what was approved, and nothing else.
func TestProtectionOfBranches(t *testing.T) {
	t.Parallel()
	file, tokens := accessFile(t, branchRoles+"\nprotect: [{on: [siteParamSet/own, siteParamSet/made], approvals: 1}]", "root", "bob", "reader", "ann", "blind")
	b := startOnBranches(t, map[string]string{"access": file})
	b.token = tokens["root"]
	eventually(t, "the repository is there", func() bool { return strings.Contains(b.must(t, 200, "GET", "/v2/param-sets", ""), "own") })
	eventually(t, "the protection is in force", func() bool { return strings.Contains(b.must(t, 200, "GET", "/v2/access", ""), "siteParamSet/made") })
	approve := func(name string) {
		t.Helper()
		if status, _, text := b.as(t, tokens["bob"], "POST", "/api/change-sets/"+name+"/reviews", `{"decision":"approve"}`); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
	}
	merge := func(branch string) string {
		t.Helper()
		b.git("fetch", "-q", "origin")
		b.git("checkout", "-q", "main")
		b.git("reset", "-q", "--hard", "origin/main")
		b.git("merge", "-q", "--squash", branch)
		b.git("commit", "-q", "-m", "merge of "+branch+"\n\nChange-Set: "+strings.TrimPrefix(branch, "origin/change-set/"))
		b.git("push", "-q", "origin", "HEAD:main")
		return b.remote.Head()
	}
	follows := func(head string) {
		t.Helper()
		eventually(t, "the store follows "+head, func() bool {
			return strings.Contains(b.must(t, 200, "GET", "/v2/instance-repositories/attached", ""), head)
		})
	}
	own := func(says string) {
		t.Helper()
		if text := b.must(t, 200, "GET", "/v2/param-sets/own", ""); !strings.Contains(text, says) {
			t.Fatalf("own is %s, want %s", text, says)
		}
	}

	// Without an approval the merge changes nothing that is protected, and an approval afterwards lets it pass.
	b.stage("late", "late")
	b.propose("late")
	head := merge("origin/change-set/late")
	follows(head)
	own("before")
	if c := b.show("late"); c.State != "open" || c.Proposal.Differs != head {
		t.Errorf("merged without an approval: %+v", c)
	}
	if text := b.must(t, 200, "GET", "/v2/instance-repositories/attached", ""); strings.Count(text, "PROTECTED") != 2 {
		t.Errorf("the defects are %s", text)
	}
	approve("late")
	eventually(t, "it is merged once it is approved", func() bool { return b.show("late").State == "merged" })
	own("late")
	if text := b.must(t, 200, "GET", "/v2/instance-repositories/attached", ""); strings.Contains(text, "PROTECTED") {
		t.Errorf("the defects are still %s", text)
	}

	// With an approval it passes at once.
	b.must(t, 201, "POST", "/api/change-sets", `{"name":"approved"}`)
	b.restage("approved", "approved")
	b.propose("approved")
	approve("approved")
	head = merge("origin/change-set/approved")
	eventually(t, "it is merged", func() bool { return b.show("approved").State == "merged" })
	own("approved")
	if commit := b.show("approved").Merged.Commit; commit != head {
		t.Errorf("merged as %s, not %s", commit, head)
	}

	// An approval is of the content: what others add to the branch does not pass, nor does another protected document.
	for _, test := range []struct {
		name  string
		files map[string]string
	}{
		{"another value", map[string]string{ownFile: paramSetFile("own", "sneaked")}},
		{"one more value", map[string]string{ownFile: strings.Replace(paramSetFile("own", "wanted"), "  b: 1\n", "  b: 1\n  sneaked: 1\n", 1)}},
		{"one more document", map[string]string{madeFile: paramSetFile("made", "sneaked")}},
	} {
		name := strings.ReplaceAll(test.name, " ", "-")
		b.must(t, 201, "POST", "/api/change-sets", `{"name":"`+name+`"}`)
		b.restage(name, "wanted")
		b.propose(name)
		approve(name)
		b.git("fetch", "-q", "origin")
		b.git("checkout", "-q", "-B", "tampered", "origin/change-set/"+name)
		b.remote.Commit("tamper", test.files)
		b.git("push", "-q", "-f", "origin", "HEAD:change-set/"+name)
		follows(merge("origin/change-set/" + name))
		for _, path := range []string{"own", "made"} {
			if text := b.must(t, 200, "GET", "/v2/param-sets/"+path, ""); strings.Contains(text, "sneaked") {
				t.Errorf("%s passed: %s", test.name, text)
			}
		}
		if c := b.show(name); test.name != "one more document" && c.State != "open" {
			t.Errorf("%s: it is %+v", test.name, c)
		}
		b.remote.Push("take it back", map[string]string{ownFile: paramSetFile("own", "approved"), madeFile: strings.Replace(paramSetFile("made", "x"), "  a: x\n  b: 1\n", "  c: 3\n", 1)})
		follows(b.remote.Head())
	}
}
