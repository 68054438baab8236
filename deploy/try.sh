#!/bin/sh
# Starts the services of docker-compose.yml without Docker: PostgreSQL, a real Temporal
# server, two workers and Caddy, as processes on this machine. It runs one turn and one
# background task, kills the worker that works on the task, checks that the result comes
# once, and removes everything. It needs Go, and Debian's postgresql and caddy.
#
#   deploy/try.sh                            # two minutes, most of it waiting
#   deploy/try.sh scale|restart [-for 30s]   # measurements; scale also [-workers 1,4]
#   deploy/try.sh -bin DIR                   # keep the programs, for the next time
set -eu
cd "$(dirname "$0")/.."
export CGO_ENABLED=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/try" ./internal/test/compose
"$dir/try" "$@"
