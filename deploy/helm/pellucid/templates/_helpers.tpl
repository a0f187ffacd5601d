{{/* "true" unless the values leave out all objects of this kind. */}}
{{- define "pellucid.wanted" -}}
{{- if eq .kind "Namespace" }}{{ .values.namespace.create }}
{{- else if eq .kind "HorizontalPodAutoscaler" }}{{ .values.autoscaling.enabled }}
{{- else if eq .kind "PodDisruptionBudget" }}{{ .values.podDisruptionBudgets }}
{{- else }}true{{ end }}
{{- end }}

{{/* Puts the values into one object, which it changes. */}}
{{- define "pellucid.adjust" -}}
{{- $object := .object }}
{{- $values := .values }}
{{- if hasKey ($object.spec | default dict) "template" }}
{{- include "pellucid.pod" (dict "template" $object.spec.template "values" $values "settings" .settings) }}
{{- else if eq $object.kind "CronJob" }}
{{- include "pellucid.pod" (dict "template" $object.spec.jobTemplate.spec.template "values" $values "settings" .settings) }}
{{- end }}
{{- if eq $object.kind "Deployment" }}
{{- if $values.replicas }}{{ $_ := set $object.spec "replicas" $values.replicas }}{{ end }}
{{- else if eq $object.kind "HorizontalPodAutoscaler" }}
{{- with $values.autoscaling.minReplicas }}{{ $_ := set $object.spec "minReplicas" . }}{{ end }}
{{- with $values.autoscaling.maxReplicas }}{{ $_ := set $object.spec "maxReplicas" . }}{{ end }}
{{- else if eq $object.kind "ScaledObject" }}
{{- with $values.autoscaling.minReplicas }}{{ $_ := set $object.spec "minReplicaCount" . }}{{ end }}
{{- with $values.autoscaling.maxReplicas }}{{ $_ := set $object.spec "maxReplicaCount" . }}{{ end }}
{{- with $values.settings.PROMETHEUS_URL }}{{ $_ := set (index $object.spec.triggers 0).metadata "serverAddress" . }}{{ end }}
{{- else if eq $object.kind "Ingress" }}
{{- $_ := set $object.spec "ingressClassName" $values.ingress.className }}
{{- $_ := set (index $object.spec.rules 0) "host" $values.ingress.host }}
{{- $_ := set $object.spec "tls" (list (dict "hosts" (list $values.ingress.host) "secretName" $values.ingress.tlsSecret)) }}
{{- end }}
{{- end }}

{{/* Images of this project, pull secrets, and a new pod for each change of the settings. */}}
{{- define "pellucid.pod" -}}
{{- $image := .values.image }}
{{- $usesSettings := false }}
{{- range concat .template.spec.containers (.template.spec.initContainers | default list) }}
{{- if hasPrefix "pellucid-" .image }}
{{- $_ := set . "image" (include "pellucid.image" (dict "name" .image "image" $image)) }}
{{- end }}
{{- if .envFrom }}{{ $usesSettings = true }}{{ end }}
{{- end }}
{{- with .values.imagePullSecrets }}{{ $_ := set $.template.spec "imagePullSecrets" . }}{{ end }}
{{- if $usesSettings }}
{{- $checksum := dict "checksum/settings" (toYaml .settings.data | sha256sum) }}
{{- $_ := set .template.metadata "annotations" (merge $checksum (.template.metadata.annotations | default dict)) }}
{{- end }}
{{- end }}

{{/* pellucid-gateway as prefix, gateway and tag. */}}
{{- define "pellucid.image" -}}
{{ .image.prefix }}{{ trimPrefix "pellucid-" .name }}{{ with .image.tag }}:{{ . }}{{ end }}
{{- end }}
