{{- /* The template of the pods of a component: dict "root" . "component" NAME "workload" SETTINGS. */ -}}
{{- define "dovetail.pod" -}}
{{- $root := .root -}}
{{- $component := .component -}}
{{- $workload := .workload -}}
{{- $values := .root.Values -}}
{{- $gateway := eq $component "gateway" -}}
{{- $internal := include "dovetail.internalSecret" $root -}}
{{- $secret := or $gateway (eq $component "server") | ternary (include "dovetail.tlsSecret" $root) $internal -}}
{{- $registered := and (eq $component (include "dovetail.kubernetes" $root)) (include "dovetail.registers" $root) -}}
{{- $tokenReview := and (not $gateway) (dig "tokenReview" "enabled" false $values.access) -}}
{{- $delegates := and (not $gateway) (include "dovetail.delegates" $root) -}}
{{- $asksCluster := or $tokenReview $registered $delegates -}}
{{- $metrics := $values.metrics.port | default 9090 -}}
{{- $embedded := and (eq $values.mode "single") (eq $values.store.type "embedded") -}}
metadata:
  labels:
    {{- include "dovetail.labels" (list $root $component) | nindent 4 }}
    {{- with $workload.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    kubectl.kubernetes.io/default-container: dovetail
    {{- if not $gateway }}
    # Only changes that pods do not watch restart them: ref-schemas, access and certificates are watched.
    checksum/settings: {{ include (print $root.Template.BasePath "/settings.yaml") $root | sha256sum }}
    checksum/store: {{ toJson $values.store | sha256sum }}
    {{- end }}
    {{- with $workload.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "dovetail.serviceAccount" $root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with $values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- toYaml $values.podSecurityContext | nindent 4 }}
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  {{- with $workload.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  containers:
    - name: dovetail
      image: {{ include "dovetail.image" $root | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args:
        {{- if $gateway }}
        - gateway
        - --listen=:8080
        {{- $settings := mergeOverwrite (pick $values.config "log-format" "log-level" "max-body" "max-batch" "max-connections" "request-timeout" "shutdown-timeout") ($values.gatewayConfig | default dict) }}
        {{- range $setting, $text := $settings }}
        - --{{ $setting }}={{ kindIs "float64" $text | ternary (int64 $text) $text }}
        {{- end }}
        {{- if $internal }}
        - --upstream-ca=/etc/dovetail/internal/ca.crt
        {{- end }}
        {{- range $service, $own := $values.services }}
        {{- if not (kindIs "invalid" $own) }}
        - http{{ if $internal }}s{{ end }}://{{ include "dovetail.component" (list $root $service) }}:{{ $values.service.port }}
        {{- end }}
        {{- end }}
        {{- else }}
        - serve
        - --config=/etc/dovetail/settings/settings.yaml
        - --listen=:8080
        - --ref-schemas=/etc/dovetail/ref-schemas
        {{- if ne $component "server" }}
        - --services={{ $component }}
        {{- end }}
        {{- if $embedded }}
        - --store=bolt:/data/dovetail.db
        {{- end }}
        {{- if $values.instanceRepositories }}
        - --instance-repos=/etc/dovetail/settings/repositories.yaml
        {{- if not (index $values.config "instance-repo-clone") }}
        - --instance-repo-clone=/data/instance-repositories
        {{- end }}
        {{- end }}
        {{- if $values.access.anonymous }}
        - --anonymous=anywhere
        {{- else }}
        - --access=/etc/dovetail/access/{{ empty $values.access.existingSecret | not | ternary $values.access.key "access.yaml" }}
        {{- end }}
        {{- if $tokenReview }}
        - --token-review=on
        - --token-review-audience={{ dig "tokenReview" "audience" "dovetail" $values.access }}
        {{- end }}
        {{- if $registered }}
        - --front-proxy=on
        {{- end }}
        {{- if $delegates }}
        - --subject-access-review=on
        {{- end }}
        {{- if $values.encryption.existingSecret }}
        - --encryption-key-file=/etc/dovetail/encryption/{{ $values.encryption.key }}
        {{- end }}
        {{- if ($values.gitWebhook | default dict).existingSecret }}
        - --instance-repo-webhook-secret-file=/etc/dovetail/git-webhook/{{ $values.gitWebhook.key }}
        {{- end }}
        {{- end }}
        - --metrics-listen=:{{ $metrics }}
        {{- with $values.trustedProxies }}
        - --trusted-proxies={{ join "," . }}
        {{- end }}
        {{- if $secret }}
        - --tls-cert=/etc/dovetail/tls/tls.crt
        - --tls-key=/etc/dovetail/tls/tls.key
        {{- end }}
      env:
        {{- $own := false }}
        {{- range $workload.env }}{{ if eq .name "GOMEMLIMIT" }}{{ $own = true }}{{ end }}{{ end }}
        {{- $limit := dig "limits" "memory" "" $workload.resources }}
        {{- if and $limit (not $own) }}
        - {name: GOMEMLIMIT, value: {{ include "dovetail.memory" $limit | quote }}} # 80 % of the limit of memory
        {{- end }}
        {{- if not (or $gateway $embedded) }}
        - name: DOVETAIL_STORE
          valueFrom:
            secretKeyRef: {name: {{ include "dovetail.storeSecret" $root }}, key: {{ empty $values.store.mongodb.existingSecret | not | ternary $values.store.mongodb.key "uri" }}}
        {{- end }}
        {{- with $workload.env }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - {name: http, containerPort: 8080, protocol: TCP}
        - {name: metrics, containerPort: {{ $metrics }}, protocol: TCP}
      {{- range $probe, $path := dict "startup" "/livez" "liveness" "/livez" "readiness" "/readyz" }}
      {{ $probe }}Probe:
        httpGet: {path: {{ $path }}, port: http, scheme: {{ empty $secret | ternary "HTTP" "HTTPS" }}}
        {{- toYaml (index $values.probes $probe) | nindent 8 }}
      {{- end }}
      {{- with $values.preStopSeconds }}
      lifecycle:
        preStop:
          sleep: {seconds: {{ . }}}
      {{- end }}
      resources:
        {{- toYaml $workload.resources | nindent 8 }}
      securityContext:
        {{- toYaml $values.securityContext | nindent 8 }}
      volumeMounts:
        - {name: tmp, mountPath: /tmp}
        {{- if not $gateway }}
        - {name: data, mountPath: /data}
        - {name: settings, mountPath: /etc/dovetail/settings, readOnly: true}
        - {name: ref-schemas, mountPath: /etc/dovetail/ref-schemas, readOnly: true} # whole, so that changes arrive
        {{- if not $values.access.anonymous }}
        - {name: access, mountPath: /etc/dovetail/access, readOnly: true}
        {{- end }}
        {{- if $asksCluster }}
        - {name: cluster, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
        {{- end }}
        {{- if $values.encryption.existingSecret }}
        - {name: encryption, mountPath: /etc/dovetail/encryption, readOnly: true}
        {{- end }}
        {{- if ($values.gitWebhook | default dict).existingSecret }}
        - {name: git-webhook, mountPath: /etc/dovetail/git-webhook, readOnly: true} # whole, so that changes arrive
        {{- end }}
        {{- range $values.instanceRepositories }}
        {{- if .existingSecret }}
        - {name: repository-{{ .name }}, mountPath: /etc/dovetail/repositories/{{ .name }}, readOnly: true}
        {{- end }}
        {{- end }}
        {{- end }}
        {{- if $secret }}
        - {name: tls, mountPath: /etc/dovetail/tls, readOnly: true}
        {{- end }}
        {{- if and $gateway $internal }}
        - {name: internal, mountPath: /etc/dovetail/internal, readOnly: true}
        {{- end }}
        {{- with $workload.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {sizeLimit: {{ dig "tmp" "256Mi" ($values.scratch | default dict) }}}
    {{- if not $gateway }}
    {{- if not $embedded }}
    - name: data
      emptyDir: {sizeLimit: {{ dig "data" "1Gi" ($values.scratch | default dict) }}}
    {{- end }}
    - name: settings
      configMap: {name: {{ include "dovetail.fullname" $root }}-settings}
    - name: ref-schemas
      configMap: {name: {{ include "dovetail.schemas" $root }}}
    {{- with include "dovetail.accessSecret" $root }}
    - name: access
      secret: {secretName: {{ . }}}
    {{- end }}
    {{- if $asksCluster }}
    - name: cluster # what a service account has, without the rest that an automatic mount brings
      projected:
        sources:
          - serviceAccountToken: {path: token, expirationSeconds: 3600}
          - configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}
    {{- end }}
    {{- with $values.encryption.existingSecret }}
    - name: encryption
      secret: {secretName: {{ . }}}
    {{- end }}
    {{- with ($values.gitWebhook | default dict).existingSecret }}
    - name: git-webhook
      secret: {secretName: {{ . }}}
    {{- end }}
    {{- range $values.instanceRepositories }}
    {{- if .existingSecret }}
    - name: repository-{{ .name }}
      secret: {secretName: {{ .existingSecret }}, defaultMode: 0440} # keys of SSH are for the process alone
    {{- end }}
    {{- end }}
    {{- end }}
    {{- with $secret }}
    - name: tls
      secret: {secretName: {{ . }}}
    {{- end }}
    {{- if $gateway }}
    {{- with $internal }}
    - name: internal # of which the gateway needs no key
      secret: {secretName: {{ . }}, items: [{key: ca.crt, path: ca.crt}]}
    {{- end }}
    {{- end }}
    {{- with $workload.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  affinity:
    {{- if $workload.affinity }}
    {{- toYaml $workload.affinity | nindent 4 }}
    {{- else }}
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm:
            topologyKey: kubernetes.io/hostname
            labelSelector:
              matchLabels:
                {{- include "dovetail.selector" (list $root $component) | nindent 16 }}
    {{- end }}
  {{- range $name := list "nodeSelector" "tolerations" "topologySpreadConstraints" }}
  {{- with index $workload $name }}
  {{ $name }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
{{- end }}
