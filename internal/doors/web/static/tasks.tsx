// The tasks page: what was delegated to whom, and deliveries that a person has to decide
// about. /tasks/t-… is the page of one task.

import type * as API from "./api_types";
import {ask} from "./api";
import {Announcer} from "./components/announcer";
import {Deliveries} from "./components/deliveries";
import {Header} from "./components/header";
import {Narrow, Side} from "./components/side";
import {TaskBulk} from "./components/task_bulk";
import {TaskFilters, TaskStates} from "./components/task_filters";
import {TaskRows} from "./components/task_rows";
import {may} from "./stores/account";
import {Board} from "./stores/board";
import {watch} from "./stores/changes";
import {render, signal} from "./ui";
import {say} from "./words";

const board = new Board();
const outbox = signal<API.Notification[] | null>(null); // null: not for this person

const refresh = watch(async changed => {
  if (changed.has("tasks")) await board.load();
  else if (changed.has("questions")) await board.ask();
  if (changed.has("deliveries") && may("GET /api/outbox")) outbox.value = await ask<API.Notification[]>("/api/outbox?state=blocked&state=unknown&state=pending&state=sending");
}, () => board.filters.value.person);

board.others(refresh);

function TasksPage() {
  const tops = board.tops.value, read = board.read.value;
  return (
    <>
      <Header />
      <Side label={say("page.state")}><TaskStates board={board} /></Side>
      <main class="page dashboard">
        <h1>{say("page.tasks")}</h1>
        <Narrow><TaskStates board={board} /></Narrow>
        <TaskFilters board={board} />
        {tops.length > 0 && <TaskRows board={board} />}
        {read && !tops.length && <p id="none" class="muted">{board.filtered ? say("page.nothing_was_found") : say("page.tasks.no_tasks_yet_ask")}</p>}
        {board.more.value && <p><button id="more" type="button" class="small" onClick={() => board.older()}>{say("page.tasks.older_ones")}</button></p>}
        <TaskBulk board={board} />
        {outbox.value?.length ? <Deliveries list={outbox.value} refresh={refresh} /> : null}
      </main>
      <Announcer />
    </>
  );
}

render(<TasksPage />, document.body);
