// Icons and words for tool calls.

import type {IconName} from "./components/icon";
import {say} from "./words";

export function deedOf(tool: string): [IconName, string] {
  switch (tool) {
    case "web_search": return ["globe", say("page.call.searched_the_web")];
    case "web_fetch": return ["bookOpen", say("page.call.read")];
    case "read_file": case "read_artifact": return ["fileText", say("page.call.read")];
    case "write_file": return ["fileText", say("page.call.wrote")];
    case "edit_file": case "undo_file": return ["fileText", say("page.call.changed")];
    case "send_file": return ["paperclip", say("page.call.sent")];
    case "find_in_files": return ["search", say("page.call.searched_the_files")];
    case "list_files": return ["fileText", say("page.call.looked_at_the_files")];
    case "remember": return ["pencil", say("page.call.noted")];
    case "recall": return ["scrollText", say("page.call.looked_up")];
    case "list_working_memory": return ["scrollText", say("page.call.looked_at_its_notes")];
    case "plan": return ["listChecks", say("page.call.made_a_plan")];
    case "run_code": return ["fileCode", say("page.call.ran_a_program")];
  }
  return ["wrench", say("page.call.used_tool", {tool})];
}
