# `make` lists what there is. The work is done by the go command and by short scripts in scripts/.

BIN      ?= bin/dovetail
FUZZTIME ?= 30s
TOOL     := GOWORK=off go tool -modfile=$(CURDIR)/tools/go.mod

.DEFAULT_GOAL := help

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: ## Start the server on ./data; ARGS="--listen :9000" adds flags
	go run ./src/cmd/dovetail serve $(ARGS)

.PHONY: build
build: ## Build bin/dovetail, static, with the version from Git
	CGO_ENABLED=0 go build -trimpath -buildvcs=auto -o $(BIN) ./src/cmd/dovetail

.PHONY: test
test: ## Run the tests
	go test ./...

.PHONY: race
race: ## Run the tests with the race detector
	go test -race ./...

.PHONY: cover
cover: ## Run the tests and print the coverage in total; coverage.out holds the rest
	go test -coverpkg=./... -coverprofile=coverage.out ./...
	@go tool cover -func=coverage.out | tail -n 1

.PHONY: lint
lint: ## Check the code: linters, import rules, format
	scripts/lint

.PHONY: fmt
fmt: ## Format the code
	gofmt -s -w src test

.PHONY: tidy
tidy: ## Tidy go.mod of the modules in go.work
	scripts/tidy

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME
	scripts/fuzz $(FUZZTIME)

.PHONY: bench
bench: ## Run the packages' own benchmarks
	go test -run '^$$' -bench . -benchmem ./...

.PHONY: bench-peers
bench-peers: ## Measure beside PostgreSQL, etcd and raw bbolt; rewrites the tables of docs/benchmarks.md
	scripts/bench-peers

.PHONY: documentdb
documentdb: ## Start a MongoDB-compatible server to test against, as root; prints its URI
	@scripts/documentdb

.PHONY: documentdb-stop
documentdb-stop: ## Stop it; its data stays
	@scripts/documentdb stop

.PHONY: ref-schemas
ref-schemas: ## Aggregate the services' ref-schemas/v1.yaml into ref-schemas/dovetail.yaml
	scripts/ref-schemas

.PHONY: reference
reference: ## Write docs/reference from the code
	go test ./src/cmd/dovetail -run TestReference -update

.PHONY: web
web: ## Build the page from src/internal/server/web/ui into src/internal/server/web/dist; needs Node
	scripts/web

.PHONY: images
images: ## Build the container image dovetail:latest; needs a container engine
	scripts/images

.PHONY: chart
chart: ## Test the Helm chart and the release configuration without a cluster
	GOWORK=off go -C test/e2e test ./chart ./release

.PHONY: gitops
gitops: ## Test with the engines of Flux and Argo CD, the sets of kubectl, kustomize, and SOPS
	GOWORK=off go -C test/gitops test -count=1 ./...
	GOWORK=off go -C test/argocd test -count=1 ./...
	GOWORK=off go -C test/sops test -count=1 ./...

.PHONY: containers
containers: images ## Test the image and microservices in containers, as root
	scripts/documentdb image
	GOWORK=off go -C test/e2e test -count=1 -timeout 20m ./containers

.PHONY: cluster
cluster: ## Test the chart in the Kubernetes of KUBECONFIG, which must know the images, or in one made here, as root
	@if [ -z "$$KUBECONFIG" ]; then scripts/images && scripts/documentdb image && eval "$$(scripts/cluster)" && export KUBECONFIG \
	  && scripts/cluster load dovetail:latest dovetail-documentdb:latest; fi && GOWORK=off go -C test/e2e test -count=1 -timeout 30m -v ./cluster

.PHONY: cluster-stop
cluster-stop: ## Stop the Kubernetes made here; what was built stays
	@scripts/cluster stop

.PHONY: benchstat
benchstat: ## Compare two files of benchmark results: make benchstat OLD=a.txt NEW=b.txt
	@$(TOOL) benchstat $(OLD) $(NEW)

.PHONY: check
check: ## Check what must hold before a change lands
	.ci/run

.PHONY: full
full: ## Run the long proofs that have not passed at this commit, as root
	.ci/full

.PHONY: clean
clean: ## Remove what was built and measured
	rm -rf bin coverage.out
	go clean -testcache
