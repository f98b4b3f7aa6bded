package layering_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// TestFailedValidations shows what failed of the newest revision, by what was reported last, and in the profile deckhand by the
// worst, with what a policy asks for.
func TestFailedValidations(t *testing.T) {
	type report struct{ validation, body string }
	const good, bad = "status: success\nvalidator: {name: s}\n", "status: failure\nvalidator: {name: s}\nerrors: [{message: the port is closed}, {message: the disk is full}]\n"
	many := "status: failure\nvalidator: {name: s}\nerrors: [" + strings.Repeat("{message: m}, ", dovetail.MaxErrors+2) + "]\n"
	const asked = "---\nschema: deckhand/ValidationPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: deploys}\ndata: {validations: [{name: smoke}]}\n"
	failed := func(name string, reported bool, count int, messages ...string) string {
		quoted := make([]string, len(messages))
		for i, m := range messages {
			quoted[i] = `"` + m + `"`
		}
		return fmt.Sprintf(`{"name":%q,"reported":%v,"messages":[%s],"errorCount":%d}`, name, reported, strings.Join(quoted, ","), count)
	}
	smoke := failed("smoke", true, 2, "the port is closed", "the disk is full")
	for _, test := range []struct {
		name    string
		profile rendering.Profile
		more    string // documents of the second revision
		reports []report
		want    []string
	}{
		{name: "nothing reported", reports: nil},
		{name: "one of two", reports: []report{{"2/validations/smoke", bad}, {"2/validations/lint", good}}, want: []string{smoke}},
		{name: "errors of another form", reports: []report{{"2/validations/smoke", "status: failure\nvalidator: {name: s}\nerrors: [plain, {message: m}, {other: 1}]\n"}},
			want: []string{failed("smoke", true, 3, "m")}},
		{name: "of an older revision", reports: []report{{"1/validations/smoke", bad}}},
		{name: "the last report counts", reports: []report{{"2/validations/smoke", bad}, {"2/validations/smoke", good}}},
		{name: "the worst report counts", profile: rendering.ProfileDeckhand, reports: []report{{"2/validations/smoke", bad}, {"2/validations/smoke", good}}, want: []string{smoke}},
		{name: "asked for and not reported", profile: rendering.ProfileDeckhand, more: asked, want: []string{failed("smoke", false, 0)}},
		{name: "not asked for", profile: rendering.ProfileDeckhand, more: asked, reports: []report{{"2/validations/smoke", good}, {"2/validations/lint", bad}}},
		{name: "many errors", reports: []report{{"2/validations/lint", many}},
			want: []string{failed("lint", true, dovetail.MaxErrors+2, strings.Split(strings.Repeat("m,", dovetail.MaxErrors)[:2*dovetail.MaxErrors-1], ",")...)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, newStore(t, apitest.OpenBolt(t)), layering.Options{Keys: newKeys(t), Profile: test.profile})
			empty := s.must(200, "GET", "/api/v1.0/failed-validations", "").text
			if want := `{"revision":0,"count":0,"results":[]}`; strings.TrimSpace(empty) != want {
				t.Errorf("of nothing: %s, want %s", empty, want)
			}
			s.must(200, "PUT", bucketA, policy)
			s.must(200, "PUT", bucketB, kind("x", "site", "  storagePolicy: cleartext\ndata: {}\n")+test.more)
			for _, r := range test.reports {
				s.must(201, "POST", "/api/v1.0/revisions/"+r.validation, r.body)
			}
			got := s.must(200, "GET", "/api/v1.0/failed-validations", "").text
			if want := fmt.Sprintf(`{"revision":2,"count":%d,"results":[%s]}`, len(test.want), strings.Join(test.want, ",")); strings.TrimSpace(got) != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestFailedValidationsAccess shows reports only to who may read them.
func TestFailedValidationsAccess(t *testing.T) {
	as := accessServer(t)
	if a := as("root", "PUT", bucketA, policy); a.status != 200 {
		t.Fatal(a.text)
	}
	if a := as("root", "POST", "/api/v1.0/revisions/1/validations/smoke", "status: failure\nvalidator: {name: s}\nerrors: [{message: swordfish}]\n"); a.status != 201 {
		t.Fatal(a.text)
	}
	for _, test := range []struct {
		who    string
		status int
		sees   bool
	}{
		{who: "root", status: 200, sees: true},
		{who: "reader", status: 200},
		{who: "norole", status: 200},
	} {
		t.Run(test.who, func(t *testing.T) {
			a := as(test.who, "GET", "/api/v1.0/failed-validations", "")
			if a.status != test.status || strings.Contains(a.text, "swordfish") != test.sees || strings.Contains(a.text, "smoke") != test.sees {
				t.Errorf("%d %s", a.status, a.text)
			}
		})
	}
}
