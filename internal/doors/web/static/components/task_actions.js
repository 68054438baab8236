// What can be done with a task as a whole.

import {ask, terminal} from "../api.js";
import {may} from "../stores/account.js";
import {html} from "../ui.js";
import {say} from "../words.js";
import {Act} from "./act.js";

// whose is the person whose task it may be, for the address: "", or "*" for anybody's.
export function TaskActions({task, changed, whose = ""}) {
  const act = (verb, label, describe) => may(`POST /api/tasks/{id}/${verb}`) && html`<${Act} key=${verb} label=${label} describe=${describe} run=${async () => {
    const now = await ask(`/api/tasks/${task.id}/${verb}${whose && `?${new URLSearchParams({person: whose})}`}`, {});
    await changed(now);
  }} />`;
  if (!terminal(task.state)) return act("cancel", say("page.cancel"), say("page.task_actions.cancel", {title: task.title}));
  return task.state === "completed" ? null : act("retry", say("page.task_actions.retry"), say("page.task_actions.retry_title", {title: task.title}));
}
