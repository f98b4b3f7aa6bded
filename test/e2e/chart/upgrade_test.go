package chart_test

import (
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"testing"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chartutil"
	kubefake "helm.sh/helm/v3/pkg/kube/fake"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/storage"
	"helm.sh/helm/v3/pkg/storage/driver"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
)

// A release of the chart is recorded with -record, and the next version must be able to follow it.
var record = flag.Bool("record", false, "write the values and objects of this version of the chart, which the next one is tested against")

// previous are installations of the version before, as their users made them.
var previous = []struct{ name, values string }{
	{"embedded", "{}"},
	{"microservices", "{mode: microservices, store: {type: mongodb, mongodb: {uri: 'mongodb://db/dovetail'}}, services: {layering: {replicas: 1}}}"},
}

// token is one that the chart made.
var token = regexp.MustCompile(`dovetail_[A-Za-z0-9]{43}`)

// TestUpgrade upgrades releases of the previous version: with the values that their users gave, as helm upgrade -f does,
// and with those of the release, old defaults and all, as --reuse-values does. What cannot change in place must not.
func TestUpgrade(t *testing.T) {
	for _, p := range previous {
		old := "testdata/previous/" + p.name + ".yaml"
		defaults := "testdata/previous/values.yaml"
		if *record {
			r, err := render(load(t), parse(t, p.values))
			if err != nil {
				t.Fatal(err)
			}
			secretless := token.ReplaceAllString(manifests(r), "dovetail_recorded")
			for name, text := range map[string]string{old: secretless, defaults: example(t, "values.yaml")} {
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		manifest, err := os.ReadFile(old)
		if err != nil {
			t.Fatal(err)
		}
		before, err := decode(string(manifest))
		if err != nil {
			t.Fatal(err)
		}
		values, err := chartutil.ReadValuesFile(defaults)
		if err != nil {
			t.Fatal(err)
		}
		for _, reuse := range []bool{false, true} {
			t.Run(fmt.Sprint(p.name, "/reuse ", reuse), func(t *testing.T) {
				config := &action.Configuration{
					Releases:     storage.Init(driver.NewMemory()),
					KubeClient:   &kubefake.PrintingKubeClient{Out: io.Discard},
					Capabilities: chartutil.DefaultCapabilities.Copy(),
					Log:          func(string, ...any) {},
				}
				config.Capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.33.4", Major: "1", Minor: "33"}
				chartBefore := load(t)
				chartBefore.Values = values
				if err := config.Releases.Create(&release.Release{Name: "shop", Namespace: "store", Version: 1, Chart: chartBefore,
					Config: parse(t, p.values), Manifest: string(manifest), Info: &release.Info{Status: release.StatusDeployed}}); err != nil {
					t.Fatal(err)
				}
				upgrade := action.NewUpgrade(config)
				upgrade.Namespace, upgrade.ReuseValues = "store", reuse
				given := parse(t, p.values)
				if reuse {
					given = nil
				}
				r, err := upgrade.Run("shop", load(t), given)
				if err != nil {
					t.Fatal(err)
				}
				after, err := decode(manifests(r))
				if err != nil {
					t.Fatal(err)
				}
				for _, problem := range check(after) {
					t.Error(problem)
				}
				compareFixed(t, before, after)
			})
		}
	}
}

// compareFixed compares the immutable fields.
func compareFixed(t *testing.T, before, after []object) {
	t.Helper()
	for _, o := range before {
		switch o := o.(type) {
		case *apps.Deployment:
			if now := find[*apps.Deployment](t, after, o.GetName()); !reflect.DeepEqual(now.Spec.Selector, o.Spec.Selector) {
				t.Errorf("the selector of %s changes", o.GetName())
			}
		case *apps.StatefulSet:
			now := find[*apps.StatefulSet](t, after, o.GetName())
			if !reflect.DeepEqual(now.Spec.Selector, o.Spec.Selector) || now.Spec.ServiceName != o.Spec.ServiceName ||
				!reflect.DeepEqual(now.Spec.VolumeClaimTemplates, o.Spec.VolumeClaimTemplates) {
				t.Errorf("what cannot change of %s changes", o.GetName())
			}
		case *core.Service:
			find[*core.Service](t, after, o.GetName()) // others have its name written down
		case *core.Secret:
			find[*core.Secret](t, after, o.GetName())
		}
	}
}
