// What can be done with a task as a whole.

import type * as API from "../api_types";
import {ask, terminal} from "../api";
import {may} from "../stores/account";
import {say} from "../words";
import {Act} from "./act";

// whose is the person whose task it may be, for the address: "", or "*" for anybody's.
export function TaskActions({task, changed, whose = ""}: {task: API.Task; changed: (now: API.Task) => unknown; whose?: string}) {
  const act = (verb: string, label: string, describe: string) => may(`POST /api/tasks/{id}/${verb}`) && <Act key={verb} label={label} describe={describe} run={async () => {
    const now = await ask<API.Task>(`/api/tasks/${task.id}/${verb}${whose && `?${new URLSearchParams({person: whose})}`}`, {});
    await changed(now);
  }} />;
  if (!terminal(task.state)) return act("cancel", say("page.cancel"), say("page.task_actions.cancel", {title: task.title}));
  return task.state === "completed" ? null : act("retry", say("page.task_actions.retry"), say("page.task_actions.retry_title", {title: task.title}));
}
