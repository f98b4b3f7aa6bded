{{- /* The rules for what the pods of a component may reach: (list . COMPONENT). */ -}}
{{- define "dovetail.egress" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := $root.Values -}}
{{- $destinations := list "dns" -}}
{{- if ne $component "gateway" -}}
  {{- if eq $values.store.type "mongodb" }}{{ $destinations = append $destinations "mongodb" }}{{ end -}}
  {{- if index $values.config "oidc-issuer" }}{{ $destinations = append $destinations "oidc" }}{{ end -}}
  {{- if index $values.config "keystone" }}{{ $destinations = append $destinations "keystone" }}{{ end -}}
  {{- if or (index $values.config "instance-repo") $values.instanceRepositories }}{{ $destinations = append $destinations "git" }}{{ end -}}
  {{- if index $values.config "trace-endpoint" }}{{ $destinations = append $destinations "traces" }}{{ end -}}
  {{- if or (dig "tokenReview" "enabled" false $values.access) (include "dovetail.registers" $root) }}{{ $destinations = append $destinations "kubernetes" }}{{ end -}}
  {{- if dig "destinations" "registries" "to" list $values.networkPolicy }}{{ $destinations = append $destinations "registries" }}{{ end -}}
{{- end -}}
{{- $ports := dict "dns" (list 53) "mongodb" (list 27017) "oidc" (list 443) "keystone" (list 443 5000) "git" (list 443 22) "traces" (list 4318) "kubernetes" (list 443 6443) "registries" (list 443) -}}
{{- $rules := list -}}
{{- range $name := $destinations -}}
  {{- $own := dig "destinations" $name dict $values.networkPolicy -}}
  {{- $rule := dict "ports" list -}}
  {{- range $port := $own.ports | default (index $ports $name) -}}
    {{- $_ := set $rule "ports" (append $rule.ports (dict "port" (int $port) "protocol" "TCP")) -}}
    {{- if eq $name "dns" }}{{ $_ := set $rule "ports" (append $rule.ports (dict "port" (int $port) "protocol" "UDP")) }}{{ end -}}
  {{- end -}}
  {{- with $own.to }}{{ $_ := set $rule "to" . }}{{ end -}}
  {{- $rules = append $rules $rule -}}
{{- end -}}
{{- if eq $component "gateway" -}}
  {{- $services := list -}}
  {{- range $service, $own := $values.services -}}
    {{- if not (kindIs "invalid" $own) -}}
      {{- $services = append $services (dict "podSelector" (dict "matchLabels" (include "dovetail.selector" (list $root $service) | fromYaml))) -}}
    {{- end -}}
  {{- end -}}
  {{- $rules = append $rules (dict "to" $services "ports" (list (dict "port" 8080 "protocol" "TCP"))) -}}
{{- end -}}
{{ toYaml $rules }}
{{- end }}
