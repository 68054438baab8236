package main

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
)

// serveNames answers as Docker's name server does: with the addresses of all replicas
// of a service (RFC 1035; type A only), over UDP and TCP, until it is closed.
func serveNames(at string, of func(name string) []string) (io.Closer, error) {
	packets, err := net.ListenPacket("udp", at)
	if err != nil {
		return nil, err
	}
	streams, err := net.Listen("tcp", at)
	if err != nil {
		packets.Close()
		return nil, err
	}
	go func() {
		packet := make([]byte, 512)
		for {
			n, from, err := packets.ReadFrom(packet)
			if err != nil {
				return
			}
			if reply := nameReply(packet[:n], of); reply != nil {
				packets.WriteTo(reply, from)
			}
		}
	}()
	go func() {
		for {
			conn, err := streams.Accept()
			if err != nil {
				return
			}
			go answerStream(conn, of)
		}
	}()
	return closers{packets, streams}, nil
}

// answerStream answers on one connection, where a length is before each message.
func answerStream(conn net.Conn, of func(name string) []string) {
	defer conn.Close()
	for {
		var length uint16
		if binary.Read(conn, binary.BigEndian, &length) != nil {
			return
		}
		query := make([]byte, length)
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		reply := nameReply(query, of)
		if reply == nil || binary.Write(conn, binary.BigEndian, uint16(len(reply))) != nil {
			return
		}
		if _, err := conn.Write(reply); err != nil {
			return
		}
	}
}

type closers []io.Closer

func (c closers) Close() error {
	var problems []error
	for _, one := range c {
		problems = append(problems, one.Close())
	}
	return errors.Join(problems...)
}

const (
	dnsHeader = 12
	typeA     = 1
)

func nameReply(query []byte, of func(name string) []string) []byte {
	if len(query) < dnsHeader {
		return nil
	}
	var labels []string
	at := dnsHeader
	for at < len(query) && query[at] != 0 {
		end := at + 1 + int(query[at])
		if end >= len(query) {
			return nil
		}
		labels, at = append(labels, string(query[at+1:end])), end
	}
	if at+5 > len(query) {
		return nil
	}
	var found []string
	if binary.BigEndian.Uint16(query[at+1:]) == typeA {
		found = of(strings.Join(labels, "."))
	}
	reply := append([]byte{}, query[:at+5]...)
	reply[2], reply[3] = 0x81, 0x80 // an answer; recursion desired and available
	binary.BigEndian.PutUint16(reply[6:], uint16(len(found)))
	binary.BigEndian.PutUint32(reply[8:], 0) // nothing of authorities, nothing additional
	for _, ip := range found {
		reply = append(reply, 0xc0, dnsHeader, 0, typeA, 0, 1, 0, 0, 0, 1, 0, 4) // the name of the question; for a second
		reply = append(reply, net.ParseIP(ip).To4()...)
	}
	return reply
}
