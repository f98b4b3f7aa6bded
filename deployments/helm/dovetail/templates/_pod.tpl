{{- /* The template of the pods of a component: dict "root" . "component" NAME "workload" SETTINGS. */ -}}
{{- define "dovetail.pod" -}}
{{- $root := .root -}}
{{- $component := .component -}}
{{- $workload := .workload -}}
{{- $values := .root.Values -}}
{{- $gateway := eq $component "gateway" -}}
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
    # Only what pods do not notice by themselves restarts them: ref-schemas, access and certificates are watched.
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
        {{- range $setting := list "log-format" "log-level" }}
        {{- with get $values.config $setting }}
        - --{{ $setting }}={{ . }}
        {{- end }}
        {{- end }}
        {{- range $service, $own := $values.services }}
        {{- if not (kindIs "invalid" $own) }}
        - http://{{ include "dovetail.component" (list $root $service) }}:{{ $values.service.port }}
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
        {{- if $values.access.anonymous }}
        - --anonymous=anywhere
        {{- else }}
        - --access=/etc/dovetail/access/{{ empty $values.access.existingSecret | not | ternary $values.access.key "access.yaml" }}
        {{- end }}
        {{- if $values.tls.existingSecret }}
        - --tls-cert=/etc/dovetail/tls/tls.crt
        - --tls-key=/etc/dovetail/tls/tls.key
        {{- end }}
        {{- if $values.encryption.existingSecret }}
        - --encryption-key-file=/etc/dovetail/encryption/{{ $values.encryption.key }}
        {{- end }}
        {{- end }}
      env:
        - name: GOMEMLIMIT # a little below the limit of memory
          valueFrom:
            resourceFieldRef: {containerName: dovetail, resource: limits.memory, divisor: "1"}
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
      {{- range $probe, $path := dict "startup" "/livez" "liveness" "/livez" "readiness" "/readyz" }}
      {{ $probe }}Probe:
        httpGet: {path: {{ $path }}, port: http, scheme: {{ empty $values.tls.existingSecret | not | ternary "HTTPS" "HTTP" }}}
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
        {{- if $values.tls.existingSecret }}
        - {name: tls, mountPath: /etc/dovetail/tls, readOnly: true}
        {{- end }}
        {{- if $values.encryption.existingSecret }}
        - {name: encryption, mountPath: /etc/dovetail/encryption, readOnly: true}
        {{- end }}
        {{- end }}
        {{- with $workload.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if not $gateway }}
    {{- if not $embedded }}
    - name: data
      emptyDir: {}
    {{- end }}
    - name: settings
      configMap: {name: {{ include "dovetail.fullname" $root }}-settings}
    - name: ref-schemas
      configMap: {name: {{ include "dovetail.schemas" $root }}}
    {{- with include "dovetail.accessSecret" $root }}
    - name: access
      secret: {secretName: {{ . }}}
    {{- end }}
    {{- with $values.tls.existingSecret }}
    - name: tls
      secret: {secretName: {{ . }}}
    {{- end }}
    {{- with $values.encryption.existingSecret }}
    - name: encryption
      secret: {secretName: {{ . }}}
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
