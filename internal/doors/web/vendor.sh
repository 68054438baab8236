#!/usr/bin/env bash
# vendor.sh writes the modules of others that the pages use to static/vendor, with
# their licences, and what only the tests use to ../../test/browser/testdata/vendor: the
# versions of package.json, whose hashes are in package-lock.json. "vendor.sh check"
# writes nothing, and fails if what is there is anything else.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp package.json package-lock.json "$work"
(cd "$work" && npm ci --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
new=$work/vendor tests=$work/tests

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

take markdown-it-footnote markdown-it-footnote/index.mjs
take markdown-it-footnote markdown-it-footnote/LICENSE

take katex katex/dist/katex.mjs
take katex katex/LICENSE

take dompurify dompurify/dist/purify.es.mjs
take dompurify dompurify/LICENSE

take highlight @highlightjs/cdn-assets/es/highlight.min.js
take highlight @highlightjs/cdn-assets/LICENSE

take lucide lucide/LICENSE
for icon in $(sed -n "s,.*lucide/icons/\(.*\)\.mjs.*,\1,p" static/components/icon.tsx); do
	take lucide "lucide/dist/esm/icons/$icon.mjs"
done

take preact preact/dist/preact.mjs
take preact preact/hooks/dist/hooks.mjs
take preact preact/jsx-runtime/dist/jsxRuntime.mjs
take preact preact/LICENSE
take preact @preact/signals/dist/signals.mjs
take preact @preact/signals-core/dist/signals-core.mjs
take preact @preact/signals/LICENSE LICENSE.signals

mkdir -p "$tests/axe"
install -m 644 "$work"/node_modules/axe-core/{axe.min.js,LICENSE,LICENSE-3RD-PARTY.txt} "$tests/axe"

# put compares a folder with what it has to be, or makes it so.
put() { # from to
	if [ "$check" ]; then
		diff -r "$1" "$2" || { echo "internal/doors/web/$2 is not what package-lock.json says: run internal/doors/web/vendor.sh" >&2; exit 1; }
	else
		rm -rf "$2"
		mkdir -p "$(dirname "$2")"
		cp -r "$1" "$2"
	fi
}
check=${1:+yes}
[ "${1:-check}" = check ] || { echo "usage: vendor.sh [check]" >&2; exit 2; }
put "$new" static/vendor
put "$tests" ../../test/browser/testdata/vendor
