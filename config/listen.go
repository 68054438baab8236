package config

import (
	"net"
	"strconv"
)

const mostPort = 65535

// listen checks where to listen, and shifts all ports.
func (l *loader) listen(s setting) {
	c := l.cfg
	c.PortOffset = l.src.Flags.PortOffset
	if most := mostPort - c.UIPort; c.PortOffset < 0 || c.PortOffset > most {
		l.faults.add("", 0, "--port-offset: %d is not between 0 and %d", c.PortOffset, most)
		return
	}
	c.TemporalPort += c.PortOffset
	c.UIPort += c.PortOffset

	host, number, err := net.SplitHostPort(s.value)
	port, errPort := strconv.ParseUint(number, 10, 16)
	if err != nil || errPort != nil {
		l.fault(s, "%q is not host:port", s.value)
		return
	}
	if !l.src.Client && c.Token == "" && !loopback(host) {
		l.fault(s, "%q can be reached from other machines: set ERRAND_TOKEN", s.value)
	}
	if port != 0 { // 0 is any free port
		port += uint64(c.PortOffset)
	}
	if port > mostPort {
		l.fault(s, "port %d is above %d with --port-offset %d", port, mostPort, c.PortOffset)
	}
	c.Listen = net.JoinHostPort(host, strconv.FormatUint(port, 10))
}

// loopback reports whether only this machine can reach host. Other names than
// localhost are not looked up: what they mean can change after the check.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
