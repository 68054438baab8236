// What of the audit log to show.

import {html} from "../ui.js";

const kinds = [["people", "people"], ["identities", "identities"], ["tokens", "tokens"], ["webhooks", "webhook secrets"], ["pairings", "who is let in"],
  ["questions", "answers"], ["approvals", "approvals"], ["tasks", "canceled tasks"], ["sessions", "sessions"], ["notes", "notes"], ["deliveries", "deliveries"],
  ["installation", "the installation"]];

export function AuditFilters({audit}) {
  const filters = audit.filters.value;
  const choice = (name, all, options) => html`<select name=${name} value=${filters[name]} onChange=${event => audit.filter(name, event.target.value)}>
    <option value="">${all}</option>
    ${options.map(([value, label]) => html`<option key=${value} value=${value}>${label}</option>`)}
  </select>`;
  return html`<form id="filters" class="filters" role="search" aria-label="What of it" onSubmit=${event => event.preventDefault()}>
    <label>Who ${choice("person", "anybody", audit.people.value.map(p => [p.id, p.name || p.id]))}</label>
    <label>What about ${choice("deed", "anything", kinds)}</label>
    <label>Since <input name="since" type="date" value=${filters.since} onChange=${event => audit.filter("since", event.target.value)} /></label>
  </form>`;
}
