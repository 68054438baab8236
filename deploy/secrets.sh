#!/bin/sh
# Creates the secrets of the services in the folder $1: a password and the owner's key.
# It keeps files that exist, so it may run again.
set -eu
cd "$1"
umask 077

# random prints 256 random bits as 43 characters.
random() { head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'; }

# keep writes standard input to the file $1, completely or not at all. Only the user $2 of
# an image can read the file.
keep() {
	cat >"$1.new"
	chmod 400 "$1.new"
	if [ "$(id -u)" = 0 ]; then chown "$2" "$1.new"; fi
	mv "$1.new" "$1"
}

if [ ! -e postgres_password ]; then
	random | keep postgres_password 1000 # Temporal's user; PostgreSQL reads the file as root
fi
if [ ! -e database_url ]; then
	printf 'postgres://errand:%s@%s/errand?sslmode=disable\n' "$(cat postgres_password)" "${POSTGRES_HOST:-postgres:5432}" | keep database_url 65532
fi
if [ ! -e owner.key ]; then
	printf 'errand_owner_%s\n' "$(random)" | keep owner.key 65532
fi
