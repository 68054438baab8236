// What a person is asked before something that cannot be undone.

import {question} from "../stores/question.js";
import {html, useRef} from "../ui.js";
import {say} from "../words.js";
import {useModal} from "./modal.js";

export function Dialog() {
  return question.value && html`<${Ask} ...${question.value} />`;
}

function Ask({text, yes, detail, answer}) {
  const dialog = useRef();
  useModal(dialog);
  return html`<dialog ref=${dialog} aria-label=${text} onClose=${event => answer(event.target.returnValue === "yes")}>
    <p class="title">${text}</p>
    ${detail && html`<p class="muted">${detail}</p>`}
    <form method="dialog" class="choices">
      <button value="no" autofocus>${say("page.dialog.keep_it")}</button><button value="yes" class="danger">${yes}</button>
    </form>
  </dialog>`;
}
