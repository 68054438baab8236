#!/bin/sh
# Creates the namespace $1 unless it exists. Temporal keeps ended workflows for $2. The
# server takes connections a moment before it answers requests, so this tries 30 times.
set -eu
attempt=0
until temporal operator namespace describe --namespace "$1" >/dev/null 2>&1; do
	if temporal operator namespace create --namespace "$1" --retention "$2"; then
		exit 0
	fi
	attempt=$((attempt + 1))
	[ "$attempt" -lt 30 ] || exit 1
	sleep 1
done
