// Numbers as people read them, in their language.

import {elapsed} from "./api.js";
import {language} from "./words.js";

const formats = new Map();

function format(options) {
  const key = language.value + JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(language.value, options));
  return formats.get(key);
}

export const number = n => format({}).format(n ?? 0);

// short is a large number in few characters: 12K.
export const short = n => n < 10000 ? number(n) : format({notation: "compact", maximumFractionDigits: 1}).format(n);

// money is an amount in USD; what is small keeps its digits.
export const money = n => format({style: "currency", currency: "USD", minimumFractionDigits: 2, maximumFractionDigits: n && n < 1 ? 4 : 2}).format(n ?? 0);

// took is how long something has lasted, a part of a second too.
export function took(from, to) {
  const ms = Math.max(0, new Date(to) - new Date(from));
  return ms < 10000 ? `${format({maximumFractionDigits: 1}).format(ms / 1000)} s` : elapsed(new Date(from), new Date(to));
}
