import{a as Q,b as K}from"./shared/chunk-TDD6FCNF.js";import{a as Z,b as ee}from"./shared/chunk-FBEYBKXX.js";import{a as C,c as x,d as X}from"./shared/chunk-7VM4XZQJ.js";import{a as p,c as g,d as k}from"./shared/chunk-PL6Y4YBV.js";import{a as M}from"./shared/chunk-UD4VQKIO.js";import{a as Y}from"./shared/chunk-IEPUFD3M.js";import{a as J}from"./shared/chunk-LRD7ASAB.js";import"./shared/chunk-VWQNKOYF.js";import"./shared/chunk-6ULUQ37I.js";import{a as V}from"./shared/chunk-Q6FNQ75D.js";import{a as G}from"./shared/chunk-BKR2U3QX.js";import"./shared/chunk-XT2RCHL6.js";import{a as _}from"./shared/chunk-XNLMF2XU.js";import"./shared/chunk-RPVLV6AY.js";import"./shared/chunk-Z4MSZ2JS.js";import{b as N,d as b}from"./shared/chunk-MSSKZTZU.js";import"./shared/chunk-X6BLCBDR.js";import{a as j}from"./shared/chunk-CB5HU2YK.js";import{a as f,b as q,d as z,g as H}from"./shared/chunk-4ONKDMVB.js";import"./shared/chunk-XBILLAUH.js";import{g as v,i as D,k as h,l as y,n as U}from"./shared/chunk-NZ2MLOBQ.js";import{a as P}from"./shared/chunk-YTHETQM7.js";import{b as R}from"./shared/chunk-CUTO6YOT.js";import{a as F,d as L,e as O,g as B,h as w,k as a,o as t}from"./shared/chunk-P4LB7CD7.js";var W=1e3,T=e=>new Date(e).toLocaleTimeString([],{hour:"2-digit",minute:"2-digit",second:"2-digit"}),te={model:()=>t("model"),tool:()=>t("tool"),task:()=>t("waits for another task"),wait:()=>t("waits for an answer")};function ae({line:e}){let s=new Date(e.from),n=Math.max(1,new Date(e.to)-s),r=o=>Math.min(W,Math.max(0,(new Date(o??e.to)-s)/n*W)),l=new Set(e.rows.flatMap(o=>[...(o.steps??[]).map(i=>i.kind),...o.waits?.length?["wait"]:[]]));return a`<div class="timeline">
    <ol aria-label=${t("Who was at work when")}>${e.rows.map(o=>a`<${ie} key=${`${o.task_id}/${o.agent}`} row=${o} at=${r} to=${e.to} />`)}</ol>
    <p class="muted scale"><span>${T(e.from)}</span><span class="all">${U(s,new Date(e.to))}</span><span>${T(e.to)}</span></p>
    ${l.size>0&&a`<p class="legend muted" aria-hidden="true">${Object.keys(te).filter(o=>l.has(o)).map(o=>a`<span key=${o}><i class=${`at-${o}`}></i>${te[o]()}</span>`)}</p>`}
  </div>`}function ie({row:e,at:s,to:n}){let r=s(e.begun),l=(e.waits??[]).map($=>[s($.from),s($.to)]),o=e.steps??[],i=["task","tool","model"],m=($,c)=>({x:$,width:Math.max(3,c-$)});return a`<li class=${e.state} data-level=${Math.min(e.level,4)}>
    <a class="whose" href=${`/tasks/${e.task_id}`} dir="auto" title=${e.title}>${h(e.agent)}</a>
    <svg viewBox="0 0 ${W} 12" preserveAspectRatio="none" aria-hidden="true">
      <rect class="work" ...${m(r,s(e.ended))} y="0" height="12" />
      ${o.toSorted(($,c)=>i.indexOf($.kind)-i.indexOf(c.kind)).map(($,c)=>a`<rect key=${c} class=${`at-${$.kind}`} ...${m(s($.begun),s($.ended))} y="2" height="8" />`)}
      ${l.map(([$,c],u)=>a`<rect key=${`wait-${u}`} class="at-wait" ...${m($,c)} y="2" height="8" />`)}
    </svg>
    <span class="took">${k(e.begun,e.ended??n)}${e.ended?"":"…"}</span>
    <span class="hidden">, ${e.title}, ${t("from {time}",{time:T(e.begun)})}${l.length?`, ${t(l.length===1?"waited once for an answer":"waited {n} times for an answer",{n:l.length})}`:""}</span>
  </li>`}function se({line:e,id:s}){let n=e.rows.filter(i=>i.task_id===s),r=n.length>1,l=n.flatMap(i=>(i.steps??[]).map(m=>({...m,agent:i.agent})));if(!l.length)return null;let o=l.some(i=>i.cost);return a`<details class="steps"><summary>${t(l.length===1?"1 step":"{n} steps",{n:l.length})}</summary>
    <div class="rows-scroll" tabindex="0" role="region" aria-label=${t("Steps")}><table class="plain-table">
      <thead><tr>${r&&a`<th>${t("Agent")}</th>`}<th class="num">${t("Call")}</th><th>${t("What")}</th><th>${t("Began")}</th><th class="num">${t("Took")}</th><th class="num">${t("Tokens used")}</th>${o&&a`<th class="num">${t("Cost")}</th>`}</tr></thead>
      <tbody>${l.map((i,m)=>a`<tr key=${m} data-kind=${i.kind}>
        ${r&&a`<td>${h(i.agent)}</td>`}
        <td class="num">${i.kind==="model"?i.step:""}</td>
        <td class="called"><span class="kind" aria-hidden="true"><i class=${`at-${i.kind}`}></i></span>${i.kind==="model"?i.name||t("model"):a`<code>${i.name}</code>`}
          ${i.task_id&&a` <a href=${`/tasks/${i.task_id}`}><code>${i.task_id}</code></a>`}
          ${i.attempts>1&&a` <span class="muted">${t("{n} attempts",{n:i.attempts})}</span>`}</td>
        <td><time datetime=${i.begun}>${T(i.begun)}</time></td>
        <td class="num">${k(i.begun,i.ended??e.to)}${i.ended?"":"…"}</td>
        <td class="num">${i.tokens?p(i.tokens):""}</td>
        ${o&&a`<td class="num">${i.cost?g(i.cost):""}</td>`}
      </tr>`)}</tbody>
    </table></div>
  </details>`}function ne({page:e}){let s=e.task.value,n=e.details.value,r=e.line.value,l=O(),o=l.current?.contains(document.activeElement);if(L(()=>{o&&!l.current.contains(document.activeElement)&&l.current.focus({preventScroll:!0})}),!s)return a`<main class="page dashboard">${e.missing.value&&a`<h2>${t("This task cannot be shown")}</h2><p>${e.missing.value}</p><p><a href="/tasks">${t("All tasks")}</a></p>`}</main>`;let i=y(s.state),m=s.result||s.error,$=f.value?.role==="master_admin"&&s.origin.person!==f.value.id?"*":"",c=n.questions.filter(d=>d.state==="open"),u=n.questions.filter(d=>d.state!=="open");return a`<main class="page dashboard one-task" data-task=${s.id}>
    <nav class="crumbs" aria-label=${t("Where this task stands")}><a href="/tasks">${t("Tasks")}</a>
      ${n.above.map(d=>a`<span key=${d.id}><span aria-hidden="true"> › </span><a href=${`/tasks/${d.id}`} dir="auto">${d.title}</a></span>`)}</nav>
    <header class="task-head" ref=${l} tabindex="-1">
      <h2 dir="auto">${h(s.agent)}: ${s.title}</h2>
      <${x} state=${s.state} />
      <${X} task=${s} whose=${$} changed=${d=>e.changed(d)} />
    </header>
    <div class="task-columns">
      <div class="task-main">
        ${c.map(d=>a`<${Z} key=${d.id} question=${d} answer=${A=>e.answer(d.id,A)} called=${b} />`)}
        ${s.decision?a`<section><h3>${t("Decision")}</h3><div class="task"><${Q} task=${s} /></div></section>`:null}
        ${!s.decision&&m?a`<section id="result"><h3>${s.result?t("Result"):s.state==="canceled"?t("Reason"):t("What went wrong")}</h3><div class="result boxed"><${_} text=${m} /></div></section>`:null}
        ${s.trouble&&a`<p class="trouble">${s.trouble}</p>`}
        <section id="request"><h3>${t("What was asked")}</h3><div class="result boxed"><${_} text=${s.task} /></div>
          ${s.briefing&&a`<details><summary>${t("What went with it")}</summary><ul class="plain">${s.briefing.messages?.map((d,A)=>a`<li key=${A}><b dir="auto">${d.who}</b> <span dir="auto">${d.text}</span></li>`)}</ul></details>`}</section>
        ${s.plans?.length>0&&a`<section><h3>${t("Plan")}</h3>${s.plans.map(d=>a`<${V} key=${d.agent} plan=${d} named=${s.plans.length>1} />`)}</section>`}
        <section id="timeline"><h3>${t("Timeline")}</h3><${ae} line=${r} /><${se} line=${r} id=${s.id} /></section>
        ${n.tree.length>1&&a`<${le} tree=${n.tree} />`}
        ${u.length>0&&a`<section id="asked"><h3>${t("Questions and answers")}</h3><ul class="plain">${u.map(d=>a`<li key=${d.id}>
          <div class="asked-text"><span class="muted">${h(d.agent)}</span> <${_} text=${d.text} /></div><${J} question=${d} called=${b} /></li>`)}</ul></section>`}
        ${n.files.length>0&&a`<section id="files"><h3>${t("Files")}</h3>${n.files.map(d=>a`<${G} key=${d.path} href=${`/api/files/${s.id}/content?path=${encodeURIComponent(d.path)}`} name=${d.path} size=${d.size} note=${h(d.agent)} />`)}</section>`}
        <${re} task=${s} list=${n.deliveries} />
        ${z("POST /api/tasks/{id}/steer")&&a`<section class="task"><h3>${i?t("Go on with it"):t("Add to it")}</h3><${K} task=${s} over=${i} tasks=${e} /></section>`}
      </div>
      <${oe} task=${s} branch=${n.tree[0].branch} over=${i} page=${e} />
    </div>
  </main>`}function oe({task:e,branch:s,over:n,page:r}){let l=e.id,o=q.value.web_ui,i=e.origin.session_id,m=[[t("Id"),a`<code>${l}</code>`],[t("Agent"),h(e.agent)],[t("From"),e.from?h(e.from):b(e.origin.person)],[t("Chat"),a`<${ee} task=${e} />`],[t("Began"),a`<time datetime=${e.created}>${v(e.created)}</time>`],n?[t("Ended"),a`<time datetime=${e.finished}>${v(e.finished)}</time>`]:null,[t("Took"),n?k(e.created,e.finished):a`<${C} from=${e.created} />`],[t("Model calls"),p(e.model_calls)],[t("Tokens used"),a`${p(e.tokens)}${e.cached_tokens?a` <span class="muted">${t("{n} from cache",{n:p(e.cached_tokens)})}</span>`:null}`],[t("Cost"),e.cost?g(e.cost):a`<span class="muted">${t("none known")}</span>`],s.tasks>1?[t("With all below"),a`${t("{n} tasks",{n:p(s.tasks)})}, ${t("{n} tokens",{n:p(s.tokens)})}${s.cost?a`, ${g(s.cost)}`:null}`]:null,e.added?[t("Added"),t(e.added===1?"1 message":"{n} messages",{n:e.added})]:null,...[[t("Goes on with"),e.continues],[t("Retry of"),e.retry_of],[t("Late answer of"),e.late_of],[t("Follows"),e.follows],[t("Followed by"),e.followed_by]].map(([c,u])=>u?[c,a`<a href=${`/tasks/${u}`}><code>${u}</code></a>`]:null)].filter(Boolean),$=c=>`${o}/namespaces/default/workflows${c}`;return a`<aside class="facts" aria-label=${t("Facts")}>
    <dl>${m.map(([c,u])=>a`<div key=${c}><dt>${c}</dt><dd dir="auto">${u}</dd></div>`)}</dl>
    ${o&&a`<p class="muted">${t("In Temporal:")} <a href=${$(`/${l}`)} target="_blank" rel="noopener">${t("this workflow")}</a>${i?a`, <a href=${$(`?query=${encodeURIComponent(`ErrandSession="${i}"`)}`)} target="_blank" rel="noopener">${t("all of this conversation")}</a>`:null}</p>`}
  </aside>`}function le({tree:e}){let s=e.some(n=>n.branch.cost);return a`<section id="delegated"><h3>${t("Delegated")}</h3><div class="rows-scroll"><table class="plain-table">
    <thead><tr><th>${t("Task")}</th><th>${t("State")}</th><th class="num">${t("Took")}</th><th class="num">${t("Tokens used")}</th>${s&&a`<th class="num">${t("Cost")}</th>`}</tr></thead>
    <tbody>${e.map(n=>a`<tr key=${n.id} data-level=${Math.min(n.level,4)}>
      <th scope="row" class="what">${n.level?a`<a href=${`/tasks/${n.id}`} dir="auto">${h(n.agent)}: ${n.title}</a>`:t("All of it")}</th>
      <td>${n.level?a`<${x} state=${n.state} />`:null}</td>
      <td class="num">${y(n.state)?k(n.created,n.finished):a`<${C} from=${n.created} />`}</td>
      <td class="num">${p(n.branch.tokens)}</td>${s&&a`<td class="num">${n.branch.cost?g(n.branch.cost):""}</td>`}
    </tr>`)}</tbody>
  </table></div></section>`}var de={turn:()=>t("An agent waited for it and used it in its answer."),fold:()=>t("It was reported in the chat."),notification:()=>t("It was sent as a message."),none:()=>t("The result is kept here: there was no chat to report it in.")};function re({task:e,list:s}){let n=y(e.state)&&e.state!=="canceled"?de[e.way]?.():null;if(!n&&!s.length&&!e.held_until)return null;let r=s.some(o=>o.attempts),l=s.some(o=>o.receipts?.length);return a`<section id="delivery"><h3>${t("Delivery")}</h3>
    ${n&&a`<p>${n} <${M} until=${!e.way&&e.held_until} /></p>`}
    ${!n&&a`<p><${M} until=${!e.way&&e.held_until} /></p>`}
    ${s.length>0&&a`<div class="rows-scroll"><table class="plain-table">
      <thead><tr><th>${t("Where")}</th><th>${t("State")}</th><th>${t("When")}</th>${r&&a`<th class="num">${t("Attempts")}</th>`}${l&&a`<th>${t("Receipts")}</th>`}</tr></thead>
      <tbody>${s.map(o=>a`<tr key=${o.id}>
        <td dir="auto">${[o.route.channel,o.route.chat].filter(Boolean).join(", ")}</td>
        <td><${x} state=${o.state} />${o.error&&a`<div class="muted">${o.error}</div>`}</td>
        <td><time datetime=${o.sent_at??o.created}>${v(o.sent_at??o.created)}</time></td>
        ${r&&a`<td class="num">${o.attempts}</td>`}
        ${l&&a`<td>${o.receipts?.map(i=>a`<code key=${i}>${i}</code> `)}</td>`}
      </tr>`)}</tbody>
    </table></div>`}
  </section>`}var $e={completed:e=>t("{name} has finished.",{name:e}),failed:e=>t("{name} has failed.",{name:e}),canceled:()=>t("The task was canceled.")},S=class{task=w(null);details=w(null);line=w(null);missing=w("");#e;constructor(s){this.#e=s}whose(){return["partner","master_admin"].includes(f.value?.role)?"*":""}async load(){f.value||await H();let s=this.whose(),n=s?{person:s}:{},r=(l,o={})=>D(`/api/tasks/${encodeURIComponent(this.#e)}${l}?${new URLSearchParams({...n,...o})}`);try{await N();let[l,o,i]=await Promise.all([r(""),r("/details"),r("/timeline",{steps:!0})]),m=this.task.peek();B(()=>{I(this.task,l),I(this.details,o),I(this.line,i),this.missing.value=""}),document.title=`errand: ${l.title}`,m&&m.state!==l.state&&R($e[l.state]?.(h(l.agent))??"")}catch(l){if(!l.final||this.task.peek())throw l;this.missing.value=l.message}}changed(s){s?.id&&s.id!==this.task.peek()?.id?location.assign(`/tasks/${s.id}`):this.load().catch(()=>{})}async answer(s,n){let r=await D(`/api/questions/${s}/answer`,n);R(r.state==="declined"?t("{agent} goes on without an answer.",{agent:h(r.agent)}):t("{agent} has your answer.",{agent:h(r.agent)})),await this.load()}};function I(e,s){JSON.stringify(e.peek())!==JSON.stringify(s)&&(e.value=s)}var E=new S(decodeURIComponent(location.pathname.split("/").at(-1)));Y(()=>E.load(),()=>E.whose());F(a`
  <${j} />
  <${ne} page=${E} />
  <${P} />`,document.body);
