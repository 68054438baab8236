#!/bin/sh
# Creates Temporal's two databases, or updates them to the version of these tools. It may
# run again.
set -eu
SQL_PASSWORD="$(cat "$SQL_PASSWORD_FILE")"
export SQL_PASSWORD

for schema in temporal:temporal temporal_visibility:visibility; do
	database="${schema%%:*}"
	temporal-sql-tool --database "$database" create-database
	temporal-sql-tool --database "$database" setup-schema --version 0.0
	temporal-sql-tool --database "$database" update-schema --schema-dir "${TEMPORAL_SCHEMA:-/etc/temporal/schema}/postgresql/v12/${schema##*:}/versioned"
done
