// A section of the panel of work. Without rows it says what would be in it.

import type {ComponentChildren} from "../ui";

export function Section({title, n, empty, action, children}: {title: string; n: number; empty?: string; action?: ComponentChildren; children?: ComponentChildren}) {
  return <section aria-label={title}>
    <h2>{title} {n > 0 && <span class="n">{n}</span>}{action}</h2>
    {n > 0 ? <ul>{children}</ul> : <p>{empty}</p>}
  </section>;
}
