// What is done with several tasks at once.

import {terminal} from "../api";
import {may} from "../stores/account";
import type {Board} from "../stores/board";
import {say} from "../words";
import {Act} from "./act";
import {Icon} from "./icon";

export function TaskBulk({board}: {board: Board}) {
  const picked = [...board.picked.value].map(id => board.get(id).value).filter(task => task !== null), failed = board.refused.value;
  const open = picked.filter(task => !terminal(task.state)), again = picked.filter(task => terminal(task.state) && task.state !== "completed");
  if (!picked.length && !failed.length) return null;
  return <section id="bulk" aria-label={say("page.task_bulk.selected_tasks")}>
    <span>{say("page.task_bulk.selected", {n: picked.length})}</span>
    {open.length > 0 && may("POST /api/tasks/cancel") && <Act key="cancel" label={say(open.length === 1 ? "page.task_bulk.cancel_one" : "page.task_bulk.cancel", {n: open.length})} run={() => board.bulk("cancel", open)} />}
    {again.length > 0 && may("POST /api/tasks/retry") && <Act key="retry" label={say("page.task_bulk.retry", {n: again.length})} run={() => board.bulk("retry", again)} />}
    <button class="icon-only" type="button" aria-label={say("page.task_bulk.clear_selection")} onClick={() => board.unpick()}><Icon name="x" /></button>
    {failed.length > 0 && <ul class="plain said">{failed.map(({id, error}) => <li key={id}><code>{id}</code> {error.message}</li>)}</ul>}
  </section>;
}
