// Looking again and again, for pages about what no stream tells of.

import {failed, load, me, reached} from "./account.js";

// poll calls look now and then every so many milliseconds, once it is known who this
// browser is. It returns what looks at once.
export function poll(look, interval) {
  let timer;
  const turn = async () => {
    clearTimeout(timer);
    if (document.hidden) return; // looked again when somebody looks
    try {
      if (!me.value) await load();
      await look();
      reached();
    } catch (error) {
      failed(error);
    }
    clearTimeout(timer);
    timer = setTimeout(turn, interval);
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden) turn(); });
  turn();
  return turn;
}
