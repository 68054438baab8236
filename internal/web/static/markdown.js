// The Markdown that models write, as DOM nodes: paragraphs, lists, headings,
// code, emphasis and links. Nothing of the text ever becomes markup.

import {make} from "./api.js";

export function markdown(text) {
  const out = document.createDocumentFragment();
  const lines = text.split("\n");
  let paragraph = [];
  const flush = () => {
    if (paragraph.length) out.append(make("p", {}, ...inline(paragraph.join("\n"))));
    paragraph = [];
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (/^\s*```/.test(line)) {
      flush();
      const code = [];
      while (++i < lines.length && !/^\s*```/.test(lines[i])) code.push(lines[i]);
      out.append(make("pre", {tabindex: "0"}, make("code", {}, code.join("\n"))));
    } else if (/^\s*([-*+]|\d+[.)])\s+/.test(line)) {
      flush();
      const ordered = /^\s*\d/.test(line);
      const list = make(ordered ? "ol" : "ul");
      for (; i < lines.length && /^\s*([-*+]|\d+[.)])\s+/.test(lines[i]); i++) {
        list.append(make("li", {}, ...inline(lines[i].replace(/^\s*([-*+]|\d+[.)])\s+/, ""))));
      }
      i--;
      out.append(list);
    } else if (/^#{1,6}\s/.test(line)) {
      flush();
      out.append(make("p", {}, make("strong", {}, ...inline(line.replace(/^#+\s*/, "")))));
    } else if (line.trim() === "") {
      flush();
    } else {
      paragraph.push(line);
    }
  }
  flush();
  return out;
}

const marks = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<![\w*])\*([^*\n]+)\*(?!\w)|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)|(https?:\/\/[^\s<>()]+[^\s<>().,;:!?])|\n/g;

function inline(text) {
  const nodes = [];
  let at = 0;
  for (const m of text.matchAll(marks)) {
    if (m.index > at) nodes.push(text.slice(at, m.index));
    at = m.index + m[0].length;
    if (m[1] !== undefined) nodes.push(make("code", {}, m[1]));
    else if (m[2] !== undefined) nodes.push(make("strong", {}, ...inline(m[2])));
    else if (m[3] !== undefined) nodes.push(make("em", {}, ...inline(m[3])));
    else if (m[5] !== undefined) nodes.push(make("a", {href: m[5], target: "_blank", rel: "noopener noreferrer"}, m[4]));
    else if (m[6] !== undefined) nodes.push(make("a", {href: m[6], target: "_blank", rel: "noopener noreferrer"}, m[6]));
    else nodes.push(make("br"));
  }
  if (at < text.length) nodes.push(text.slice(at));
  return nodes;
}
