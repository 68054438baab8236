// What can be done with a task as a whole.

import type * as API from "../api_types";
import {ask, terminal} from "../api";
import {may} from "../stores/account";
import {say} from "../words";
import {Act} from "./act";
import type {IconName} from "./icon";

// whose is the person whose task it may be, for the address: "", or "*" for anybody's. In the
// card of a chat, the person is the one whose task it is: errand notes that they stopped it.
export function TaskActions({task, changed, whose = "", inCard}: {task: API.Task; changed: (now: API.Task) => unknown; whose?: string; inCard?: boolean}) {
  const act = (verb: string, label: string, describe: string, icon: IconName, body = {}) => may(`POST /api/tasks/{id}/${verb}`) && <Act key={verb} label={label} describe={describe}
    {...inCard ? {icon, name: "text"} : {}} run={async () => {
      const now = await ask<API.Task>(`/api/tasks/${task.id}/${verb}${whose && `?${new URLSearchParams({person: whose})}`}`, body);
      await changed(now);
    }} />;
  const {title} = task;
  if (inCard && !terminal(task.state)) return act("cancel", say("page.task_actions.stop"), say("page.task_actions.stop_title", {title}), "square", {reason: "stopped"});
  if (!terminal(task.state)) return act("cancel", say("page.cancel"), say("page.task_actions.cancel", {title}), "square");
  if (task.state === "completed" || inCard && task.state === "canceled") return null;
  return act("retry", say("page.task_actions.try_again"), say("page.task_actions.try_again_title", {title}), "rotate");
}
