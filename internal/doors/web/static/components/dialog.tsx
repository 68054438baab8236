// What a person is asked before something that cannot be undone.

import {question, type Sure} from "../stores/question";
import {useRef} from "../ui";
import {say} from "../words";
import {useModal} from "./modal";

export function Dialog() {
  return question.value && <Ask {...question.value} />;
}

function Ask({text, yes, detail, list, answer}: Sure) {
  const dialog = useRef<HTMLDialogElement>(null!);
  useModal(dialog);
  return <dialog ref={dialog} aria-label={text} onClose={event => answer(event.currentTarget.returnValue === "yes")}>
    <p class="title">{text}</p>
    {list && <ul class="plain">{list.map((line, i) => <li key={i} dir="auto">{line}</li>)}</ul>}
    {detail && <p class="muted">{detail}</p>}
    <form method="dialog" class="choices">
      <button value="no" autofocus>{say("page.dialog.keep_it")}</button><button value="yes" class="danger">{yes}</button>
    </form>
  </dialog>;
}
