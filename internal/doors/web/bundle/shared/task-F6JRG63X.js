import{a as y,b as S}from"./chunk-GZCBJFBL.js";import{a as E}from"./chunk-CEN2XANW.js";import{a as x,b as T,d as D}from"./chunk-CAKPIEJN.js";import{a as i,c as b}from"./chunk-PZGGJEXI.js";import"./chunk-6X5TK3MG.js";import"./chunk-W67FO6TE.js";import{a as w}from"./chunk-7OS4QIR7.js";import"./chunk-B52JOGFE.js";import"./chunk-Z4MSZ2JS.js";import{b as v,d}from"./chunk-4G2L4PHD.js";import{k as c,l as h}from"./chunk-ZSYFMEBJ.js";import"./chunk-BGZJLJBS.js";import{d as _,e as g,k as a,p as t}from"./chunk-V2GEF5NQ.js";var C={turn:s=>t("page.task.reported_to",{agent:c(s.from)}),fold:()=>t("page.task.reported_in_the_chat"),notification:()=>t("page.task.sent_as_a_message"),none:()=>t("page.task.result_kept_here")};function K({id:s,tasks:n,doing:l,told:m,children:P}){let e=n.get(s).value,o=g(),q=o.current?.contains(document.activeElement);if(_(()=>{q&&!o.current.contains(document.activeElement)&&o.current.focus({preventScroll:!0})}),!e)return a`<article class="task" id=${s} data-task=${s} aria-label=${t("page.task.task",{id:s})} ref=${o} tabindex="-1">${t("page.task.task",{id:s})}</article>`;let r=h(e.state),$=C[e.way]?.(e),p=`${c(e.agent)}: ${e.title}`,f=e.result||e.error,A=e.result?t("page.result"):e.state==="canceled"?t("page.reason"):t("page.what_went_wrong");return a`<article class="task ${e.state}" id=${s} data-task=${s} aria-label=${p} ref=${o} tabindex="-1">
    <div class="row">
      ${d("GET /tasks/{id}")?a`<a class="title" href=${`/tasks/${s}`} dir="auto">${p}</a>`:a`<span class="title" dir="auto">${p}</span>`}
      <${D} task=${e} changed=${()=>n.changed(e.id)} />
    </div>
    <div class="row state">
      <${u} id=${s} />
      <span class="state-word">${T(e.state)}</span>
      ${e.model_calls?a`<span>${t(e.model_calls===1?"page.one_step":"page.steps",{n:e.model_calls})}</span>`:null}
      <${x} from=${e.created} to=${r?e.finished:void 0} />
      ${e.cached_tokens?a`<span>${t("page.tokens",{n:i(e.tokens)})}, ${t("page.from_cache",{n:i(e.cached_tokens)})}</span>`:null}
      ${e.continues?a`<span>${t("page.task.goes_on_with")} <${u} id=${e.continues} /></span>`:null}
      ${e.late_of?a`<span>${t("page.task.late_answer_of")} <${u} id=${e.late_of} /></span>`:null}
      ${e.added?a`<span>${t(e.added===1?"page.task.one_message_added":"page.task.messages_added",{n:e.added})}</span>`:null}
      ${e.cost?a`<span>${b(e.cost)}</span>`:null}
      ${$&&e.state!=="canceled"?a`<span>${m?a`<a href=${m}>${$}</a>`:$}</span>`:null}
      ${e.trouble&&!l?.includes(e.trouble)?a`<span class="trouble">${e.trouble}</span>`:null}
      ${!r&&l&&e.state!=="input_required"?a`<span>${l}</span>`:null}
    </div>
    ${e.plans?.map(k=>a`<${E} key=${k.agent} plan=${k} named=${e.plans.length>1} over=${r} />`)}
    ${e.decision?a`<${y} task=${e} />`:null}
    ${!e.decision&&f?a`<details><summary>${A}</summary><div class="result"><${w} text=${f} /></div></details>`:null}
    ${P}
    ${d("POST /api/tasks/{id}/steer")?a`<${S} task=${e} over=${r} tasks=${n} />`:null}
  </article>`}function u({id:s}){let n=v.value.web_ui;return n?a`<a href=${`${n}/namespaces/default/workflows/${s}`} target="_blank" rel="noopener"><code>${s}</code></a>`:a`<code>${s}</code>`}export{K as TaskCard};
