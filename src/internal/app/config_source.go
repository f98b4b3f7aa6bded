package app

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// setTo is the text of a setting with the place where it was found.
type setTo struct {
	text string
	name string // as it is called there
	at   dovetail.Position
}

// source looks up a setting by name.
type source func(name string) (setTo, bool)

// first asks the sources in turn.
func first(sources []source, name string) (setTo, bool) {
	for _, s := range sources {
		if found, ok := s(name); ok {
			return found, true
		}
	}
	return setTo{}, false
}

func flagSource(given map[string]string) source {
	return func(name string) (setTo, bool) {
		text, ok := given[name]
		return setTo{text: text, name: "--" + name}, ok
	}
}

func envSource(env func(string) (string, bool)) source {
	return func(name string) (setTo, bool) {
		variable := cli.EnvironmentName(name)
		if env == nil {
			return setTo{}, false
		}
		text, ok := env(variable)
		return setTo{text: text, name: variable}, ok
	}
}
