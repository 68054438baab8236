import{a as _,b as S}from"./chunk-TDD6FCNF.js";import{a as T,b as R,d as D}from"./chunk-7VM4XZQJ.js";import{a as u,c as y}from"./chunk-PL6Y4YBV.js";import{a as x}from"./chunk-UD4VQKIO.js";import"./chunk-6ULUQ37I.js";import{a as E}from"./chunk-Q6FNQ75D.js";import"./chunk-XT2RCHL6.js";import{a as g}from"./chunk-XNLMF2XU.js";import"./chunk-RPVLV6AY.js";import"./chunk-Z4MSZ2JS.js";import{b,d}from"./chunk-4ONKDMVB.js";import{k as i,l as w}from"./chunk-NZ2MLOBQ.js";import"./chunk-CUTO6YOT.js";import{d as h,e as v,k as t,o as a}from"./chunk-P4LB7CD7.js";var A={turn:s=>a("reported to {agent}",{agent:i(s.from)}),fold:()=>a("reported in the chat"),notification:()=>a("sent as a message"),none:()=>a("result kept here")};function N({id:s,tasks:n,doing:l,told:m,children:P}){let e=n.get(s).value,o=v(),W=o.current?.contains(document.activeElement);if(h(()=>{W&&!o.current.contains(document.activeElement)&&o.current.focus({preventScroll:!0})}),!e)return t`<article class="task" id=${s} data-task=${s} aria-label=${a("Task {id}",{id:s})} ref=${o} tabindex="-1">${a("Task {id}",{id:s})}</article>`;let r=w(e.state),$=A[e.way]?.(e),c=`${i(e.agent)}: ${e.title}`,f=e.result||e.error,q=e.result?a("Result"):e.state==="canceled"?a("Reason"):a("What went wrong");return t`<article class="task ${e.state}" id=${s} data-task=${s} aria-label=${c} ref=${o} tabindex="-1">
    <div class="row">
      ${d("GET /tasks/{id}")?t`<a class="title" href=${`/tasks/${s}`} dir="auto">${c}</a>`:t`<span class="title" dir="auto">${c}</span>`}
      <${D} task=${e} changed=${()=>n.changed(e.id)} />
    </div>
    <div class="row state">
      <${p} id=${s} />
      <span class="state-word">${R(e.state)}</span>
      ${e.model_calls?t`<span>${a(e.model_calls===1?"1 step":"{n} steps",{n:e.model_calls})}</span>`:null}
      <${T} from=${e.created} to=${r?e.finished:void 0} />
      ${e.cached_tokens?t`<span>${a("{n} tokens",{n:u(e.tokens)})}, ${a("{n} from cache",{n:u(e.cached_tokens)})}</span>`:null}
      ${e.continues?t`<span>${a("goes on with")} <${p} id=${e.continues} /></span>`:null}
      ${e.late_of?t`<span>${a("late answer of")} <${p} id=${e.late_of} /></span>`:null}
      ${e.added?t`<span>${a(e.added===1?"1 message added":"{n} messages added",{n:e.added})}</span>`:null}
      ${e.cost?t`<span>${y(e.cost)}</span>`:null}
      ${$&&e.state!=="canceled"?t`<span>${m?t`<a href=${m}>${$}</a>`:$}</span>`:null}
      <${x} until=${r&&!e.way&&e.held_until} />
      ${e.trouble&&!l?.includes(e.trouble)?t`<span class="trouble">${e.trouble}</span>`:null}
      ${!r&&l&&e.state!=="input_required"?t`<span>${l}</span>`:null}
    </div>
    ${e.plans?.map(k=>t`<${E} key=${k.agent} plan=${k} named=${e.plans.length>1} over=${r} />`)}
    ${e.decision?t`<${_} task=${e} />`:null}
    ${!e.decision&&f?t`<details><summary>${q}</summary><div class="result"><${g} text=${f} /></div></details>`:null}
    ${P}
    ${d("POST /api/tasks/{id}/steer")?t`<${S} task=${e} over=${r} tasks=${n} />`:null}
  </article>`}function p({id:s}){let n=b.value.web_ui;return n?t`<a href=${`${n}/namespaces/default/workflows/${s}`} target="_blank" rel="noopener"><code>${s}</code></a>`:t`<code>${s}</code>`}export{N as TaskCard};
