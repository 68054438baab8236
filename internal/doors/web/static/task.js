// The page of one task, /tasks/t-…: what was asked, what was done when, what came of it, and
// how it was told.

import {Announcer} from "./components/announcer.js";
import {Header} from "./components/header.js";
import {TaskView} from "./components/task_view.js";
import {watch} from "./stores/changes.js";
import {TaskPage} from "./stores/task_page.js";
import {html, render} from "./ui.js";

const page = new TaskPage(decodeURIComponent(location.pathname.split("/").at(-1)));

watch(() => page.load(), () => page.whose());

render(html`
  <${Header} />
  <${TaskView} page=${page} />
  <${Announcer} />`, document.body);
