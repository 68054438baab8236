import{k as f,m as g}from"./chunk-ZSYFMEBJ.js";import{b as c,d,e as m,k as n,p as o}from"./chunk-V2GEF5NQ.js";var b={done:["✔",()=>o("page.plan.done")],doing:["▸",()=>o("page.plan.at_work")],pending:["○",()=>o("page.plan.to_do")]},h=(e,a)=>`${a?o("page.plan.s_plan",{agent:f(e.agent)}):o("page.plan")}: ${o("page.plan.of_done",{n:g(e),all:e.items.length})}`;function y({plan:e,label:a,...p}){return n`<ol class="plan" aria-label=${a} ...${p}>
    ${e.items.map(({text:l,state:t},s)=>n`<li key=${s} data-state=${t}>
      <span class="mark" aria-hidden="true">${b[t]?.[0]}</span>
      <span class="hidden">${b[t]?.[1]()}: </span><span dir="auto">${l}</span>
    </li>`)}
  </ol>`}function _({plan:e,named:a,over:p}){let l=h(e,a),t=n`<${y} plan=${e} label=${l} />`;return p?n`<details><summary>${l}</summary>${t}</details>`:n`${a&&n`<p class="whose">${l}</p>`}${t}`}function v({conversation:e}){let a=e.plan.shown.value,p=m(),[l,t]=c(null),s=l??e.working.value;if(d(()=>{s&&p.current?.querySelector("[data-state=doing]")?.scrollIntoView({block:"nearest"})},[a,s]),!a)return null;let i=e.agent.value,u=h(a,i&&i.name!==a.agent),$=a.items.find(r=>r.state==="doing");return n`<details id="plan" open=${s} ref=${p}>
    <summary onClick=${r=>{r.preventDefault(),t(!s)}}>
      <span class="label">${u}</span>
      ${!s&&$&&n`<span class="current" dir="auto">${$.text}</span>`}
    </summary>
    <${y} plan=${a} label=${u} tabindex="0" />
  </details>`}export{_ as a,v as b};
