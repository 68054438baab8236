#!/usr/bin/env bash
# types.sh checks the types of the scripts of the pages. It installs the modules of
# package-lock.json in node_modules unless they are there already.
set -euo pipefail
cd "$(dirname "$0")"
if ! cmp -s package-lock.json node_modules/installed; then
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
	cp package-lock.json node_modules/installed
fi
node_modules/.bin/tsc --project .
node_modules/.bin/tsc --project tsconfig.sw.json # it has no document
