{{- /* 80 % of a limit of memory in bytes, for GOMEMLIMIT: what Go does not count, and what comes between two collections, is in
the rest. The limit is a quantity of Kubernetes: 512Mi, 1.5Gi, 536870912. */ -}}
{{- define "dovetail.memory" -}}
{{- $text := . -}}
{{- if not (kindIs "string" .) }}{{ $text = int64 . | toString }}{{ end -}}
{{- $units := dict "" 1 "k" 1e3 "K" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624 -}}
{{- $number := regexFind "^[0-9]+(\\.[0-9]+)?" $text -}}
{{- $unit := trimPrefix $number $text -}}
{{- if or (not $number) (not (hasKey $units $unit)) -}}
{{ fail (printf "resources.limits.memory is %q: write it as 512Mi or 1.5Gi" $text) }}
{{- end -}}
{{- mulf (float64 $number) (index $units $unit) 0.8 | int64 -}}
{{- end }}
