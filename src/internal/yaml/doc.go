// Package yaml reads and writes YAML as values. It is the only place that knows YAML.
//
// It reads YAML 1.2 with the habits of the Go world: what yaml.v3 takes for a string is a string
// (yes, on, 2001-12-14), and 0644 is octal. It is stricter where data would get lost or hurt:
// duplicate keys, custom tags, infinities and alias bombs are refused. Numbers of any size are exact.
//
// The package may import value and dovetail. No other package imports a YAML library.
package yaml
