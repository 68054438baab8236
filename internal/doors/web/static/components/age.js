// How long something has been there, in a word.

import {now} from "../stores/clock.js";
import {computed, html, useMemo} from "../ui.js";
import {say} from "../words.js";

export function age(ms) {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  if (minutes < 1) return say("page.age.just_now");
  if (minutes < 120) return say("page.age.min_ago", {n: minutes});
  return minutes < 48 * 60 ? say("page.age.h_ago", {n: Math.floor(minutes / 60)}) : say("page.age.d_ago", {n: Math.floor(minutes / 1440)});
}

// The clock goes on each second; the word changes now and then.
export function Age({from}) {
  const said = useMemo(() => computed(() => age(now.value - new Date(from))), [from]);
  return html`<span>${said}</span>`;
}
