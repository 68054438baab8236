// A task with what was delegated below it, each likewise; at the head of a tree, what all
// of it has cost, and who was at work when.

import {html, useState} from "../ui.js";
import {TaskCard} from "./task.js";
import {Timeline} from "./timeline.js";

export function TaskTree({id, board, top}) {
  const {below, branch, matches} = board.place(id).value;
  return html`<li class=${matches === false ? "node other" : "node"}>
    <${TaskCard} id=${id} tasks=${board} board=${board} />
    ${top && branch && html`<${Branch} id=${id} branch=${branch} board=${board} />`}
    ${below.length > 0 && html`<ul class="below">${below.map(one => html`<${TaskTree} key=${one} id=${one} board=${board} />`)}</ul>`}
  </li>`;
}

const plural = (n, one, more) => `${n.toLocaleString()} ${n === 1 ? one : more}`;

function Branch({id, branch, board}) {
  const [open, setOpen] = useState(false);
  const said = [plural(branch.tasks, "task", "tasks"), branch.open ? `${branch.open} open` : "", plural(branch.model_calls, "step", "steps"),
    plural(branch.tokens, "token", "tokens"), branch.cost ? `${branch.cost.toFixed(4)} USD` : ""].filter(Boolean).join(", ");
  return html`<div class="branch">
    ${branch.tasks > 1 && html`<p class="sum muted">In all: ${said}</p>`}
    <details onToggle=${event => setOpen(event.target.open)}><summary>Timeline</summary>${open && html`<${Timeline} id=${id} board=${board} />`}</details>
  </div>`;
}
