// Tasks as rows. A folded tree is one row, with the cost of the whole tree.

import {display, moment, terminal} from "../api";
import {money} from "../numbers";
import type {Board, BoardRow} from "../stores/board";
import {useLayoutEffect, useRef} from "../ui";
import {say} from "../words";
import {ChatLink} from "./chat_link";
import {Elapsed} from "./elapsed";
import {Icon} from "./icon";
import {Initials} from "./initials";
import {TaskState} from "./state_word";
import {TaskActions} from "./task_actions";

interface Columns {
  from: boolean;   // show whose the tasks are
  priced: boolean; // show costs
}

export function TaskRows({board}: {board: Board}) {
  const groups = board.groups(), ids = groups.flatMap(group => group.rows).map(row => row.id), columns = {from: Boolean(board.filters.value.person), priced: board.priced()};
  const all = useRef<HTMLInputElement>(null!), picked = ids.filter(id => board.picked.value.has(id)).length;
  useLayoutEffect(() => { if (all.current) all.current.indeterminate = picked > 0 && picked < ids.length; });
  return <div class="rows-scroll"><table id="tasks" class="rows" aria-label={say("page.tasks")}>
    <thead><tr>
      <th class="pick"><input type="checkbox" ref={all} aria-label={say("page.task_rows.select_all_shown")} checked={ids.length > 0 && picked === ids.length} onChange={event => board.pick(ids, event.currentTarget.checked)} /></th>
      <th class="what">{say("page.task")}</th><th class="state">{say("page.state")}</th><th class="agent">{say("page.agent")}</th>{columns.from && <th class="from">{say("page.from")}</th>}<th class="chat">{say("page.chat")}</th>
      <th class="began num">{say("page.began")}</th><th class="took num">{say("page.took")}</th>{columns.priced && <th class="num cost">{say("page.cost")}</th>}<th class="do"><span class="hidden">{say("page.task_rows.what_to_do")}</span></th>
    </tr></thead>
    {/* One list, so that a row that moves to another group is the same row and keeps the focus. */}
    {groups.flatMap(({name, trees, rows}) => [
      <tbody key={name} class="group"><tr><td colspan={10}><h2>{name} <span class="n">{trees}</span></h2></td></tr></tbody>,
      ...rows.map(row => <Row key={row.id} row={row} board={board} columns={columns} />),
    ])}
  </table></div>;
}

// A row is a table body: the trouble of its task is a second line, and both move together.
function Row({row: {id, level, below, open}, board, columns}: {row: BoardRow; board: Board; columns: Columns}) {
  const task = board.get(id).value, {branch, matches} = board.place(id).value, at = useRef<HTMLTableSectionElement>(null!);
  const held = at.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    // The focused button is gone: focus the title instead.
    if (held && !at.current.contains(document.activeElement)) at.current.querySelector<HTMLElement>(".what a")?.focus({preventScroll: true});
  });
  if (!task) return null;
  const over = terminal(task.state), sums = branch !== undefined && below > 0, cost = sums ? branch.cost : task.cost;
  return <tbody ref={at} class={`task-row ${task.state}${matches === false ? " other" : ""}`} data-task={id} data-level={Math.min(level, 4)}>
    <tr>
      <td class="pick"><input type="checkbox" aria-label={say("page.task_rows.select", {title: task.title})} checked={board.picked.value.has(id)} onChange={event => board.pick([id], event.currentTarget.checked)} /></td>
      <th class="what" scope="row"><div>
        {below > 0 ? <button class="fold" type="button" aria-expanded={open ? "true" : "false"} aria-label={say(below === 1 ? "page.task_rows.one_task_has_delegated" : "page.task_rows.tasks_that_has_delegated", {n: below, title: task.title})} onClick={() => board.fold(id, open)}>
          <Icon name={open ? "chevronDown" : "chevronRight"} /></button> : <span class="fold"></span>}
        <a class="title" href={`/tasks/${id}`} dir="auto" title={task.title}>{task.title}</a>
      </div></th>
      <td class="state"><TaskState task={task} question={board.asked(id)} />{branch && branch.open > 0 && over && <> <span class="muted">{say("page.task_rows.open_below", {n: branch.open})}</span></>}</td>
      <td class="agent" dir="auto"><Initials name={task.agent} /> {display(task.agent)}</td>
      {columns.from && <td class="from" dir="auto">{board.from(task)}</td>}
      <td class="chat">{level === 0 && <ChatLink task={task} title={board.chatTitle(task)} />}</td>
      <td class="began num"><time datetime={task.created}>{moment(task.created)}</time></td>
      <td class="took num">{task.state === "submitted" ? "–" : <Elapsed from={task.created} to={over ? task.finished : undefined} />}</td>
      {columns.priced && <td class="num cost">{cost ? <>{sums && <span class="all">{say("page.task_rows.in_all")}</span>} {money(cost)}</> : "–"}</td>}
      <td class="do"><TaskActions task={task} changed={() => board.changed()} whose={board.changes()} /></td>
    </tr>
    {task.trouble && !over && <tr class="below-row"><td colspan={10}><span class="trouble">{task.trouble}</span></td></tr>}
  </tbody>;
}
