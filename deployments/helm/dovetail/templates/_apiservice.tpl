{{- /* Whether the Kubernetes API is registered in the cluster. */ -}}
{{- define "dovetail.registers" -}}
{{ if (.Values.apiService | default dict).enabled }}yes{{ end -}}
{{- end }}

{{- /* Whether the cluster is asked what its users may do. */ -}}
{{- define "dovetail.delegates" -}}
{{ if and (include "dovetail.registers" .) .Values.apiService.subjectAccessReview }}yes{{ end -}}
{{- end }}

{{- /* The component that serves the Kubernetes API. */ -}}
{{- define "dovetail.kubernetes" -}}
{{ ternary "server" "resources" (eq .Values.mode "single") }}
{{- end }}

{{- /* The Secrets with the certificates of what clients reach and of the services behind a gateway; "" for none. The API server needs
one with TLS: the chart makes that where there is none, or cert-manager. */ -}}
{{- define "dovetail.tlsSecret" -}}
{{ .Values.tls.existingSecret | default (ternary (include "dovetail.madeSecret" .) "" (eq .Values.mode "single")) }}
{{- end }}
{{- define "dovetail.internalSecret" -}}
{{ dig "internal" "existingSecret" "" .Values.tls | default (ternary "" (include "dovetail.madeSecret" .) (eq .Values.mode "single")) }}
{{- end }}
{{- define "dovetail.kubernetesSecret" -}}
{{ ternary (include "dovetail.tlsSecret" .) (include "dovetail.internalSecret" .) (eq .Values.mode "single") }}
{{- end }}
{{- define "dovetail.madeSecret" -}}
{{- $existing := ternary .Values.tls.existingSecret (dig "internal" "existingSecret" "" .Values.tls) (eq .Values.mode "single") -}}
{{- if and (include "dovetail.registers" .) (not $existing) }}{{ include "dovetail.fullname" . }}-api{{ end -}}
{{- end }}
{{- define "dovetail.issuer" -}}
{{- with (.Values.apiService | default dict).certManager }}{{ with .issuerRef }}{{ toYaml . }}{{ end }}{{ end -}}
{{- end }}

{{- /* The names of the services that have the certificate, as a list in YAML. */ -}}
{{- define "dovetail.dnsNames" -}}
{{- $root := . -}}
{{- $names := list "localhost" -}}
{{- range $component, $_ := include "dovetail.workloads" . | fromJson -}}
  {{- if ne $component "gateway" -}}
    {{- $service := include "dovetail.component" (list $root $component) -}}
    {{- range $suffix := list "" (printf ".%s" $root.Release.Namespace) (printf ".%s.svc" $root.Release.Namespace) (printf ".%s.svc.cluster.local" $root.Release.Namespace) -}}
      {{- $names = append $names (print $service $suffix) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{ toYaml $names }}
{{- end }}

{{- /* The API groups that are served, as a list in YAML: one for each name of a segment of the ref-schema, and each service that a kind
names itself. What is in a ConfigMap of others is not known here. */ -}}
{{- define "dovetail.groups" -}}
{{- $groups := dict -}}
{{- range $group := .Values.apiService.groups }}{{ $_ := set $groups $group true }}{{ end -}}
{{- $texts := list -}}
{{- if not .Values.refSchemas.existingConfigMap -}}
  {{- if .Values.refSchemas.builtIn -}}
    {{- range $path, $_ := .Files.Glob "ref-schemas/*.yaml" }}{{ $texts = append $texts ($.Files.Get $path) }}{{ end -}}
  {{- end -}}
  {{- range $text := .Values.refSchemas.extra }}{{ $texts = append $texts $text }}{{ end -}}
{{- end -}}
{{- range $text := $texts -}}
  {{- range $document := splitList "\n---" (print "\n" $text) -}}
    {{- $segment := fromYaml $document -}}
    {{- $resources := $segment.resources -}}
    {{- if hasKey $segment "Error" }}{{ $resources = fromYamlArray $document }}{{ end -}}
    {{- range $resource := $resources -}}
      {{- if and (kindIs "map" $resource) (not $resource.abstract) -}}
        {{- $name := $resource.service | default $segment.name | default "" | lower -}}
        {{- $label := regexReplaceAll "[^a-z0-9-]" $name "-" | trimAll "-" -}}
        {{- $_ := set $groups (empty $label | ternary "dovetail.dev" (printf "%s.dovetail.dev" $label)) true -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{ keys $groups | sortAlpha | toYaml }}
{{- end }}
