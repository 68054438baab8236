// Looking again and again, for pages about what no stream tells of.

import {failed, load, me, reached} from "./account";

// poll calls look now and then every so many milliseconds, once it is known who this
// browser is. It returns what looks at once. Where something else tells whether errand can
// be reached, says is given, and where what there is was just looked at, later.
export function poll(look: () => Promise<void>, interval: number, says: {reached(): void; failed(error: unknown): void} = {reached, failed}, later = false) {
  let timer = 0;
  const turn = async () => {
    clearTimeout(timer);
    if (document.hidden) return; // looked again when somebody looks
    try {
      if (!me.value) await load();
      await look();
      says.reached();
    } catch (error) {
      says.failed(error);
    }
    clearTimeout(timer);
    timer = setTimeout(turn, interval);
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden) turn(); });
  if (later) timer = setTimeout(turn, interval);
  else turn();
  return turn;
}
