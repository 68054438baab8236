// The page of models: what is known about each, and a button that tries it.

import type * as API from "./api_types";
import {ask, display, moment} from "./api";
import {Act} from "./components/act";
import {Announcer} from "./components/announcer";
import {Header, SettingsSide} from "./components/header";
import {Icon} from "./components/icon";
import {Initials} from "./components/initials";
import {Today} from "./components/today";
import {number} from "./numbers";
import {about, me} from "./stores/account";
import {announce} from "./stores/announcer";
import {poll} from "./stores/poll";
import {render} from "./ui";
import {say, sayWith} from "./words";

poll(look, 10000);

async function look() { about.value = await ask<API.AboutOut>("/api/about"); }

async function tryOut(model: string) {
  await ask(`/api/models/check?model=${encodeURIComponent(model)}`, {});
  await look();
  const tried = about.value.models?.find(m => m.model === model);
  if (tried) announce(answer(tried) ?? "");
}

function ModelsPage() {
  const {models = [], demo} = about.value;
  return (
    <>
      <Header />
      <SettingsSide />
      <main class="page narrow">
        <h1>{say("page.header.models")}</h1>
        <p class="muted">{demo ? say("page.models.only_demonstration") : sayWith("page.models.change", {models: <code>models</code>, model: <code>model</code>})}</p>
        <div id="models">{models.map(m => <Model key={m.model} state={m} />)}</div>
        {me.value?.today && <><h2>{say("page.models.budget")}</h2><Today /></>}
      </main>
      <Announcer />
    </>
  );
}

// Agents that name no model use the model "default".
function Model({state: m}: {state: API.ModelState}) {
  const name = m.name || m.model, agents = m.agents ?? [];
  const facts = [m.provider, say(m.vision ? "page.models.sees_pictures" : "page.models.no_pictures"), m.price].filter(Boolean).join(" · ");
  return <article class={`model ${m.ok ? "ok" : "down"}`} data-model={m.model}>
    <details><summary><span><b>{name}</b>{m.model === "default" && <span class="role">{say("page.models.default")}</span>}
      <span class="facts">{facts} {agents.map(agent => <Initials key={agent} name={agent} />)}<span class="hidden">{agents.map(agent => display(agent)).join(", ")}</span></span></span>
      <span class="answers" dir="auto"><Icon name={m.ok ? m.checked ? "circleCheck" : "circle" : "circleX"} />{answer(m)}</span></summary>
      <dl>
        <dt>{say("page.models.used_by")}</dt><dd>{agents.length ? agents.map(agent => <span key={agent} class="used-by"><Initials name={agent} />{display(agent)}</span>) : say("page.models.no_agent")}</dd>
        {m.context_tokens && <><dt>{say("page.models.room")}</dt><dd>{say("page.models.context", {n: number(m.context_tokens)})}</dd></>}
        <dt>{say("page.models.last_trial")}</dt><dd dir="auto">{m.ok && m.says} {m.checked && <span class="muted">{moment(m.checked)}</span>}</dd>
        <dt>errand.yaml</dt><dd><code>models.{m.model}:</code> {settings.map(setting => <code key={setting}>{setting}</code>)}</dd>
      </dl></details>
    <Act label={say("page.models.try")} run={() => tryOut(m.model)} describe={say("page.models.try_model", {model: name})} />
  </article>;
}

// settings are the settings of a model in errand.yaml.
const settings = ["model", "base_url", "api_key_env", "vision", "price", "context_tokens"];

function answer({ok, says, checked, seconds}: API.ModelState) {
  if (!ok) return says;
  if (!checked) return say("page.models.not_tried");
  return seconds ? say("page.models.answers_in", {seconds: number(Math.max(0.1, Math.round(seconds * 10) / 10))}) : say("page.models.answers");
}

render(<ModelsPage />, document.body);
