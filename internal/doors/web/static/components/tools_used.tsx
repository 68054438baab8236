// What the tools did of which an answer was made: a line that unfolds. The calls themselves
// are asked for when somebody unfolds it.

import type * as API from "../api_types";
import {ask, elapsed} from "../api";
import {may} from "../stores/account";
import {announce} from "../stores/announcer";
import {useState} from "../ui";
import {language, say} from "../words";

// did says what a call did, by the tool's name and what the call was about. Both are a
// model's words.
function did(tool: string, about?: string) {
  if (about) {
    switch (tool) {
      case "web_search": return say("page.tools_used.searched_the_web_for", {about});
      case "web_fetch": return say("page.tools_used.read_the_page", {about});
      case "read_file": case "read_artifact": return say("page.tools_used.read_the_file", {about});
      case "write_file": case "edit_file": case "undo_file": return say("page.tools_used.changed_the_file", {about});
      case "send_file": return say("page.tools_used.sent_the_file", {about});
      case "find_in_files": return say("page.tools_used.searched_the_files_for", {about});
      case "remember": return say("page.tools_used.noted", {about});
      case "recall": return say("page.tools_used.looked_up_the_note", {about});
    }
    return say("page.tools_used.used", {tool, about});
  }
  switch (tool) {
    case "web_search": return say("page.tools_used.searched_the_web");
    case "web_fetch": return say("page.tools_used.read_a_page");
    case "list_files": return say("page.tools_used.looked_at_the_files");
    case "plan": return say("page.tools_used.made_a_plan");
    case "run_code": return say("page.tools_used.ran_a_program");
    case "list_working_memory": return say("page.tools_used.looked_at_its_notes");
  }
  return say("page.tools_used.used_tool", {tool});
}

export function ToolsUsed({used, session, turn}: {used: API.ToolUse[]; session: string; turn?: number}) {
  const [calls, setCalls] = useState<API.TurnCall[] | null>(null), [wrong, setWrong] = useState("");
  const line = used.map(({tool, about, calls}) => `${did(tool, about)}${calls > 1 ? ` (${calls}×)` : ""}`).join(" · ");
  if (!may("GET /api/sessions/{id}/calls")) return <p class="tool" lang={language}>{line}</p>;
  const toggled = (event: Event & {currentTarget: HTMLDetailsElement}) => {
    if (!event.currentTarget.open || calls || event.target !== event.currentTarget) return;
    setWrong("");
    ask<API.TurnCall[]>(`/api/sessions/${encodeURIComponent(session)}/calls?turn=${turn}`).then(setCalls, error => {
      setWrong(error.message);
      announce(error.message);
    });
  };
  return <details class="tool used" lang={language} onToggle={toggled}>
    <summary><span class="line" dir="auto">{line}</span></summary>
    {wrong && <p class="said">{wrong}</p>}
    {!calls && !wrong && <p>…</p>}
    {calls && <ol>{calls.map(call => <Call key={`${call.step}-${call.index}`} call={call} />)}</ol>}
  </details>;
}

function Call({call: {tool, about, arguments: given, result, cut, failed, begun, ended}}: {call: API.TurnCall}) {
  return <li><details>
    <summary dir="auto">{did(tool, about)} <span class="muted">{failed ? say("state.failed") : ""} {ended ? elapsed(Date.parse(begun), Date.parse(ended)) : say("page.tools_used.no_result_yet")}</span></summary>
    <p class="label">{say("page.tools_used.what_it_was_given")} (<code>{tool}</code>)</p>
    <pre tabindex={0} dir="auto">{indented(given)}</pre>
    {result && <><p class="label">{say("page.tools_used.what_came_of_it")}</p><pre tabindex={0} dir="auto">{result}</pre></>}
    {cut && <p class="muted">{say("page.tools_used.there_more_than_shown")}</p>}
  </details></li>;
}

// indented is JSON as people read it, and anything else as it is.
function indented(text: string) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
