import{k as f,m as g}from"./chunk-4DHKOIDS.js";import{b as c,d,e as m,k as e,o}from"./chunk-ZOQTP745.js";var b={done:["✔",()=>o("Done")],doing:["▸",()=>o("At work")],pending:["○",()=>o("To do")]},h=(n,a)=>`${a?o("{agent}’s plan",{agent:f(n.agent)}):o("Plan")}: ${o("{n} of {all} done",{n:g(n),all:n.items.length})}`;function y({plan:n,label:a,...r}){return e`<ol class="plan" aria-label=${a} ...${r}>
    ${n.items.map(({text:l,state:t},s)=>e`<li key=${s} data-state=${t}>
      <span class="mark" aria-hidden="true">${b[t]?.[0]}</span>
      <span class="hidden">${b[t]?.[1]()}: </span><span dir="auto">${l}</span>
    </li>`)}
  </ol>`}function P({plan:n,named:a,over:r}){let l=h(n,a),t=e`<${y} plan=${n} label=${l} />`;return r?e`<details><summary>${l}</summary>${t}</details>`:e`${a&&e`<p class="whose">${l}</p>`}${t}`}function v({conversation:n}){let a=n.plan.shown.value,r=m(),[l,t]=c(null),s=l??n.working.value;if(d(()=>{s&&r.current?.querySelector("[data-state=doing]")?.scrollIntoView({block:"nearest"})},[a,s]),!a)return null;let u=n.agent.value,p=h(a,u&&u.name!==a.agent),$=a.items.find(i=>i.state==="doing");return e`<details id="plan" open=${s} ref=${r}>
    <summary onClick=${i=>{i.preventDefault(),t(!s)}}>
      <span class="label">${p}</span>
      ${!s&&$&&e`<span class="current" dir="auto">${$.text}</span>`}
    </summary>
    <${y} plan=${a} label=${p} tabindex="0" />
  </details>`}export{P as a,v as b};
