// Package deploy has the files that install errand: Dockerfiles, a Caddyfile, systemd units,
// and scripts for docker-compose.yml. Its tests check that the programs accept these files. The
// script release builds archives, packages and an image with the module in packaging.
package deploy
