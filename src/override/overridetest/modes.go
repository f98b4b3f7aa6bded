package overridetest

import "testing"

// RunEffectiveSetMode sees, on a server with the override mode effective-set, that overrides count at once,
// and stand in the instance too.
func RunEffectiveSetMode(t *testing.T, start Start) {
	s := &Server{t, start(t, Inventory())}
	generated := make(map[place]string)
	s.each("1.2", "override a value at once", func(s *Server, p place, _ string) {
		of := place{environment, p.context, "env-01-core", "my-app"}
		if p.context == "pipeline" {
			of = place{environment, p.context, "", ""}
		}
		before := s.Must(200, "GET", effectiveSet+of.query(), "").Body
		if generated[of] == "" {
			generated[of] = before.Get("generated").Text[:len("2026-01-02T03:04:05")]
		}
		s.Must(201, "POST", overrides, p.body(`{"OVERRIDDEN":"by `+p.String()+`","${NEW.ж}":[null]}`))
		after := s.Must(200, "GET", effectiveSet+of.query(), "").Body
		want := "by " + p.String()
		if p.context == "pipeline" && p.namespace != "" {
			want = before.At("parameters", "OVERRIDDEN").Text
		}
		s.text("the value", after.At("parameters", "OVERRIDDEN").Text, want)
		s.text("the date of generation", after.Get("generated").Text[:len("2026-01-02T03:04:05")], generated[of])
		if changes := s.Must(200, "GET", effectiveSet+of.query()+"&view=to-be", "").Body.Get("changes"); len(changes.Items) > 0 {
			s.t.Errorf("there are still changes to come: %s", changes.JSON())
		}
		instance, attribute := "/v2/clusters/cluster-01/environments/env-01/namespaces/core", map[string]string{
			"deploy": "deployParameters", "runtime": "technicalConfigurationParameters", "pipeline": "e2eParameters"}[p.context]
		if p.application != "" {
			instance += "/applications/my-app"
		}
		parameters := s.Must(200, "GET", instance, "").Body.At("spec", attribute)
		s.text("in the instance", parameters.Get("OVERRIDDEN").Text, "by "+p.String())
		s.is("in the instance", parameters.Get("${NEW.ж}"), `[null]`)
	})
}
