# The steps of .ci/run, .ci/full and .ci/soak, what they need, and how they are run. Sourced by these three scripts, for a Debian
# machine with Go, git and gcc, as root. The table of the steps is .ci/steps.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DEBIAN_FRONTEND=noninteractive
exec </dev/null

# Fuzzing has a number of runs, not a duration: a deadline at the wrong moment fails a target without a finding.
fuzz_runs=${FUZZTIME:-1000x} long_fuzz_runs=3000x
timeout=${TIMEOUT:-30m} long_timeout=120m
search=20s long_search=8m

# --- The table

# rows TIER: the names of the tier's steps, in order.
rows() { awk -F'|' -v tier="$1" '!/^#/ && NF == 5 { gsub(/ /, "", $1); gsub(/ /, "", $2); if ($2 == tier) print $1 }' .ci/steps; }

# column STEP N: the step's entry in column N.
column() { awk -F'|' -v step="$1" -v n="$2" '!/^#/ && NF == 5 { name = $1; gsub(/ /, "", name); if (name == step) { gsub(/^ +| +$/, "", $n); print $n } }' .ci/steps; }

# --- What steps need

# One installation at a time, also of steps in parallel; scripts/cluster takes the same lock.
install() {
  [[ -n ${apt_updated:-} ]] || flock /var/lock/dovetail-apt apt-get update -qq
  apt_updated=yes
  flock /var/lock/dovetail-apt apt-get install -y -qq --no-install-recommends "$1" >/dev/null
}

# program NAME PACKAGE: installs the Debian package if the program is missing.
program() { command -v "$1" >/dev/null || install "$2"; }

need_curl() { program curl curl; }
need_kubectl() { program kubectl kubectl; }
need_sshd() { program sshd openssh-server; }
need_node() { program node nodejs && program npm npm; } # 20.19 or later, as Debian 13 has it
need_chromium() { program chromium-headless-shell chromium-headless-shell || program chromium chromium; } # chromium takes twice the processor time
need_compose() { docker compose version >/dev/null 2>&1 || program docker-compose docker-compose; }

# Peers of the benchmarks that cannot be installed are skipped and named by the benchmarks.
need_postgres() { compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || install postgresql || echo "no PostgreSQL from Debian"; }
need_etcd() { program etcd etcd-server || echo "no etcd from Debian"; }

# A server for the MongoDB backend: the one that DOVETAIL_TEST_MONGO_URI names, else a local one, which keeps running for the
# next run (make documentdb-stop). DOVETAIL_CI_WITHOUT_MONGO=1 leaves out the steps that need one.
need_mongo() {
  [[ -z ${DOVETAIL_CI_WITHOUT_MONGO:-} ]] || { left_out="DOVETAIL_CI_WITHOUT_MONGO is set"; return; }
  if [[ -z ${mongo_uri:-} ]]; then
    mongo_uri=${DOVETAIL_TEST_MONGO_URI:-$(scripts/documentdb)}
    # The local one's PostgreSQL serves the test that migrates from PostgreSQL.
    local socket=${DOVETAIL_DOCUMENTDB_DIR:-${HOME:-/var/tmp}/.cache/dovetail/documentdb}/system/run/postgresql
    postgres_uri=${DOVETAIL_TEST_POSTGRES_URI:-}
    [[ -n $postgres_uri || ! -S $socket/.s.PGSQL.5432 ]] || postgres_uri="postgres://postgres@/postgres?host=$socket"
  fi
  export DOVETAIL_TEST_MONGO_URI=$mongo_uri DOVETAIL_TEST_POSTGRES_URI=$postgres_uri
}

# Starts a container engine if none answers, and stops it when the script ends.
need_engine() {
  ! docker version >/dev/null 2>&1 || return 0
  program dockerd docker.io
  engine_folder=$(mktemp -d /var/tmp/dovetail-ci-XXXXXX)
  export DOCKER_HOST=unix://$engine_folder/docker.sock
  dockerd --host "$DOCKER_HOST" --data-root "$engine_folder/data" --exec-root "$engine_folder/exec" \
    --pidfile "$engine_folder/pid" >"$engine_folder/log" 2>&1 &
  for _ in {1..600}; do
    ! docker version >/dev/null 2>&1 || return 0
    sleep 0.5
  done
  tail -n 20 "$engine_folder/log"
  return 1
}

stop_engine() {
  [[ -n ${engine_folder:-} ]] || return 0
  kill "$(cat "$engine_folder/pid")" 2>/dev/null || true
  for _ in {1..60}; do [[ -e $engine_folder/pid ]] || break; sleep 0.5; done
  rm -rf "$engine_folder" 2>/dev/null || true
}

# --- The steps

# gotest ARGUMENT...: go test with one line a package, the output of what failed, and at the end what failed and what was skipped, why.
gotest() {
  local gotestsum=${GOTESTSUM:-}
  if [[ -z $gotestsum ]]; then
    gotestsum=$(go env GOCACHE)/dovetail-gotestsum
    GOWORK=off go build -modfile=tools/go.mod -o "$gotestsum" gotest.tools/gotestsum
  fi
  "$gotestsum" --format pkgname-and-test-fails --format-hide-empty-pkg --no-color --raw-command -- go test -json "$@"
}

step_format() {
  local unformatted
  unformatted=$(gofmt -s -l src test)
  [[ -z $unformatted ]] || { echo "not formatted, run make fmt:"; echo "$unformatted"; return 1; }
}

step_vet() { go vet ./... && go -C src/emcostore vet ./... && go -C test/bench vet ./...; }

step_lint() { scripts/lint; }

step_generated() { scripts/tidy --check && scripts/ref-schemas --check; }

# The README's command, as on a machine that has only Go, and the module beside it.
step_test() {
  unset DOVETAIL_TEST_MONGO_URI DOVETAIL_TEST_POSTGRES_URI
  gotest -timeout "$timeout" ./... ./src/emcostore/...
}

# The packages in which goroutines meet.
racing=(./src/store ./src/store/bolt/... ./src/store/mongo/simulation ./src/internal/operate/lease ./src/internal/server/flowcontrol ./src/internal/server/httpapi
  ./src/internal/git/gitsync ./src/internal/server/finder ./src/resolution ./src/resolution/follow)

step_race() {
  unset DOVETAIL_TEST_MONGO_URI DOVETAIL_TEST_POSTGRES_URI
  gotest -race -vet=off -timeout "$timeout" "${racing[@]}"
}

# -vet=off: step vet checks the same.
step_races() { gotest -race -vet=off -timeout "${RACETIMEOUT:-$long_timeout}" ./... ./src/emcostore/...; }

# The suite with pages of one document, and kills, are left to step races.
step_mongo() { gotest -vet=off -timeout "$timeout" -skip '^(TestConformancePages|TestKill|TestKillIndexBuild|TestDeath)$' ./src/store/mongo; }

step_soaks() { DOVETAIL_TEST_SOAK=short gotest -vet=off -timeout "$timeout" ./src/test/soak; }

step_fuzz() { scripts/fuzz "$fuzz_runs"; }

step_bench() { go -C test/bench test -timeout "$timeout" ./...; }

step_attack() { attack "${ATTACKTIME:-$search}"; }

# attack TIME: small requests, sources and Git objects that are expensive to answer or to read, to a server with the memory of a pod.
attack() { go -C test/bench test -run '^TestWorst' -count=1 -v -timeout "$long_timeout" . -attack "$1" -attack-seed "${ATTACKSEED:-16}"; }

step_noninterference() { interferences "${INTERFERENCETIME:-$search}"; }

# interferences TIME: compares the answers of stores that differ only in documents that the caller may not read.
interferences() { go test ./src/test/matrix -run 'TestNonInterference$' -count=1 -timeout "$long_timeout" -noninterference "$1"; }

step_faults() { faults "${FAULTSTIME:-2m}" "${FAULTSEED:-1}"; }

# faults TIME SEED [TEST]: four processes on one database under random load and faults. Seed 0 draws another one each time.
faults() { go test ./test/faults -run "${3:-TestFaults\$}" -count=1 -faults "$1" -seed "$2" -timeout "$long_timeout"; }

# The last supported version beside this one: about ten rolling updates, and in the long form more than a hundred.
step_versions() { faults "${VERSIONSTIME:-90s}" "${FAULTSEED:-1}" 'TestRollingUpdates$'; }

step_smoke() { scripts/smoke; }

step_page() { scripts/web --check; }

step_browser() { scripts/web --browser; }

step_chart() { GOWORK=off go -C test/e2e test ./chart ./release; }

step_gitops() { GOWORK=off go -C test/gitops test -count=1 -timeout "$timeout" ./...; }

step_argocd() { GOWORK=off go -C test/argocd test -count=1 -timeout "$timeout" ./...; }

step_sops() { GOWORK=off go -C test/sops test -count=1 -timeout "$timeout" ./...; }

step_image() {
  scripts/images
  GOWORK=off go -C test/e2e test -count=1 -timeout "$timeout" -v -run '^TestSingle$' ./containers
}

step_containers() {
  scripts/images
  scripts/documentdb image
  GOWORK=off go -C test/e2e test -count=1 -timeout "$timeout" -v ./containers
}

# The Kubernetes is built before, and kept for the next run.
step_cluster() {
  local kubeconfig
  mkdir -p "${HOME:-/root}/.cache"
  scripts/cluster build
  docker image inspect dovetail:latest dovetail-documentdb >/dev/null 2>&1 || { scripts/images && scripts/documentdb image; }
  kubeconfig=$(scripts/cluster)
  scripts/cluster load dovetail:latest dovetail-documentdb:latest
  env "$kubeconfig" GOWORK=off go -C test/e2e test -count=1 -timeout "$timeout" -v ./cluster
  scripts/cluster stop
}

step_rounds() { DOVETAIL_TEST_LONG=1 timeout=$long_timeout step_races; }
step_soak() { DOVETAIL_TEST_LONG=1 gotest -vet=off -timeout "$long_timeout" ./src/test/soak; }
step_versions-long() { faults "${VERSIONSTIME:-20m}" "${FAULTSEED:-1}" 'TestRollingUpdates$'; }
step_faults-long() { faults "${FAULTSTIME:-30m}" "${FAULTSEED:-0}"; }
step_fuzz-long() { scripts/fuzz "$long_fuzz_runs"; }
step_attack-long() { attack "${ATTACKTIME:-$long_search}"; }
step_noninterference-long() { interferences "${INTERFERENCETIME:-$long_search}"; }

# --- How steps run

# begin: prepares a run of steps. The outcomes are lines of step, outcome, seconds, and the reason why it was left out.
begin() {
  scratch=$(mktemp -d)
  outcomes=$scratch/outcomes
  touch "$outcomes"
  trap 'stop_engine; rm -rf "$scratch"' EXIT
  trap 'trap - INT TERM; kill 0' INT TERM
}

# run STEP: runs a step with what it needs, and notes the outcome. Its status is that of the step.
run() {
  local step=$1 started=$SECONDS status=0 need needs
  declare -F "step_$step" >/dev/null || { echo "there is no step $step; .ci/steps lists them" >&2; exit 2; }
  echo "=== $step: $(column "$step" 5)"
  left_out=
  needs=$(column "$step" 4)
  for need in ${needs//-/}; do "need_$need" || { status=1; echo "what the step needs could not be had: $need"; }; done
  if [[ -n $left_out ]]; then
    printf '%s\tleft out\t0\t%s\n' "$step" "$left_out" >>"$outcomes"
    echo "--- $step: left out: $left_out"
    return 0
  fi
  if [[ $status -eq 0 ]]; then
    # In a process of its own, so that the first command that fails ends it wherever run is called.
    bash -c ". .ci/library.sh; step_$step" || status=$?
  fi
  if [[ $status -eq 0 ]]; then outcome=passed; else outcome=FAILED; fi
  printf '%s\t%s\t%s\t\n' "$step" "$outcome" "$((SECONDS - started))" >>"$outcomes"
  echo "--- $step: $outcome, $((SECONDS - started)) s"
  return "$status"
}

# summary LOG...: one screen: the tests that failed and what they say, and what ran, how long, and what was left out. Its status is 1 if a step failed.
summary() {
  if grep -q FAILED "$outcomes"; then
    echo "=== what failed"
    grep -hE '^ *--- FAIL|^(FAIL|panic|fatal error)|^=== FAIL|DATA RACE|[✗×] |^ *[a-z_]+_test\.go:[0-9]+: ' "$@" /dev/null | cut -c-400 | awk '!seen[$0]++' | tail -n 80 || true
  fi
  echo "=== summary"
  awk -F'\t' '{ printf "%-22s %-9s %6s s  %s\n", $1, $2, $3, $4; count[$2]++ }
    END { printf "%d passed, %d failed, %d skipped\n", count["passed"], count["FAILED"], count["left out"] }' "$outcomes"
  echo "in all: $SECONDS s"
  ! grep -q FAILED "$outcomes"
}
