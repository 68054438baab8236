// The button that shows the steps and sources of an answer.

import type * as API from "../api_types";
import type {Entry} from "../stores/conversation";
import {say} from "../words";
import {Icon} from "./icon";

// sourcesOf returns the sources of an answer, each once.
export const sourcesOf = (used: API.ToolUse[] = []) => [...new Map(used.flatMap(({sources}) => sources ?? []).map(source => [source.address, source])).values()];

interface ButtonProps {
  entry: Entry;
  asked: string[]; // ids of the tasks that the answer delegated
  open: boolean;
  toggle: () => void;
}

export function StepsButton({entry: {tools = []}, asked, open, toggle}: ButtonProps) {
  const n = tools.reduce((sum, {calls}) => sum + calls, asked.length), sources = sourcesOf(tools).length;
  if (!n) return null;
  return <button class="text steps-toggle" type="button" aria-expanded={open} onClick={toggle}>
    <Icon name="listTree" />{say(n === 1 ? "page.one_step" : "page.steps", {n})}{sources > 0 && `, ${say(sources === 1 ? "page.steps.one_source" : "page.steps.n_sources", {n: sources})}`}<Icon name={open ? "chevronDown" : "chevronRight"} />
  </button>;
}
