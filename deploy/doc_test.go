// Package deploy is what errand is installed with, and tests that hold it to what the
// programs really take: docker-compose.yml, the Dockerfiles, the Caddyfile, units for
// systemd. It has no code.
package deploy
