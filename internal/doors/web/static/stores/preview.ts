// What is in a file, as far as a page shows it.

import {say} from "../words";

const maxText = 200_000; // bytes that are read
const maxRows = 500;
const maxColumns = 50;

// readText returns the beginning of a file as text, and whether there is more.
export async function readText(href: string) {
  const response = await fetch(href);
  if (!response.ok || !response.body) throw new Error(say("page.errand_answered", {status: response.status}));
  const reader = response.body.getReader(), decoder = new TextDecoder();
  let text = "", read = 0;
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return {text: text + decoder.decode(), more: false};
    text += decoder.decode(value, {stream: true});
    read += value.length;
    if (read > maxText) break;
  }
  await reader.cancel();
  return {text: text.slice(0, maxText), more: true};
}

// rowsOf returns the rows of a CSV file, and whether there is more. The separator is the one that
// the first line has most of.
export function rowsOf(text: string) {
  const first = text.split("\n", 1)[0], by = [",", ";", "\t"].sort((a, b) => first.split(b).length - first.split(a).length)[0];
  const rows: string[][] = [[]];
  let more = false, at = 0;
  while (at < text.length) {
    const row = rows[rows.length - 1];
    let cell = "";
    if (text[at] === '"') {
      let end = text.indexOf('"', ++at);
      while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
      if (end < 0) end = text.length;
      cell = text.slice(at, end).replaceAll('""', '"');
      at = end + 1;
    }
    const from = at;
    while (at < text.length && text[at] !== by && text[at] !== "\n") at++;
    cell += text.slice(from, at).replace(/\r$/, "");
    if (row.length < maxColumns) row.push(cell);
    else more = true;
    if (text[at++] === by) continue;
    if (rows.length === maxRows) return {rows, more: more || at < text.length};
    rows.push([]);
  }
  return {rows: rows.filter(row => row.some(Boolean)), more};
}
