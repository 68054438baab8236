#!/usr/bin/env bash
# vendor.sh writes the modules of others that the pages use to static/vendor, with
# their licences: the versions of package.json, whose hashes are in
# package-lock.json. "vendor.sh check" writes nothing, and fails if what is there
# is anything else.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp package.json package-lock.json "$work"
(cd "$work" && npm ci --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
new=$work/vendor

# take copies a file of a package into the folder of the module it belongs to.
take() { # module file [name]
	mkdir -p "$new/$1"
	install -m 644 "$work/node_modules/$2" "$new/$1/${3:-$(basename "$2")}"
}

take markdown-it markdown-it/dist/browser/markdown-it.esm.min.mjs
take markdown-it markdown-it/LICENSE
# What is inside the same file:
take markdown-it entities/LICENSE LICENSE.entities
take markdown-it linkify-it/LICENSE LICENSE.linkify-it
take markdown-it mdurl/LICENSE LICENSE.mdurl
take markdown-it punycode.js/LICENSE-MIT.txt LICENSE.punycode
take markdown-it uc.micro/LICENSE.txt LICENSE.uc.micro

take dompurify dompurify/dist/purify.es.mjs
take dompurify dompurify/LICENSE

take highlight @highlightjs/cdn-assets/es/highlight.min.js
take highlight @highlightjs/cdn-assets/LICENSE

if [ "${1:-}" = check ]; then
	diff -r "$new" static/vendor || { echo "static/vendor is not what package-lock.json says: run internal/web/vendor.sh" >&2; exit 1; }
else
	rm -rf static/vendor
	cp -r "$new" static/vendor
fi
