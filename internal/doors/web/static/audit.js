// The page of the audit log: who has done what.

import {Announcer} from "./components/announcer.js";
import {AuditFilters} from "./components/audit_filters.js";
import {AuditList} from "./components/audit_list.js";
import {Header} from "./components/header.js";
import {Audit} from "./stores/audit.js";
import {html, render} from "./ui.js";
import {say} from "./words.js";

const audit = new Audit();

function AuditPage() {
  return html`
    <${Header} />
    <main class="page">
      <h2>${say("page.audit.who_has_done_what")}</h2>
      <p class="muted">${say("page.audit.people_programs_have_changed")}</p>
      <${AuditFilters} audit=${audit} />
      <${AuditList} audit=${audit} />
    </main>
    <${Announcer} />`;
}

render(html`<${AuditPage} />`, document.body);
