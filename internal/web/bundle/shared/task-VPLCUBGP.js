import{a as _,b as R}from"./chunk-RMRFOXMV.js";import{a as T,b as E,d as S}from"./chunk-B72XSV3L.js";import{a as u,c as y}from"./chunk-QPIU4YZU.js";import"./chunk-YFZPMGDL.js";import{a as x}from"./chunk-IYORWQU7.js";import"./chunk-UC5YX7VT.js";import{a as w}from"./chunk-GVKRUO7B.js";import"./chunk-WAQJSITK.js";import"./chunk-Z4MSZ2JS.js";import{b as g,d as i}from"./chunk-7ANT74VX.js";import{k as d,l as b}from"./chunk-4DHKOIDS.js";import"./chunk-56OV5KKZ.js";import{d as h,e as v,k as t,o as a}from"./chunk-ZOQTP745.js";var q={turn:s=>a("reported to {agent}",{agent:d(s.from)}),fold:()=>a("reported in the chat"),notification:()=>a("sent as a message"),none:()=>a("result kept here")};function K({id:s,tasks:n,doing:l,told:m,children:D}){let e=n.get(s).value,o=v(),P=o.current?.contains(document.activeElement);if(h(()=>{P&&!o.current.contains(document.activeElement)&&o.current.focus({preventScroll:!0})}),!e)return t`<article class="task" id=${s} data-task=${s} aria-label=${a("Task {id}",{id:s})} ref=${o} tabindex="-1">${a("Task {id}",{id:s})}</article>`;let r=b(e.state),$=q[e.way]?.(e),c=`${d(e.agent)}: ${e.title}`,f=e.result||e.error,W=e.result?a("Result"):e.state==="canceled"?a("Reason"):a("What went wrong");return t`<article class="task ${e.state}" id=${s} data-task=${s} aria-label=${c} ref=${o} tabindex="-1">
    <div class="row">
      ${i("GET /tasks/{id}")?t`<a class="title" href=${`/tasks/${s}`} dir="auto">${c}</a>`:t`<span class="title" dir="auto">${c}</span>`}
      <${S} task=${e} changed=${()=>n.changed(e.id)} />
    </div>
    <div class="row state">
      <${p} id=${s} />
      <span class="state-word">${E(e.state)}</span>
      ${e.model_calls?t`<span>${a(e.model_calls===1?"1 step":"{n} steps",{n:e.model_calls})}</span>`:null}
      <${T} from=${e.created} to=${r?e.finished:void 0} />
      ${e.cached_tokens?t`<span>${a("{n} tokens",{n:u(e.tokens)})}, ${a("{n} from cache",{n:u(e.cached_tokens)})}</span>`:null}
      ${e.continues?t`<span>${a("goes on with")} <${p} id=${e.continues} /></span>`:null}
      ${e.late_of?t`<span>${a("late answer of")} <${p} id=${e.late_of} /></span>`:null}
      ${e.added?t`<span>${a(e.added===1?"1 message added":"{n} messages added",{n:e.added})}</span>`:null}
      ${e.cost?t`<span>${y(e.cost)}</span>`:null}
      ${$&&e.state!=="canceled"?t`<span>${m?t`<a href=${m}>${$}</a>`:$}</span>`:null}
      ${e.trouble&&!l?.includes(e.trouble)?t`<span class="trouble">${e.trouble}</span>`:null}
      ${!r&&l&&e.state!=="input_required"?t`<span>${l}</span>`:null}
    </div>
    ${e.plans?.map(k=>t`<${x} key=${k.agent} plan=${k} named=${e.plans.length>1} over=${r} />`)}
    ${e.decision?t`<${_} task=${e} />`:null}
    ${!e.decision&&f?t`<details><summary>${W}</summary><div class="result"><${w} text=${f} /></div></details>`:null}
    ${D}
    ${i("POST /api/tasks/{id}/steer")?t`<${R} task=${e} over=${r} tasks=${n} />`:null}
  </article>`}function p({id:s}){let n=g.value.web_ui;return n?t`<a href=${`${n}/namespaces/default/workflows/${s}`} target="_blank" rel="noopener"><code>${s}</code></a>`:t`<code>${s}</code>`}export{K as TaskCard};
