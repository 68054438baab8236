#!/bin/sh
# Makes, in the folder $1, what the services show one another: a password and the
# owner's key. What is there stays as it is, so it may run again.
set -eu
cd "$1"
umask 077

# random prints 43 letters of 256 bits.
random() { head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'; }

# keep makes the file $1 of its standard input, whole or not at all, readable for the
# user $2 of an image alone.
keep() {
	cat >"$1.new"
	chmod 400 "$1.new"
	if [ "$(id -u)" = 0 ]; then chown "$2" "$1.new"; fi
	mv "$1.new" "$1"
}

if [ ! -e postgres_password ]; then
	random | keep postgres_password 1000 # Temporal's; PostgreSQL reads it as root
fi
if [ ! -e database_url ]; then
	printf 'postgres://errand:%s@%s/errand?sslmode=disable\n' "$(cat postgres_password)" "${POSTGRES_HOST:-postgres:5432}" | keep database_url 65532
fi
if [ ! -e owner.key ]; then
	printf 'errand_owner_%s\n' "$(random)" | keep owner.key 65532
fi
