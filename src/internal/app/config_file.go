package app

import (
	"os"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// readConfigFile reads a YAML file: one object, whose members are settings. A list means its items
// separated by commas.
func readConfigFile(name string) (source, []*dovetail.Error) {
	found := make(map[string]setTo)
	lookup := func(setting string) (setTo, bool) {
		text, ok := found[setting]
		return text, ok
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return lookup, []*dovetail.Error{{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name},
			Message: "the configuration file cannot be read", Remedy: "name a YAML file with --config", Err: err}}
	}
	values, err := yaml.Parse(name, data, value.Limits{})
	if err != nil {
		return lookup, []*dovetail.Error{dovetail.AsError(err)}
	}
	var errs []*dovetail.Error
	fail := func(at value.Place, message, remedy string) {
		errs = append(errs, &dovetail.Error{Code: dovetail.CodeInvalid, Message: message, Remedy: remedy,
			Position: at.In(name)})
	}
	for i, v := range values {
		if v.Kind != value.Map || i > 0 {
			fail(v.Place, "the configuration file must hold one object", "write its settings as `listen: 127.0.0.1:8080`")
			continue
		}
		for _, m := range v.Members {
			text, ok := settingText(m.Value)
			switch {
			case m.Name == configSetting || !slices.ContainsFunc(settings, func(s setting) bool { return s.Name == m.Name }):
				fail(m.Place, "unknown setting "+m.Name, "see `dovetail serve --help` for the settings")
			case slices.Contains(cli.UpstreamSettings, m.Name):
				fail(m.Place, m.Name+" is a setting of `dovetail gateway`, not of a server", "give it as a flag of the gateway, or in its environment")
			case !ok:
				fail(m.Value.Place, m.Name+" cannot be a "+m.Value.Kind.String(), "write one value, or a list of them")
			default:
				found[m.Name] = setTo{text, m.Name, m.Value.In(name)}
			}
		}
	}
	return lookup, errs
}

func settingText(v *value.Value) (string, bool) {
	switch v.Kind {
	case value.String, value.Number, value.Bool:
		return v.Text, true
	case value.List:
		var items []string
		for _, item := range v.Items {
			text, ok := settingText(item)
			if !ok || item.Kind == value.List {
				return "", false
			}
			items = append(items, text)
		}
		return strings.Join(items, ","), true
	}
	return "", false
}
