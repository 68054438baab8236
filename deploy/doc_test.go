// Package deploy has the files that install errand: Dockerfiles, a Caddyfile, systemd units,
// and scripts for docker-compose.yml. It has no code. Its tests check that the programs accept
// these files.
package deploy
