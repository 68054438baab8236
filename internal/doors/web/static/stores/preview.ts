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
  return {text, more: true};
}

// rowsOf returns the rows of a CSV file, and whether there is more. The separator is the one that
// the first line has most of.
export function rowsOf(text: string) {
  const first = text.split("\n", 1)[0], by = [",", ";", "\t"].sort((a, b) => first.split(b).length - first.split(a).length)[0];
  const rows: string[][] = [[]];
  let more = false;
  for (const [, quoted, plain, end] of text.matchAll(new RegExp(`(?:"((?:[^"]|"")*)"|([^"${by}\\r\\n][^${by}\\r\\n]*|))(${by}|\\r?\\n|$)`, "g"))) {
    const row = rows[rows.length - 1];
    if (row.length < maxColumns) row.push(quoted?.replaceAll('""', '"') ?? plain);
    else more = true;
    if (end === by) continue;
    if (!end) break;
    if (rows.length === maxRows) return {rows, more: true};
    rows.push([]);
  }
  return {rows: rows.filter(row => row.some(Boolean)), more};
}
