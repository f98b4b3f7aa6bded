// Package yaml reads and writes YAML as values. It is the only place that knows YAML.
//
// It reads YAML 1.2 as Go programs usually do: what yaml.v3 reads as a string is a string
// (yes, on, 2001-12-14), and 0644 is octal. It is stricter where data would be lost or changed:
// duplicate keys, custom tags, infinities and alias bombs are refused. Numbers of any size are exact.
//
// No other package imports a YAML library.
package yaml
