// Numbers as people read them, in their language.

import {elapsed} from "./api";
import {language} from "./words";

const formats = new Map<string, Intl.NumberFormat>();

function format(options: Intl.NumberFormatOptions) {
  const key = language.value + JSON.stringify(options);
  const made = formats.get(key) ?? new Intl.NumberFormat(language.value, options);
  formats.set(key, made);
  return made;
}

export const number = (n = 0) => format({}).format(n);

// short is a large number in few characters: 12K.
export const short = (n: number) => n < 10000 ? number(n) : format({notation: "compact", maximumFractionDigits: 1}).format(n);

// money is an amount in USD; what is small keeps its digits.
export const money = (n = 0) => format({style: "currency", currency: "USD", minimumFractionDigits: 2, maximumFractionDigits: n && n < 1 ? 4 : 2}).format(n);

// took is how long something has lasted, a part of a second too.
export function took(from: string, to: string) {
  const begun = Date.parse(from), ended = Date.parse(to), ms = Math.max(0, ended - begun);
  return ms < 10000 ? `${format({maximumFractionDigits: 1}).format(ms / 1000)} s` : elapsed(begun, ended);
}
