// The button that opens and closes the panel of work.

import {terminal} from "../api";
import type {Conversation} from "../stores/conversation";
import {show, shown} from "../stores/work";
import {language, say} from "../words";
import {Icon} from "./icon";

export function WorkButton({conversation}: {conversation: Conversation}) {
  const n = conversation.tasks.all().filter(task => !terminal(task.state)).length, label = n ? say("page.work.work_errands", {n}) : say("page.work.work");
  return <button id="work-button" class="icon-only" type="button" lang={language} aria-expanded={shown.value} title={say("page.work.work")} aria-label={label} onClick={() => show(!shown.value)}>
    <Icon name="panelRight" />{n > 0 && !shown.value && <span class="unread" aria-hidden="true">{n}</span>}
  </button>;
}
