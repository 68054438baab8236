import{a as w}from"./chunk-GVKRUO7B.js";import{i as $,k as h}from"./chunk-4DHKOIDS.js";import{b}from"./chunk-56OV5KKZ.js";import{b as l,k as i,o as e}from"./chunk-ZOQTP745.js";var A={YES:()=>e("Decided: yes"),NO:()=>e("Decided: no"),TIE:()=>e("A tie"),NO_QUORUM:()=>e("No quorum: neither yes nor no")},I={YES:()=>e("yes"),NO:()=>e("no"),ABSTAIN:()=>e("abstains")},N={invalid:()=>e("no verdict, not counted"),late:()=>e("late, not counted"),absent:()=>e("no answer")},D=({verdict:t,confidence:n,standing:s})=>s==="counted"?`${I[t]()}${n?` ${e("({n} % sure)",{n:Math.round(n*100)})}`:""}`:N[s]?.(),g={counted:t=>e("{n} counted",{n:t}),invalid:t=>e("{n} without a verdict",{n:t}),late:t=>e("{n} late",{n:t}),absent:t=>e("{n} without an answer",{n:t})};function T({agents:t,verdicts:n=[]}){let s=Object.keys(g).map(o=>[n.filter(a=>a.standing===o).length,o]).filter(([o])=>o);return`${e("{n} asked",{n:t.length})}: ${s.map(([o,a])=>g[a](o)).join(", ")}`}function M({task:t}){return i`<div class="decision">
    <p class="answer" data-answer=${t.decision}>${A[t.decision]?.()??t.decision} <span class="policy">(${t.policy})</span></p>
    <p class="muted">${T(t)}</p>
    <ul aria-label=${e("Verdicts")}>
      ${t.verdicts?.map(n=>i`<li key=${n.agent} data-standing=${n.standing}>
        <details><summary>${h(n.agent)}: ${D(n)}</summary><div class="result"><${w} text=${n.reasoning||e("(no report)")} /></div></details>
      </li>`)}
    </ul>
    ${t.followed_by?i`<p>${e("Followed by")} <a href=${`/tasks/${t.followed_by}`}><code>${t.followed_by}</code></a></p>`:null}
  </div>`}function R({task:t,over:n,tasks:s}){let[o,a]=l(""),[x,v]=l(""),[m,p]=l(!1),[S,O]=l(!1),d=n?e("Go on"):e("Add");return i`<form class="steer" onSubmit=${async c=>{if(c.preventDefault(),m||!o.trim())return;p(!0);let r,f=!1;try{if(n){let u=t.origin.channel==="web"?t.origin.chat:void 0,y=await $(`/api/tasks/${t.id}/continue`,{text:o,chat:u});r=e("It goes on as {id}.",{id:y.id}),s.changed(y.id)}else await $(`/api/tasks/${t.id}/steer`,{text:o}),r=e("It is read before the next step."),s.changed(t.id);a("")}catch(u){r=u.message,f=!0}O(f),v(r),b(r),p(!1)}}>
    <input type="text" dir="auto" value=${o} placeholder=${n?e("Go on with it…"):e("Add to it…")}
      aria-label=${`${d}: ${t.title}`} onInput=${c=>a(c.target.value)} />
    <button class="small" aria-disabled=${m?"true":void 0} aria-label=${`${d}: ${t.title}`}>${d}</button>
    <span class=${S?"said":"muted"}>${x}</span>
  </form>`}export{M as a,R as b};
