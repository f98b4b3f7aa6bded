package overridetest

// Inventory is the files of an instance repository: two environments, the second with a blue-green domain.
func Inventory() map[string]string {
	const (
		env = "environments/cluster-01/env-01/"
		bgd = "environments/cluster-01/bgd-01/"
		set = env + "effective-set/"
	)
	return map[string]string{
		"environments/parameters/shared.yaml": "name: shared\nparameters:\n  SHARED: from the site\n  OVERRIDDEN: from the site\napplications:\n" +
			"  - appName: my-app\n    parameters:\n      SHARED_APP: from the site\n",
		"environments/cluster-01/parameters/cluster-wide.yaml": "name: cluster-wide\nparameters:\n  CLUSTER: from the cluster\napplications: []\n",
		env + "Inventory/env_definition.yml": `# The inventory of env-01.
inventory:
  environmentName: env-01
envTemplate:
  name: composite
  envSpecificParamsets:
    cloud:
      - cluster-wide # for all
    core:
      - shared
      - core-params
`,
		env + "Inventory/parameters/core-params.yaml": "name: core-params\nparameters:\n  CORE: from core-params\n  OVERRIDDEN: from core-params\napplications: []\n",
		env + "Namespaces/core/namespace.yml": "name: env-01-core # on the cluster\ndeployParameters:\n  KEPT: namespace\n  OVERRIDDEN: namespace\n" +
			"technicalConfigurationParameters: {}\ne2eParameters: {}\n",
		env + "Namespaces/core/Applications/my-app.yml":                       "name: my-app\ndeployParameters:\n  KEPT: application\n  OVERRIDDEN: application\ntechnicalConfigurationParameters: {}\n",
		env + "Namespaces/bss/namespace.yml":                                  "name: env-01-bss\ndeployParameters: {}\ntechnicalConfigurationParameters: {}\ne2eParameters: {}\n",
		set + "deployment/core/my-app/values/deployment-parameters.yaml":      "OVERRIDDEN: generated\nKEPT: generated\nnested:\n  a.b: 1\n  kept: 2\nTHIRD: generated\n",
		set + "deployment/core/my-app/values/credentials.yaml":                "PASSWORD: secret\nnested:\n  user: admin\n",
		set + "deployment/core/my-app/values/collision-credentials.yaml":      "",
		set + "deployment/core/torn/values/deployment-parameters.yaml":        "ONCE: 1\nTWICE: 1\nmap:\n  TWICE: 1\n",
		set + "deployment/core/torn/values/credentials.yaml":                  "TWICE: 2\nmap:\n  TWICE: 2\n",
		set + "runtime/core/my-app/parameters.yaml":                           "OVERRIDDEN: generated\nKEPT: generated\nnested:\n  a.b: 1\n  kept: 2\nTHIRD: generated\n",
		set + "runtime/core/my-app/credentials.yaml":                          "PASSWORD: secret\n",
		set + "pipeline/parameters.yaml":                                      "OVERRIDDEN: generated\nKEPT: generated\nnested:\n  a.b: 1\n  kept: 2\nTHIRD: generated\n",
		set + "pipeline/credentials.yaml":                                     "PASSWORD: secret\n",
		bgd + "Inventory/env_definition.yml":                                  "inventory:\n  environmentName: bgd-01\n",
		bgd + "bg_domain.yml":                                                 "name: bgd-01-domain\ntype: bgdomain\noriginNamespace:\n  name: bgd-01-origin\npeerNamespace:\n  name: bgd-01-peer\n",
		bgd + "Namespaces/app-origin/namespace.yml":                           "name: bgd-01-origin\n",
		bgd + "Namespaces/app-peer/namespace.yml":                             "name: bgd-01-peer\n",
		bgd + "effective-set/deployment/app-peer/web/values/credentials.yaml": "TOKEN: secret\n",
	}
}
