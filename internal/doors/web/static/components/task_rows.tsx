// Tasks as rows: each tree folded to its first task, with what all of it came to.

import {display, moment, terminal} from "../api";
import {money, number, short} from "../numbers";
import type {Board, BoardRow} from "../stores/board";
import {useLayoutEffect, useRef} from "../ui";
import {say} from "../words";
import {AskedHere} from "./asked_here";
import {ChatLink} from "./chat_link";
import {Elapsed} from "./elapsed";
import {Icon} from "./icon";
import {Initials} from "./initials";
import {State} from "./state_word";
import {TaskActions} from "./task_actions";

export function TaskRows({board}: {board: Board}) {
  const rows = board.rows(), ids = rows.map(row => row.id), priced = board.priced();
  const all = useRef<HTMLInputElement>(null!), picked = ids.filter(id => board.picked.value.has(id)).length;
  useLayoutEffect(() => { if (all.current) all.current.indeterminate = picked > 0 && picked < ids.length; });
  return <div class="rows-scroll"><table id="tasks" class="rows" aria-label={say("page.tasks")}>
    <thead><tr>
      <th class="pick"><input type="checkbox" ref={all} aria-label={say("page.task_rows.select_all_shown")} checked={ids.length > 0 && picked === ids.length} onChange={event => board.pick(ids, event.currentTarget.checked)} /></th>
      <th class="what">{say("page.task")}</th><th class="state">{say("page.state")}</th><th class="agent">{say("page.agent")}</th><th class="from">{say("page.from")}</th><th class="chat">{say("page.chat")}</th>
      <th class="began">{say("page.began")}</th><th class="took">{say("page.took")}</th><th class="num tokens">{say("page.tokens_used")}</th>{priced && <th class="num cost">{say("page.cost")}</th>}<th class="do"><span class="hidden">{say("page.task_rows.what_to_do")}</span></th>
    </tr></thead>
    {rows.map(row => <Row key={row.id} row={row} board={board} priced={priced} />)}
  </table></div>;
}

// A row is a body of the table: what its task asks stands below it, and both move together.
function Row({row: {id, level, below, open}, board, priced}: {row: BoardRow; board: Board; priced: boolean}) {
  const task = board.get(id).value, {branch, matches} = board.place(id).value, at = useRef<HTMLTableSectionElement>(null!);
  const held = at.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    // Its button is gone with what it was for: its title has the focus then.
    if (held && !at.current.contains(document.activeElement)) at.current.querySelector<HTMLElement>(".what a")?.focus({preventScroll: true});
  });
  if (!task) return null;
  const over = terminal(task.state), asked = board.asked(id), all = branch && !open ? branch : task;
  return <tbody ref={at} class={`task-row ${task.state}${matches === false ? " other" : ""}`} data-task={id} data-level={Math.min(level, 4)}>
    <tr>
      <td class="pick"><input type="checkbox" aria-label={say("page.task_rows.select", {title: task.title})} checked={board.picked.value.has(id)} onChange={event => board.pick([id], event.currentTarget.checked)} /></td>
      <th class="what" scope="row"><div>
        <a class="title" href={`/tasks/${id}`} dir="auto" title={task.title}>{task.title}</a>
        {below > 0 && <button class="fold" type="button" aria-expanded={open ? "true" : "false"} aria-label={say(below === 1 ? "page.task_rows.one_task_has_delegated" : "page.task_rows.tasks_that_has_delegated", {n: below, title: task.title})} onClick={() => board.fold(id, open)}>
          <Icon name={open ? "chevronDown" : "chevronRight"} /><span class="n" aria-hidden="true">{below}</span></button>}
      </div></th>
      <td class="state"><State state={task.state} />{branch && branch.open > 0 && over && <> <span class="muted">{say("page.task_rows.open_below", {n: branch.open})}</span></>}</td>
      <td class="agent" dir="auto"><Initials name={task.agent} /> {display(task.agent)}</td>
      <td class="from" dir="auto">{board.from(task)}</td>
      <td class="chat"><ChatLink task={task} title={board.chatTitle(task)} /></td>
      <td class="began"><time datetime={task.created}>{moment(task.created)}</time></td>
      <td class="took"><Elapsed from={task.created} to={over ? task.finished : undefined} /></td>
      <td class="num tokens" title={number(all.tokens)}>{all.tokens ? short(all.tokens) : ""}</td>
      {priced && <td class="num cost">{all.cost ? money(all.cost) : ""}</td>}
      <td class="do"><TaskActions task={task} changed={() => board.changed()} whose={board.changes()} /></td>
    </tr>
    {asked.length > 0 && <tr class="below-row"><td colspan={11}>{asked.map(q => <AskedHere key={q.id} question={q} answer={given => board.answer(q.id, given)} />)}</td></tr>}
    {task.trouble && !over && <tr class="below-row"><td colspan={11}><span class="trouble">{task.trouble}</span></td></tr>}
  </tbody>;
}
