// The page of one task, /tasks/t-…: what was asked, what was done when, what came of it, and
// how it was told.

import {Announcer} from "./components/announcer";
import {Header} from "./components/header";
import {TaskView} from "./components/task_view";
import {watch} from "./stores/changes";
import {TaskPage} from "./stores/task_page";
import {render} from "./ui";

const page = new TaskPage(decodeURIComponent(location.pathname.split("/").at(-1) ?? ""));

watch(() => page.load(), () => page.whose());

render((
  <>
    <Header />
    <TaskView page={page} />
    <Announcer />
  </>
), document.body);
