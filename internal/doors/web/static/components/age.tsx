// How long something has been there, in a word.

import {now} from "../stores/clock";
import {computed, useMemo} from "../ui";
import {say} from "../words";

export function age(ms: number) {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  if (minutes < 1) return say("page.age.just_now");
  if (minutes < 120) return say("page.age.min_ago", {n: minutes});
  return minutes < 48 * 60 ? say("page.age.h_ago", {n: Math.floor(minutes / 60)}) : say("page.age.d_ago", {n: Math.floor(minutes / 1440)});
}

// The clock goes on each second; the word changes now and then.
export function Age({from}: {from: string}) {
  const said = useMemo(() => computed(() => age(now.value - Date.parse(from))), [from]);
  return <span>{said}</span>;
}
