package whatsapp

import (
	"strconv"

	"go.mau.fi/whatsmeow/proto/waServerSync"
	"google.golang.org/protobuf/proto"
)

// appState keeps what a person's devices tell each other about settings: lists
// of patches that the server cannot read, whose number is the version.
func (s *Server) appState(c *conn, n *node) {
	p := c.device.owner
	sync := n.GetChildByTag("sync")
	var answers []node
	for _, asked := range sync.GetChildren() {
		name := text(&asked, "name")
		version, _ := strconv.Atoi(text(&asked, "version"))
		a := attrs{"name": name}
		have := p.patches[name]
		if patch, ok := asked.GetOptionalChildByTag("patch"); ok && version != len(have) {
			a["type"] = "error"
			answers = append(answers, node{Tag: "collection", Attrs: a, Content: []node{
				{Tag: "error", Attrs: attrs{"code": "409", "text": "conflict"}}, {Tag: "patches", Content: since(have, version)}}})
			continue
		} else if ok {
			p.patches[name] = append(have, numbered(bytesOf(patch), len(have)+1))
			a["version"] = strconv.Itoa(len(p.patches[name]))
			answers = append(answers, node{Tag: "collection", Attrs: a})
			p.synced(c.device, name)
			continue
		}
		a["version"] = strconv.Itoa(len(have))
		answers = append(answers, node{Tag: "collection", Attrs: a, Content: []node{{Tag: "patches", Content: since(have, version)}}})
	}
	c.result(n, node{Tag: "sync", Content: answers})
}

func numbered(raw []byte, version int) []byte {
	var patch waServerSync.SyncdPatch
	if proto.Unmarshal(raw, &patch) != nil {
		return raw
	}
	patch.Version = &waServerSync.SyncdVersion{Version: proto.Uint64(uint64(version))}
	if out, err := proto.Marshal(&patch); err == nil {
		return out
	}
	return raw
}

func since(patches [][]byte, version int) []node {
	var list []node
	for _, patch := range patches[min(max(version, 0), len(patches)):] {
		list = append(list, node{Tag: "patch", Content: patch})
	}
	return list
}

func (p *Person) synced(by *Device, name string) {
	for _, d := range p.inOrder() {
		if d != by && d.logins > 0 {
			d.deliver(node{Tag: "notification", Attrs: attrs{"type": "server_sync", "from": p.JID(), "id": p.s.stanza()},
				Content: []node{{Tag: "collection", Attrs: attrs{"name": name, "version": strconv.Itoa(len(p.patches[name]))}}}})
		}
	}
}
