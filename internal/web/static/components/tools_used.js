// What the tools did of which an answer was made: a line that unfolds. The calls themselves
// are asked for when somebody unfolds it.

import {ask, elapsed} from "../api.js";
import {may} from "../stores/account.js";
import {announce} from "../stores/announcer.js";
import {html, useState} from "../ui.js";
import {language, say} from "../words.js";

// did says what a call did, by the tool's name and what the call was about. Both are a
// model's words.
function did(tool, about) {
  if (about) {
    switch (tool) {
      case "web_search": return say("Searched the web for “{about}”", {about});
      case "web_fetch": return say("Read the page {about}", {about});
      case "read_file": case "read_artifact": return say("Read the file {about}", {about});
      case "write_file": case "edit_file": case "undo_file": return say("Changed the file {about}", {about});
      case "send_file": return say("Sent the file {about}", {about});
      case "find_in_files": return say("Searched the files for “{about}”", {about});
      case "remember": return say("Noted “{about}”", {about});
      case "recall": return say("Looked up the note “{about}”", {about});
    }
    return say("Used {tool}: {about}", {tool, about});
  }
  switch (tool) {
    case "web_search": return say("Searched the web");
    case "web_fetch": return say("Read a page");
    case "list_files": return say("Looked at the files");
    case "plan": return say("Made a plan");
    case "run_code": return say("Ran a program");
    case "list_working_memory": return say("Looked at its notes");
  }
  return say("Used {tool}", {tool});
}

export function ToolsUsed({used, session, turn}) {
  const [calls, setCalls] = useState(null), [wrong, setWrong] = useState("");
  const line = used.map(({tool, about, calls}) => `${did(tool, about)}${calls > 1 ? ` (${calls}×)` : ""}`).join(" · ");
  if (!may("GET /api/sessions/{id}/calls")) return html`<p class="tool" lang=${language}>${line}</p>`;
  const toggled = event => {
    if (!event.target.open || calls || event.target !== event.currentTarget) return;
    setWrong("");
    ask(`/api/sessions/${encodeURIComponent(session)}/calls?turn=${turn}`).then(setCalls, error => {
      setWrong(error.message);
      announce(error.message);
    });
  };
  return html`<details class="tool used" lang=${language} onToggle=${toggled}>
    <summary><span class="line" dir="auto">${line}</span></summary>
    ${wrong && html`<p class="said">${wrong}</p>`}
    ${!calls && !wrong && html`<p>…</p>`}
    ${calls && html`<ol>${calls.map(call => html`<${Call} key=${`${call.step}-${call.index}`} call=${call} />`)}</ol>`}
  </details>`;
}

function Call({call: {tool, about, arguments: given, result, cut, failed, begun, ended}}) {
  return html`<li><details>
    <summary dir="auto">${did(tool, about)} <span class="muted">${failed ? say("failed") : ""} ${ended ? elapsed(new Date(begun), new Date(ended)) : say("no result yet")}</span></summary>
    <p class="label">${say("What it was given")} (<code>${tool}</code>)</p>
    <pre tabindex="0" dir="auto">${indented(given)}</pre>
    ${result && html`<p class="label">${say("What came of it")}</p><pre tabindex="0" dir="auto">${result}</pre>`}
    ${cut && html`<p class="muted">${say("There is more of it than is shown here.")}</p>`}
  </details></li>`;
}

// indented is JSON as people read it, and anything else as it is.
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
