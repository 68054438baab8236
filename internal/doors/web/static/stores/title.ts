// The title of the tab: the page, and before it the number of things that are new or wait.

import {effect, signal} from "../ui";
import {me} from "./account";

export const titled = signal(document.title);
export const unseen = signal(0); // what came while nobody looked

effect(() => {
  const n = unseen.value + (me.value?.waiting ?? 0);
  document.title = `${n ? `(${n}) ` : ""}${titled.value}`;
});
