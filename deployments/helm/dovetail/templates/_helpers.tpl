{{- define "dovetail.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- /* The name of the release's objects. Short enough for what is appended to it. */ -}}
{{- define "dovetail.fullname" -}}
{{- $name := include "dovetail.name" . -}}
{{- $full := .Values.fullnameOverride | default (ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name)) -}}
{{ $full | trunc 45 | trimSuffix "-" }}
{{- end }}

{{- define "dovetail.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (ternary (include "dovetail.fullname" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{- define "dovetail.image" -}}
{{ .Values.image.repository }}{{ with .Values.image.digest }}@{{ . }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- /* What never changes in the life of a release. Of a component: (list . "gateway"); of all: (list . ""). */ -}}
{{- define "dovetail.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "dovetail.name" $root }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- with index . 1 }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "dovetail.labels" -}}
{{- $root := index . 0 -}}
{{ include "dovetail.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: dovetail
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name ($root.Chart.Version | replace "+" "_") }}
{{- with $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* The component that the API is reached through, and what a component is called. */ -}}
{{- define "dovetail.front" -}}
{{ ternary "server" "gateway" (eq .Values.mode "single") }}
{{- end }}
{{- define "dovetail.component" -}}
{{- $root := index . 0 -}}
{{ include "dovetail.fullname" $root }}{{ if ne (index . 1) (include "dovetail.front" $root) }}-{{ index . 1 }}{{ end }}
{{- end }}

{{- /* The workloads by component, each with its settings laid over those of all, as JSON. */ -}}
{{- define "dovetail.workloads" -}}
{{- $all := pick .Values "replicas" "resources" "autoscaling" "podDisruptionBudget" "podAnnotations" "podLabels" "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" "priorityClassName" "env" "extraVolumes" "extraVolumeMounts" -}}
{{- $workloads := dict -}}
{{- if eq .Values.mode "single" -}}
  {{- if eq .Values.store.type "embedded" -}}
    {{- $_ := set $all "replicas" 1 -}}
    {{- $_ := set $all "autoscaling" (dict "enabled" false) -}}
  {{- end -}}
  {{- $_ := set $workloads "server" $all -}}
{{- else -}}
  {{- range $name, $own := .Values.services -}}
    {{- if not (kindIs "invalid" $own) -}}
      {{- $_ := set $workloads $name (mergeOverwrite (deepCopy $all) $own) -}}
    {{- end -}}
  {{- end -}}
  {{- $_ := set $workloads "gateway" (mergeOverwrite (deepCopy $all) .Values.gateway) -}}
{{- end -}}
{{ toJson $workloads }}
{{- end }}

{{- /* Where the access policy file, the URI of the database and the token of admin are. */ -}}
{{- define "dovetail.ownAccess" -}}
{{- if not (or .Values.access.anonymous .Values.access.existingSecret .Values.access.file) }}yes{{ end -}}
{{- end }}
{{- define "dovetail.accessSecret" -}}
{{- if not .Values.access.anonymous }}{{ .Values.access.existingSecret | default (printf "%s-access" (include "dovetail.fullname" .)) }}{{ end -}}
{{- end }}
{{- define "dovetail.storeSecret" -}}
{{ .Values.store.mongodb.existingSecret | default (printf "%s-store" (include "dovetail.fullname" .)) }}
{{- end }}
{{- define "dovetail.adminSecret" -}}
{{- if include "dovetail.ownAccess" . }}{{ include "dovetail.fullname" . }}-admin{{ end -}}
{{- end }}
{{- define "dovetail.schemas" -}}
{{ .Values.refSchemas.existingConfigMap | default (printf "%s-ref-schemas" (include "dovetail.fullname" .)) }}
{{- end }}

{{- /* What values.schema.json cannot say. */ -}}
{{- define "dovetail.check" -}}
{{- if and (eq .Values.mode "single") (dig "internal" "existingSecret" "" .Values.tls) -}}
{{ fail "tls.internal is for mode microservices, where a gateway stands in front of services" }}
{{- end -}}
{{- if and (include "dovetail.internalSecret" .) .Values.metrics.serviceMonitor.tokenSecret.name -}}
{{ fail "metrics.serviceMonitor.tokenSecret reads metrics at the port of the API, which has a certificate for each service with tls.internal: leave it out" }}
{{- end -}}
{{- if and (dig "tokenReview" "enabled" false .Values.access) .Values.access.anonymous -}}
{{ fail "access.tokenReview checks tokens, and access.anonymous asks for none: choose one" }}
{{- end -}}
{{- if and (dig "tokenReview" "enabled" false .Values.access) (eq (include "dovetail.serviceAccount" .) "default") -}}
{{ fail "access.tokenReview gives the service account a right that no other pod should have: set serviceAccount.create, or serviceAccount.name" }}
{{- end -}}
{{- if include "dovetail.registers" . -}}
{{- if .Values.access.anonymous -}}
{{ fail "apiService.enabled has the cluster authenticate users, and access.anonymous needs no authentication: choose one" }}
{{- end -}}
{{- if eq (include "dovetail.serviceAccount" .) "default" -}}
{{ fail "apiService.enabled gives the service account rights that no other pod should have: set serviceAccount.create, or serviceAccount.name" }}
{{- end -}}
{{- if and .Values.networkPolicy.enabled .Values.networkPolicy.from (not .Values.apiService.from) -}}
{{ fail "networkPolicy.from limits who may reach Dovetail: name the addresses of the API servers in apiService.from, such as [{ipBlock: {cidr: 10.0.0.1/32}}]" }}
{{- end -}}
{{- if and .Values.refSchemas.existingConfigMap (not .Values.apiService.groups) -}}
{{ fail "the chart cannot read refSchemas.existingConfigMap: name the API groups of its kinds in apiService.groups" }}
{{- end -}}
{{- end -}}
{{- if and (not .Values.refSchemas.builtIn) (not .Values.refSchemas.extra) (not .Values.refSchemas.existingConfigMap) -}}
{{ fail "without refSchemas.builtIn there must be files in refSchemas.extra, or refSchemas.existingConfigMap" }}
{{- end -}}
{{- if and .Values.instanceRepositories (or (index .Values.config "instance-repo") (index .Values.config "instance-repos")) -}}
{{ fail "instanceRepositories names all of the instance repositories: it cannot be with config.instance-repo or config.instance-repos" }}
{{- end -}}
{{- if and (.Values.gitWebhook | default dict).existingSecret (not (or .Values.instanceRepositories (index .Values.config "instance-repo") (index .Values.config "instance-repos"))) -}}
{{ fail "gitWebhook.existingSecret is for instance repositories: name one with config.instance-repo or instanceRepositories" }}
{{- end -}}
{{- if and .Values.access.anonymous (or .Values.access.existingSecret .Values.access.file) -}}
{{ fail "access.anonymous lets every client do everything: it cannot be combined with access.existingSecret or access.file" }}
{{- end -}}
{{- end }}
