// A long text in pieces of about one size, each of which can be shown by itself.

import type {Token} from "markdown-it";

const most = 400; // tokens of a piece

const weight = (tokens: Token[]) => tokens.reduce((sum, t) => sum + 1 + (t.children?.length ?? 0), 0);

// pieces divides the tokens of a whole text.
export function pieces(tokens: Token[]) {
  const out: Token[][] = [];
  let piece: Token[] = [], size = 0;
  const end = () => {
    if (piece.length) out.push(piece);
    piece = [];
    size = 0;
  };
  for (const block of siblings(tokens, 0)) {
    const heavy = weight(block);
    if (size + heavy > most) end();
    if (heavy > most) {
      for (const part of divided(block)) out.push(part);
    } else {
      for (const t of block) piece.push(t);
      size += heavy;
    }
  }
  end();
  return out;
}

// siblings groups tokens by the elements of one level.
function siblings(tokens: Token[], level: number) {
  const out: Token[][] = [];
  let from = 0;
  tokens.forEach((t, i) => {
    if (t.level !== level || t.nesting === 1) return;
    out.push(tokens.slice(from, i + 1));
    from = i + 1;
  });
  return out;
}

// divided takes a long block apart: a table between its rows, a list between its
// entries, a quote between its blocks, a paragraph between its lines.
function divided(block: Token[]) {
  const open = block[0], close = block[block.length - 1];
  if (open.type === "paragraph_open") return lines(block);
  if (open.type === "table_open") {
    const body = block.findIndex(t => t.type === "tbody_open");
    if (body < 0) return [block];
    const rows = siblings(block.slice(body + 1, -2), block[body].level + 1);
    return groups(rows).map(({inner}) => [...block.slice(0, body + 1), ...inner, ...block.slice(-2)]);
  }
  if (open.nesting !== 1 || open.type === "heading_open") return [block];
  return groups(siblings(block.slice(1, -1), 1)).map(({inner, first}) => {
    if (open.type !== "ordered_list_open" || first === 0) return [open, ...inner, close];
    return [copy(open, {attrs: [["start", String(Number(open.attrGet("start") ?? 1) + first)]]}), ...inner, close];
  });
}

// groups joins neighbours up to the size of a piece; first is the index of the
// first one.
function groups(parts: Token[][]) {
  const out: {inner: Token[]; first: number}[] = [];
  let size = Infinity;
  parts.forEach((part, i) => {
    const heavy = weight(part);
    if (size + heavy > most) {
      out.push({inner: [], first: i});
      size = 0;
    }
    for (const t of part) out[out.length - 1].inner.push(t);
    size += heavy;
  });
  return out;
}

function lines([open, inline, close]: Token[]) {
  const out: Token[][] = [];
  let line: Token[] = [];
  const end = () => {
    if (line.length) out.push([open, copy(inline, {children: line}), close]);
    line = [];
  };
  for (const t of inline.children ?? []) {
    if (t.type.endsWith("break") && t.level === 0 && line.length >= most) end();
    else line.push(t);
  }
  end();
  return out;
}

const copy = (token: Token, change: Partial<Token>): Token => Object.assign(Object.create(Object.getPrototypeOf(token)), token, change);
