// What to ask for, in a chat without a message. Each idea names an agent that is there.

import type * as API from "../api_types";
import {display} from "../api";
import {about, me} from "../stores/account";
import type {Send} from "../stores/conversation";
import {language, say} from "../words";
import {Initials} from "./initials";

interface Idea {
  agent: string;
  text: string;
}

// The demonstration understands English; a real model what its person speaks.
function ideas(agents: API.AgentView[], active: API.AgentView): Idea[] {
  const {demo} = about.value, others = agents.filter(a => a !== active);
  const known = [
    {agent: "sasha", text: demo ? "ask Sasha to compare night trains to Oslo, in the background" : say("page.ideas.ask_sasha_compare_night")},
    {agent: "finn", text: demo ? "ask Finn to explain what a mutex is" : say("page.ideas.ask_finn_explain_mutex")},
  ].filter(idea => others.some(a => a.name === idea.agent));
  const asks = others.slice(0, 3).map(a => ({agent: a.name, text: say("page.ideas.what_can_agent_do", {agent: display(a.name)})}));
  return [...known.length || demo ? known : asks, {agent: active.name, text: demo ? "what is running?" : say("page.ideas.what_is_running")}];
}

export function Ideas({agents, active, send}: {agents: API.AgentView[]; active?: API.AgentView; send: Send}) {
  return <section id="empty" aria-labelledby="greeting">
    <h2 id="greeting" lang={language}>{me.value?.name ? say("page.ideas.greeting", {name: me.value.name}) : say("page.ideas.greeting_nameless")}</h2>
    <p lang={language}>{say("page.ideas.ask_anything_takes_while")}</p>
    {active && <div class="ideas">{ideas(agents, active).map(({agent, text}) => <button key={text} type="button" onClick={() => send(text)}><Initials name={agent} large />{text}</button>)}</div>}
  </section>;
}
