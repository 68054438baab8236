// The page of the audit log: who has done what.

import {Announcer} from "./components/announcer";
import {AuditFilters} from "./components/audit_filters";
import {AuditList} from "./components/audit_list";
import {Header, SettingsSide} from "./components/header";
import {Audit} from "./stores/audit";
import {render} from "./ui";
import {say} from "./words";

const audit = new Audit();

function AuditPage() {
  return (
    <>
      <Header />
      <SettingsSide />
      <main class="page">
        <h1>{say("page.header.audit")}</h1>
        <p class="muted">{say("page.audit.people_programs_have_changed")}</p>
        <AuditFilters audit={audit} />
        <AuditList audit={audit} />
      </main>
      <Announcer />
    </>
  );
}

render(<AuditPage />, document.body);
