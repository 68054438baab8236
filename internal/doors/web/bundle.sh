#!/usr/bin/env bash
# bundle.sh joins the scripts of the pages with esbuild and writes them to bundle, which the
# program embeds. "bundle.sh check" writes nothing, and fails if bundle is not current.
set -euo pipefail
cd "$(dirname "$0")"
out=bundle
case ${1:-} in
'') rm -rf "$out" ;;
check) out=$(mktemp -d) && trap 'rm -rf "$out"' EXIT ;;
*) echo "usage: bundle.sh [check]" >&2 && exit 2 ;;
esac

pages=$(sed -n 's|.*<script type="module" src="/\{0,1\}\([^"]*\)".*|static/\1|p' static/*.html | sed 's|\.js$|.tsx|')
# sw.ts and theme.ts import nothing. The tests of the pages load the last two by themselves.
go tool esbuild $pages static/sw.ts static/theme.ts static/markdown.ts static/markdown/renderer.ts \
	--alias:preact=./static/vendor/preact/preact.mjs \
	--alias:preact/hooks=./static/vendor/preact/hooks.mjs \
	--alias:lucide/icons=./static/vendor/lucide \
	--alias:preact/jsx-runtime=./static/vendor/preact/jsxRuntime.mjs \
	--alias:@preact/signals=./static/vendor/preact/signals.mjs \
	--alias:@preact/signals-core=./static/vendor/preact/signals-core.mjs \
	--alias:dompurify=./static/vendor/dompurify/purify.es.mjs \
	--alias:markdown-it=./static/vendor/markdown-it/markdown-it.esm.min.mjs \
	--alias:markdown-it-footnote=./static/vendor/markdown-it-footnote/index.mjs \
	--alias:katex=./static/vendor/katex/katex.mjs \
	--alias:@highlightjs/cdn-assets=./static/vendor/highlight \
	--bundle --splitting --minify --format=esm --target=es2022 --charset=utf8 --outbase=static --outdir="$out" --chunk-names=shared/[name]-[hash] --log-level=warning

[ "$out" = bundle ] || diff -r bundle "$out" || { echo "internal/doors/web/bundle is not current: run go generate ./internal/doors/web" >&2; exit 1; }
