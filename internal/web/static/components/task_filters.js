// What tasks to show.

import {display} from "../api.js";
import {me} from "../stores/account.js";
import {html} from "../ui.js";

const states = [["open", "open"], ["submitted", "submitted"], ["working", "working"], ["input_required", "waits for an answer"],
  ["completed", "completed"], ["failed", "failed"], ["canceled", "canceled"], ["rejected", "rejected"]];

export function TaskFilters({board}) {
  const filters = board.filters.value, others = board.people.value.filter(p => p.id !== me.value?.id);
  const choice = (name, all, options) => html`<select name=${name} value=${filters[name]} onChange=${event => board.filter(name, event.target.value)}>
    <option value="">${all}</option>
    ${options.map(([value, label]) => html`<option key=${value} value=${value}>${label}</option>`)}
  </select>`;
  return html`<form id="filters" class="filters" role="search" aria-label="Which tasks" onSubmit=${event => event.preventDefault()}>
    <label class="wide">Search <input name="q" type="search" maxlength="200" placeholder="what was to be done, what came of it, or an id" value=${filters.q}
      onInput=${event => board.filter("q", event.target.value)} /></label>
    <label>State ${choice("state", "any", states)}</label>
    <label>Agent ${choice("agent", "any", board.agents.value.map(a => [a.name, display(a.name)]))}</label>
    ${["partner", "master_admin"].includes(me.value?.role) && html`<label>Whose ${choice("person", "mine", [["*", "everybody's"], ...others.map(p => [p.id, p.name || p.id])])}</label>`}
  </form>`;
}
