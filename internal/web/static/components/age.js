// How long something has been there, in a word.

import {now} from "../stores/clock.js";
import {computed, html, useMemo} from "../ui.js";

export function age(ms) {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 120) return `${minutes} min ago`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} d ago`;
}

// The clock goes on each second; the word changes now and then.
export function Age({from}) {
  const said = useMemo(() => computed(() => age(now.value - new Date(from))), [from]);
  return html`<span>${said}</span>`;
}
