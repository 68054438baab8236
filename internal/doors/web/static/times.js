// Times as people read them: in the language of the page, as its region writes it, and by
// the clocks of whoever reads.

import {signal} from "./ui.js";
import {language} from "./words.js";

// zone is by whose clocks times are told, as Europe/Oslo; empty: those of the browser.
export const zone = signal("");

// by has times told by the clocks of a zone, where the browser knows it.
export function by(name) {
  try {
    zone.value = name ? new Intl.DateTimeFormat("en", {timeZone: name}).resolvedOptions().timeZone : "";
  } catch {
    zone.value = "";
  }
}

// A browser set to en-GB writes English times as there.
const region = tag => navigator.languages?.find(one => one.split("-")[0] === tag) ?? tag;

const writers = new Map(); // they take long to be made

function write(at, options) {
  const key = `${language.value} ${zone.value} ${JSON.stringify(options)}`;
  if (!writers.has(key)) writers.set(key, new Intl.DateTimeFormat(region(language.value), {timeZone: zone.value || undefined, ...options}));
  return writers.get(key).format(at);
}

// dayOf is the day of a time, as 2026-11-26; empty without one.
export function dayOf(at) {
  if (!at || isNaN(new Date(at))) return "";
  const key = `day ${zone.value}`;
  if (!writers.has(key)) writers.set(key, new Intl.DateTimeFormat("en", {timeZone: zone.value || undefined, year: "numeric", month: "2-digit", day: "2-digit"}));
  const parts = Object.fromEntries(writers.get(key).formatToParts(new Date(at)).map(({type, value}) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}`;
}

// before is the day before one.
export const before = day => new Date(Date.parse(`${day}T12:00Z`) - 24 * 3600 * 1000).toISOString().slice(0, 10);

// dayName is a day in words, with the year where it is another than this.
export function dayName(at) {
  const year = dayOf(at).slice(0, 4) === dayOf(new Date()).slice(0, 4) ? undefined : "numeric";
  return write(new Date(at), {weekday: "long", day: "numeric", month: "long", year});
}

// prepareTimes does what takes a browser long when it writes a time for the first time.
export const prepareTimes = () => { moment(Date.now()); };

// moment tells a time as people read it: today without its date.
export function moment(text) {
  const at = new Date(text), day = dayOf(at);
  if (!day) return "";
  const today = dayOf(new Date()), time = write(at, {hour: "2-digit", minute: "2-digit"});
  if (day === today) return time;
  return `${write(at, {day: "numeric", month: "short", year: day.slice(0, 4) === today.slice(0, 4) ? undefined : "numeric"})}, ${time}`;
}

// whole tells all of a time.
export const whole = text => write(new Date(text), {dateStyle: "full", timeStyle: "medium"});
