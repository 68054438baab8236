// Times as people read them: in the language of the page, as its region writes it, and by
// the clocks of whoever reads.

import {signal} from "./ui";
import {language} from "./words";

// A Time is as the API writes it, or in milliseconds.
export type Time = string | number | Date;

// zone is by whose clocks times are told, as Europe/Oslo; empty: those of the browser.
export const zone = signal("");

// by has times told by the clocks of a zone, where the browser knows it.
export function by(name: string | undefined) {
  try {
    zone.value = name ? new Intl.DateTimeFormat("en", {timeZone: name}).resolvedOptions().timeZone : "";
  } catch {
    zone.value = "";
  }
}

// A browser set to en-GB writes English times as there.
const region = (tag: string) => navigator.languages?.find(one => one.split("-")[0] === tag) ?? tag;

const writers = new Map<string, Intl.DateTimeFormat>(); // they take long to be made

function writer(key: string, tag: string, options: Intl.DateTimeFormatOptions) {
  const made = writers.get(key) ?? new Intl.DateTimeFormat(tag, {timeZone: zone.value || undefined, ...options});
  writers.set(key, made);
  return made;
}

function write(at: Time, options: Intl.DateTimeFormatOptions) {
  return writer(`${language.value} ${zone.value} ${JSON.stringify(options)}`, region(language.value), options).format(new Date(at));
}

// dayOf is the day of a time, as 2026-11-26; empty without one.
export function dayOf(at: Time | undefined) {
  if (!at || isNaN(Number(new Date(at)))) return "";
  const days = writer(`day ${zone.value}`, "en", {year: "numeric", month: "2-digit", day: "2-digit"});
  const parts = Object.fromEntries(days.formatToParts(new Date(at)).map(({type, value}) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}`;
}

// before is the day before one.
export const before = (day: string) => new Date(Date.parse(`${day}T12:00Z`) - 24 * 3600 * 1000).toISOString().slice(0, 10);

// dateName is a day without its year.
export const dateName = (at: Time) => write(at, {day: "numeric", month: "long"});

// dayName is a day in words, with the year where it is another than this.
export function dayName(at: Time) {
  const year = dayOf(at).slice(0, 4) === dayOf(new Date()).slice(0, 4) ? undefined : "numeric";
  return write(at, {weekday: "long", day: "numeric", month: "long", year});
}

// prepareTimes does what takes a browser long when it writes a time for the first time.
export const prepareTimes = () => { moment(Date.now()); };

// moment tells a time as people read it: today without its date.
export function moment(at: Time | undefined) {
  const day = dayOf(at);
  if (!at || !day) return "";
  const today = dayOf(new Date()), time = write(at, {hour: "numeric", minute: "2-digit"});
  if (day === today) return time;
  return `${write(at, {day: "numeric", month: "short", year: day.slice(0, 4) === today.slice(0, 4) ? undefined : "numeric"})}, ${time}`;
}

// minuteOf returns a time as people may type it for a reminder: 2026-11-26 09:30.
export const minuteOf = (at: Time) => `${dayOf(at)} ${writer(`minute ${zone.value}`, "en-GB", {hour: "2-digit", minute: "2-digit"}).format(new Date(at))}`;

// clock returns the time of day to the second.
export const clock = (at: Time) => write(at, {hour: "2-digit", minute: "2-digit", second: "2-digit"});

// whole tells all of a time.
export const whole = (at: Time) => write(at, {dateStyle: "full", timeStyle: "medium"});
