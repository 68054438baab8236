import{a as b}from"./chunk-7OS4QIR7.js";import{i as u,k as y}from"./chunk-ZSYFMEBJ.js";import{b as f}from"./chunk-BGZJLJBS.js";import{b as d,k as s,p as t}from"./chunk-V2GEF5NQ.js";var O={YES:()=>t("page.decision.decided_yes"),NO:()=>t("page.decision.decided_no"),TIE:()=>t("page.decision.a_tie"),NO_QUORUM:()=>t("page.decision.no_quorum_neither_yes")},N={YES:()=>t("page.yes"),NO:()=>t("page.no"),ABSTAIN:()=>t("page.decision.abstains")},T={invalid:()=>t("page.decision.no_verdict_not_counted"),late:()=>t("page.decision.late_not_counted"),absent:()=>t("page.decision.no_answer")},E=({verdict:e,confidence:i,standing:n})=>n==="counted"?`${N[e]()}${i?` ${t("page.decision.sure",{n:Math.round(i*100)})}`:""}`:T[n]?.(),h={counted:e=>t("page.decision.counted",{n:e}),invalid:e=>t("page.decision.without_a_verdict",{n:e}),late:e=>t("page.decision.late",{n:e}),absent:e=>t("page.decision.without_an_answer",{n:e})};function I({agents:e,verdicts:i=[]}){let n=Object.keys(h).map(a=>[i.filter(o=>o.standing===a).length,a]).filter(([a])=>a);return`${t("page.decision.asked",{n:e.length})}: ${n.map(([a,o])=>h[o](a)).join(", ")}`}function U({task:e}){return s`<div class="decision">
    <p class="answer" data-answer=${e.decision}>${O[e.decision]?.()??e.decision} <span class="policy">(${e.policy})</span></p>
    <p class="muted">${I(e)}</p>
    <ul aria-label=${t("page.decision.verdicts")}>
      ${e.verdicts?.map(i=>s`<li key=${i.agent} data-standing=${i.standing}>
        <details><summary>${y(i.agent)}: ${E(i)}</summary><div class="result"><${b} text=${i.reasoning||t("outcome.no_report")} /></div></details>
      </li>`)}
    </ul>
    ${e.followed_by?s`<p>${t("page.followed_by")} <a href=${`/tasks/${e.followed_by}`}><code>${e.followed_by}</code></a></p>`:null}
  </div>`}function z({task:e,over:i,tasks:n}){let[a,o]=d(""),[w,x]=d(""),[g,m]=d(!1),[v,S]=d(!1),c=i?t("page.steer.go_on"):t("page.steer.add");return s`<form class="steer" onSubmit=${async l=>{if(l.preventDefault(),g||!a.trim())return;m(!0);let r,$=!1;try{if(i){let p=e.origin.channel==="web"?e.origin.chat:void 0,_=await u(`/api/tasks/${e.id}/continue`,{text:a,chat:p});r=t("page.steer.it_goes_on_as",{id:_.id}),n.changed(_.id)}else await u(`/api/tasks/${e.id}/steer`,{text:a}),r=t("page.steer.read_before_next_step"),n.changed(e.id);o("")}catch(p){r=p.message,$=!0}S($),x(r),f(r),m(!1)}}>
    <input type="text" dir="auto" value=${a} placeholder=${i?t("page.steer.go_on_with_it"):t("page.steer.add_to_it")}
      aria-label=${`${c}: ${e.title}`} onInput=${l=>o(l.target.value)} />
    <button class="small" aria-disabled=${g?"true":void 0} aria-label=${`${c}: ${e.title}`}>${c}</button>
    <span class=${v?"said":"muted"}>${w}</span>
  </form>`}export{U as a,z as b};
