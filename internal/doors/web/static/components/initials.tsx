// The first letter of who speaks, on a tint. Agents have a tint each, by their place among the
// agents; people and agents of other systems have a grey one.

import {me} from "../stores/account";

const tints = 4;

export function Initials({name, person, large}: {name: string; person?: boolean; large?: boolean}) {
  const place = person ? -1 : me.value?.agents.indexOf(name) ?? -1;
  return <span class={`initials${place >= 0 ? ` agent-${place % tints + 1}` : ""}${large ? " large" : ""}`} aria-hidden="true">{[...name][0]?.toUpperCase()}</span>;
}
