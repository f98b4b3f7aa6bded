package app

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/store"
)

// readRecords reads the ids of all audit records, page by page.
func readRecords(t *testing.T, server *running, token, query string) (ids []string) {
	t.Helper()
	for after := ""; ; {
		_, _, text := server.as(t, token, "GET", "/v2/audit?"+query+after, "")
		var page struct {
			Items []store.AuditRecord `json:"items"`
			After string              `json:"after"`
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			t.Fatal(err)
		}
		for _, record := range page.Items {
			ids = append(ids, record.ID)
		}
		if page.After == "" {
			return ids
		}
		after = "&after=" + page.After
	}
}

func TestAudit(t *testing.T) {
	file, tokens := accessFile(t, accessRoles, "root", "ann")
	server := start(t, map[string]string{"access": file, "audit": "keep", "log-level": "info", "log-format": "json"})
	server.as(t, tokens["root"], "POST", "/v2/clusters", named("c1"))
	server.as(t, tokens["ann"], "POST", "/v2/clusters", named("c2"))
	var page struct {
		Items []store.AuditRecord `json:"items"`
		After string              `json:"after"`
	}
	status, _, text := server.as(t, tokens["root"], "GET", "/v2/audit?under=cluster/c1&from=2026-01-01&limit=1", "")
	if err := json.Unmarshal([]byte(text), &page); err != nil || status != 200 || len(page.Items) != 1 || page.Items[0].Principal != "root" || page.After != "" {
		t.Errorf("%d %s: %v", status, text, err)
	}
	all := readRecords(t, server, tokens["root"], "")
	backwards := readRecords(t, server, tokens["root"], "order=desc&limit=1")
	slices.Reverse(backwards)
	if len(all) < 2 || !slices.Equal(backwards, all) {
		t.Errorf("newest first, one by one: reversed %v, want %v", backwards, all)
	}
	for path, want := range map[string]int{"/v2/audit?from=yesterday": 400, "/v2/audit?under=x": 400, "/v2/audit?to=2026-01-01T00:00:00Z": 200, "/v2/audit?action=writes": 400, "/v2/audit?order=newest": 400, "/v2/audit?order=asc": 200, "/v2/audit?action=reveal&kind=cluster": 200, "/v2/audit?kind=clutser": 400} {
		if status, _, text := server.as(t, tokens["root"], "GET", path, ""); status != want {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if status, _, _ := server.as(t, tokens["ann"], "GET", "/v2/audit", ""); status != 403 {
		t.Errorf("ann sees who did what: %d", status)
	}
	for _, want := range []string{`"msg":"audit"`, `"principal":"root"`, `"principal":"ann"`, `"refused":"ann may not create any cluster`} {
		if !strings.Contains(server.logs.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, server.logs)
		}
	}
}

// TestAuditOfReadsAndLogins shows that reads of secrets, refused logins and dry runs are recorded, that an audit policy
// file is followed, and that the records verify.
func TestAuditOfReadsAndLogins(t *testing.T) {
	file, tokens := accessFile(t, accessRoles, "root", "ann")
	policy := filepath.Join(t.TempDir(), "audit.yaml")
	writeFile(t, policy, `rules:
- {level: none, users: ["system:*"], verbs: [read]}
- {level: none, kinds: [environment]}
- {level: request, kinds: [cluster, credential], verbs: [create, update]}
- {level: metadata, sensitive: true}
- {level: metadata, verbs: [login]}
`)
	server := start(t, map[string]string{"access": file, "audit": "keep", "audit-policy": policy})
	server.as(t, tokens["root"], "POST", "/v2/clusters", named("c1"))
	server.as(t, tokens["root"], "POST", "/v2/clusters/c1/environments", named("dev"))
	server.as(t, tokens["root"], "POST", "/v2/credentials", `{"metadata":{"name":"db"},"spec":{"type":"secret","data":{"secret":"swordfish"}}}`)
	server.as(t, tokens["root"], "PUT", "/v2/clusters/c2?dryRun=true", named("c2"))
	server.as(t, tokens["root"], "GET", "/v2/credentials/db", "")
	server.as(t, tokens["root"], "GET", "/v2/credentials/db?reveal=true", "")
	if status, _, text := server.as(t, tokens["root"], "GET", "/v2/clusters/c1?reveal=true", ""); status != 400 {
		t.Errorf("a cluster, which has no secrets, is revealed: %d %s", status, text)
	}
	server.as(t, tokens["root"], "GET", "/v2/credentials", "")
	server.as(t, tokens["root"], "GET", "/v2/clusters/c1", "")
	server.as(t, tokens["ann"], "GET", "/v2/credentials/db", "")
	server.as(t, tokens["ann"], "GET", "/v2/credentials/db?reveal=true", "")
	for range 3 {
		server.as(t, "dovetail_wrong", "GET", "/v2/clusters", "")
	}
	_, _, text := server.as(t, tokens["root"], "GET", "/v2/audit", "")
	if strings.Contains(text, "swordfish") {
		t.Errorf("a record holds a secret: %s", text)
	}
	var page struct{ Items []store.AuditRecord }
	decode(t, text, &page)
	var got []string
	for _, r := range page.Items {
		words := []string{r.Principal, string(r.Event)}
		if r.DryRun {
			words = append(words, "dry-run")
		}
		if r.Refused != "" {
			words = append(words, "refused")
		}
		for _, e := range r.Operations {
			words = append(words, string(e.ID), string(e.Data), e.DataOmitted)
		}
		got = append(got, strings.Join(strings.Fields(strings.Join(words, " ")), " "))
	}
	want := []string{
		`root cluster/c1 {"metadata":{"name":"c1"}}`, "root credential/db the kind is sensitive", `root dry-run cluster/c2 {"metadata":{"name":"c2"}}`,
		"root read credential/db", "root read credential/db", "root reveal credential/db", "ann read refused credential/db", "ann reveal refused credential/db", "login refused",
	}
	slices.Sort(got) // records of one millisecond are in no order
	slices.Sort(want)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if status, _, _ := server.as(t, tokens["ann"], "GET", "/v2/audit/verification", ""); status != 403 {
		t.Errorf("ann verifies records: %d", status)
	}
	for path, want := range map[string]int{"": 200, "?expect=1:abc": 400, "?expect=1:" + strings.Repeat("0", 64): 200} {
		if status, _, text := server.as(t, tokens["root"], "GET", "/v2/audit/verification"+path, ""); status != want {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	t.Setenv(cli.TokenVariable, tokens["root"])
	if text := command(t, 0, "", "audit", "verify", "--server", server.URL()); !strings.Contains(text, "not sealed yet") {
		t.Errorf("dovetail audit verify: %s", text)
	}
	if text := command(t, 0, "", "audit", "list", "--server", server.URL(), "--principal", "ann"); !strings.Contains(text, "read refused") {
		t.Errorf("dovetail audit list: %s", text)
	}
}
