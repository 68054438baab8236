// A button that does something. What goes wrong is told beside it.

import {announce} from "../stores/announcer.js";
import {html, useState} from "../ui.js";

export function Act({label, run, end, name = "small", describe}) {
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const click = async () => {
    if (busy) return;
    setBusy(true);
    setWrong("");
    try {
      await run();
    } catch (error) {
      setWrong(error.message);
      announce(error.message);
    }
    setBusy(false);
  };
  // Not disabled while it is busy: it would lose the focus.
  return html`<span class=${end ? "act end" : "act"}>
    <button class=${name} type="button" aria-disabled=${busy ? "true" : undefined} aria-label=${describe} onClick=${click}>${label}</button>
    <span class="said">${wrong}</span>
  </span>`;
}
