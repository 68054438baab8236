// The column beside a page. On a phone there is no room for one: what is in it stands in the
// page, below its title.

import {type ComponentChildren, signal} from "../ui";

const room = matchMedia("(min-width: 47.5rem)");
const wide = signal(room.matches);
room.addEventListener("change", () => { wide.value = room.matches; });

interface Props {
  label: string;
  children: ComponentChildren;
}

export function Side({label, children}: Props) {
  return wide.value && <aside class="side" aria-label={label}>{children}</aside>;
}

// Narrow is the place of the same column in the page.
export function Narrow({children}: {children: ComponentChildren}) {
  return !wide.value && <div class="narrow-side">{children}</div>;
}
