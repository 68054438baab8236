// How long something has taken, or takes.

import {elapsed} from "../api";
import {now} from "../stores/clock";

export function Elapsed({from, to}: {from: string; to?: string}) {
  return <span class="elapsed">{elapsed(Date.parse(from), to ? Date.parse(to) : now.value)}</span>;
}
