import{a as J,b as V}from"./shared/chunk-RMRFOXMV.js";import{a as Y,b as Z}from"./shared/chunk-7EYCEH6H.js";import{a as C,c as T,d as K}from"./shared/chunk-B72XSV3L.js";import{a as p,c as k,d as g}from"./shared/chunk-QPIU4YZU.js";import{a as X}from"./shared/chunk-Z3MO3V4L.js";import{a as H}from"./shared/chunk-KLMUMTFQ.js";import"./shared/chunk-5FTOOB6N.js";import"./shared/chunk-YFZPMGDL.js";import{a as Q}from"./shared/chunk-IYORWQU7.js";import{a as G}from"./shared/chunk-VTRTORBQ.js";import"./shared/chunk-UC5YX7VT.js";import{a as x}from"./shared/chunk-GVKRUO7B.js";import"./shared/chunk-WAQJSITK.js";import"./shared/chunk-Z4MSZ2JS.js";import{b as N,d as y}from"./shared/chunk-R72ZRVW7.js";import"./shared/chunk-YZC3XOHJ.js";import{a as j}from"./shared/chunk-ZSOHIUJY.js";import{a as f,b as U,d as q,g as z}from"./shared/chunk-7ANT74VX.js";import"./shared/chunk-6A7IHR5J.js";import{g as v,i as D,k as h,l as b,n as P}from"./shared/chunk-4DHKOIDS.js";import{a as B}from"./shared/chunk-KUPQE3KS.js";import{b as R}from"./shared/chunk-56OV5KKZ.js";import{a as E,d as F,e as L,g as O,h as w,k as s,o as e}from"./shared/chunk-ZOQTP745.js";var M=1e3,_=t=>new Date(t).toLocaleTimeString([],{hour:"2-digit",minute:"2-digit",second:"2-digit"}),ee={model:()=>e("model"),tool:()=>e("tool"),task:()=>e("waits for another task"),wait:()=>e("waits for an answer")};function te({line:t}){let a=new Date(t.from),i=Math.max(1,new Date(t.to)-a),r=o=>Math.min(M,Math.max(0,(new Date(o??t.to)-a)/i*M)),l=new Set(t.rows.flatMap(o=>[...(o.steps??[]).map(n=>n.kind),...o.waits?.length?["wait"]:[]]));return s`<div class="timeline">
    <ol aria-label=${e("Who was at work when")}>${t.rows.map(o=>s`<${ne} key=${`${o.task_id}/${o.agent}`} row=${o} at=${r} to=${t.to} />`)}</ol>
    <p class="muted scale"><span>${_(t.from)}</span><span class="all">${P(a,new Date(t.to))}</span><span>${_(t.to)}</span></p>
    ${l.size>0&&s`<p class="legend muted" aria-hidden="true">${Object.keys(ee).filter(o=>l.has(o)).map(o=>s`<span key=${o}><i class=${`at-${o}`}></i>${ee[o]()}</span>`)}</p>`}
  </div>`}function ne({row:t,at:a,to:i}){let r=a(t.begun),l=(t.waits??[]).map($=>[a($.from),a($.to)]),o=t.steps??[],n=["task","tool","model"],m=($,c)=>({x:$,width:Math.max(3,c-$)});return s`<li class=${t.state} data-level=${Math.min(t.level,4)}>
    <a class="whose" href=${`/tasks/${t.task_id}`} dir="auto" title=${t.title}>${h(t.agent)}</a>
    <svg viewBox="0 0 ${M} 12" preserveAspectRatio="none" aria-hidden="true">
      <rect class="work" ...${m(r,a(t.ended))} y="0" height="12" />
      ${o.toSorted(($,c)=>n.indexOf($.kind)-n.indexOf(c.kind)).map(($,c)=>s`<rect key=${c} class=${`at-${$.kind}`} ...${m(a($.begun),a($.ended))} y="2" height="8" />`)}
      ${l.map(([$,c],u)=>s`<rect key=${`wait-${u}`} class="at-wait" ...${m($,c)} y="2" height="8" />`)}
    </svg>
    <span class="took">${g(t.begun,t.ended??i)}${t.ended?"":"…"}</span>
    <span class="hidden">, ${t.title}, ${e("from {time}",{time:_(t.begun)})}${l.length?`, ${e(l.length===1?"waited once for an answer":"waited {n} times for an answer",{n:l.length})}`:""}</span>
  </li>`}function ae({line:t,id:a}){let i=t.rows.filter(n=>n.task_id===a),r=i.length>1,l=i.flatMap(n=>(n.steps??[]).map(m=>({...m,agent:n.agent})));if(!l.length)return null;let o=l.some(n=>n.cost);return s`<details class="steps"><summary>${e(l.length===1?"1 step":"{n} steps",{n:l.length})}</summary>
    <div class="rows-scroll" tabindex="0" role="region" aria-label=${e("Steps")}><table class="plain-table">
      <thead><tr>${r&&s`<th>${e("Agent")}</th>`}<th class="num">${e("Call")}</th><th>${e("What")}</th><th>${e("Began")}</th><th class="num">${e("Took")}</th><th class="num">${e("Tokens used")}</th>${o&&s`<th class="num">${e("Cost")}</th>`}</tr></thead>
      <tbody>${l.map((n,m)=>s`<tr key=${m} data-kind=${n.kind}>
        ${r&&s`<td>${h(n.agent)}</td>`}
        <td class="num">${n.kind==="model"?n.step:""}</td>
        <td class="called"><span class="kind" aria-hidden="true"><i class=${`at-${n.kind}`}></i></span>${n.kind==="model"?n.name||e("model"):s`<code>${n.name}</code>`}
          ${n.task_id&&s` <a href=${`/tasks/${n.task_id}`}><code>${n.task_id}</code></a>`}
          ${n.attempts>1&&s` <span class="muted">${e("{n} attempts",{n:n.attempts})}</span>`}</td>
        <td><time datetime=${n.begun}>${_(n.begun)}</time></td>
        <td class="num">${g(n.begun,n.ended??t.to)}${n.ended?"":"…"}</td>
        <td class="num">${n.tokens?p(n.tokens):""}</td>
        ${o&&s`<td class="num">${n.cost?k(n.cost):""}</td>`}
      </tr>`)}</tbody>
    </table></div>
  </details>`}function se({page:t}){let a=t.task.value,i=t.details.value,r=t.line.value,l=L(),o=l.current?.contains(document.activeElement);if(F(()=>{o&&!l.current.contains(document.activeElement)&&l.current.focus({preventScroll:!0})}),!a)return s`<main class="page dashboard">${t.missing.value&&s`<h2>${e("This task cannot be shown")}</h2><p>${t.missing.value}</p><p><a href="/tasks">${e("All tasks")}</a></p>`}</main>`;let n=b(a.state),m=a.result||a.error,$=f.value?.role==="master_admin"&&a.origin.person!==f.value.id?"*":"",c=i.questions.filter(d=>d.state==="open"),u=i.questions.filter(d=>d.state!=="open");return s`<main class="page dashboard one-task" data-task=${a.id}>
    <nav class="crumbs" aria-label=${e("Where this task stands")}><a href="/tasks">${e("Tasks")}</a>
      ${i.above.map(d=>s`<span key=${d.id}><span aria-hidden="true"> › </span><a href=${`/tasks/${d.id}`} dir="auto">${d.title}</a></span>`)}</nav>
    <header class="task-head" ref=${l} tabindex="-1">
      <h2 dir="auto">${h(a.agent)}: ${a.title}</h2>
      <${T} state=${a.state} />
      <${K} task=${a} whose=${$} changed=${d=>t.changed(d)} />
    </header>
    <div class="task-columns">
      <div class="task-main">
        ${c.map(d=>s`<${Y} key=${d.id} question=${d} answer=${A=>t.answer(d.id,A)} called=${y} />`)}
        ${a.decision?s`<section><h3>${e("Decision")}</h3><div class="task"><${J} task=${a} /></div></section>`:null}
        ${!a.decision&&m?s`<section id="result"><h3>${a.result?e("Result"):a.state==="canceled"?e("Reason"):e("What went wrong")}</h3><div class="result boxed"><${x} text=${m} /></div></section>`:null}
        ${a.trouble&&s`<p class="trouble">${a.trouble}</p>`}
        <section id="request"><h3>${e("What was asked")}</h3><div class="result boxed"><${x} text=${a.task} /></div>
          ${a.briefing&&s`<details><summary>${e("What went with it")}</summary><ul class="plain">${a.briefing.messages?.map((d,A)=>s`<li key=${A}><b dir="auto">${d.who}</b> <span dir="auto">${d.text}</span></li>`)}</ul></details>`}</section>
        ${a.plans?.length>0&&s`<section><h3>${e("Plan")}</h3>${a.plans.map(d=>s`<${Q} key=${d.agent} plan=${d} named=${a.plans.length>1} />`)}</section>`}
        <section id="timeline"><h3>${e("Timeline")}</h3><${te} line=${r} /><${ae} line=${r} id=${a.id} /></section>
        ${i.tree.length>1&&s`<${oe} tree=${i.tree} />`}
        ${u.length>0&&s`<section id="asked"><h3>${e("Questions and answers")}</h3><ul class="plain">${u.map(d=>s`<li key=${d.id}>
          <div class="asked-text"><span class="muted">${h(d.agent)}</span> <${x} text=${d.text} /></div><${H} question=${d} called=${y} /></li>`)}</ul></section>`}
        ${i.files.length>0&&s`<section id="files"><h3>${e("Files")}</h3>${i.files.map(d=>s`<${G} key=${d.path} href=${`/api/files/${a.id}/content?path=${encodeURIComponent(d.path)}`} name=${d.path} size=${d.size} note=${h(d.agent)} />`)}</section>`}
        <${de} task=${a} list=${i.deliveries} />
        ${q("POST /api/tasks/{id}/steer")&&s`<section class="task"><h3>${n?e("Go on with it"):e("Add to it")}</h3><${V} task=${a} over=${n} tasks=${t} /></section>`}
      </div>
      <${ie} task=${a} branch=${i.tree[0].branch} over=${n} page=${t} />
    </div>
  </main>`}function ie({task:t,branch:a,over:i,page:r}){let l=t.id,o=U.value.web_ui,n=t.origin.session_id,m=[[e("Id"),s`<code>${l}</code>`],[e("Agent"),h(t.agent)],[e("From"),t.from?h(t.from):y(t.origin.person)],[e("Chat"),s`<${Z} task=${t} />`],[e("Began"),s`<time datetime=${t.created}>${v(t.created)}</time>`],i?[e("Ended"),s`<time datetime=${t.finished}>${v(t.finished)}</time>`]:null,[e("Took"),i?g(t.created,t.finished):s`<${C} from=${t.created} />`],[e("Model calls"),p(t.model_calls)],[e("Tokens used"),s`${p(t.tokens)}${t.cached_tokens?s` <span class="muted">${e("{n} from cache",{n:p(t.cached_tokens)})}</span>`:null}`],[e("Cost"),t.cost?k(t.cost):s`<span class="muted">${e("none known")}</span>`],a.tasks>1?[e("With all below"),s`${e("{n} tasks",{n:p(a.tasks)})}, ${e("{n} tokens",{n:p(a.tokens)})}${a.cost?s`, ${k(a.cost)}`:null}`]:null,t.added?[e("Added"),e(t.added===1?"1 message":"{n} messages",{n:t.added})]:null,...[[e("Goes on with"),t.continues],[e("Retry of"),t.retry_of],[e("Late answer of"),t.late_of],[e("Follows"),t.follows],[e("Followed by"),t.followed_by]].map(([c,u])=>u?[c,s`<a href=${`/tasks/${u}`}><code>${u}</code></a>`]:null)].filter(Boolean),$=c=>`${o}/namespaces/default/workflows${c}`;return s`<aside class="facts" aria-label=${e("Facts")}>
    <dl>${m.map(([c,u])=>s`<div key=${c}><dt>${c}</dt><dd dir="auto">${u}</dd></div>`)}</dl>
    ${o&&s`<p class="muted">${e("In Temporal:")} <a href=${$(`/${l}`)} target="_blank" rel="noopener">${e("this workflow")}</a>${n?s`, <a href=${$(`?query=${encodeURIComponent(`ErrandSession="${n}"`)}`)} target="_blank" rel="noopener">${e("all of this conversation")}</a>`:null}</p>`}
  </aside>`}function oe({tree:t}){let a=t.some(i=>i.branch.cost);return s`<section id="delegated"><h3>${e("Delegated")}</h3><div class="rows-scroll"><table class="plain-table">
    <thead><tr><th>${e("Task")}</th><th>${e("State")}</th><th class="num">${e("Took")}</th><th class="num">${e("Tokens used")}</th>${a&&s`<th class="num">${e("Cost")}</th>`}</tr></thead>
    <tbody>${t.map(i=>s`<tr key=${i.id} data-level=${Math.min(i.level,4)}>
      <th scope="row" class="what">${i.level?s`<a href=${`/tasks/${i.id}`} dir="auto">${h(i.agent)}: ${i.title}</a>`:e("All of it")}</th>
      <td>${i.level?s`<${T} state=${i.state} />`:null}</td>
      <td class="num">${b(i.state)?g(i.created,i.finished):s`<${C} from=${i.created} />`}</td>
      <td class="num">${p(i.branch.tokens)}</td>${a&&s`<td class="num">${i.branch.cost?k(i.branch.cost):""}</td>`}
    </tr>`)}</tbody>
  </table></div></section>`}var le={turn:()=>e("An agent waited for it and used it in its answer."),fold:()=>e("It was reported in the chat."),notification:()=>e("It was sent as a message."),none:()=>e("The result is kept here: there was no chat to report it in.")};function de({task:t,list:a}){let i=b(t.state)&&t.state!=="canceled"?le[t.way]?.():null;if(!i&&!a.length)return null;let r=a.some(o=>o.attempts),l=a.some(o=>o.receipts?.length);return s`<section id="delivery"><h3>${e("Delivery")}</h3>
    ${i&&s`<p>${i}</p>`}
    ${a.length>0&&s`<div class="rows-scroll"><table class="plain-table">
      <thead><tr><th>${e("Where")}</th><th>${e("State")}</th><th>${e("When")}</th>${r&&s`<th class="num">${e("Attempts")}</th>`}${l&&s`<th>${e("Receipts")}</th>`}</tr></thead>
      <tbody>${a.map(o=>s`<tr key=${o.id}>
        <td dir="auto">${[o.route.channel,o.route.chat].filter(Boolean).join(", ")}</td>
        <td><${T} state=${o.state} />${o.error&&s`<div class="muted">${o.error}</div>`}</td>
        <td><time datetime=${o.sent_at??o.created}>${v(o.sent_at??o.created)}</time></td>
        ${r&&s`<td class="num">${o.attempts}</td>`}
        ${l&&s`<td>${o.receipts?.map(n=>s`<code key=${n}>${n}</code> `)}</td>`}
      </tr>`)}</tbody>
    </table></div>`}
  </section>`}var re={completed:t=>e("{name} has finished.",{name:t}),failed:t=>e("{name} has failed.",{name:t}),canceled:()=>e("The task was canceled.")},S=class{task=w(null);details=w(null);line=w(null);missing=w("");#e;constructor(a){this.#e=a}whose(){return["partner","master_admin"].includes(f.value?.role)?"*":""}async load(){f.value||await z();let a=this.whose(),i=a?{person:a}:{},r=(l,o={})=>D(`/api/tasks/${encodeURIComponent(this.#e)}${l}?${new URLSearchParams({...i,...o})}`);try{await N();let[l,o,n]=await Promise.all([r(""),r("/details"),r("/timeline",{steps:!0})]),m=this.task.peek();O(()=>{W(this.task,l),W(this.details,o),W(this.line,n),this.missing.value=""}),document.title=`errand: ${l.title}`,m&&m.state!==l.state&&R(re[l.state]?.(h(l.agent))??"")}catch(l){if(!l.final||this.task.peek())throw l;this.missing.value=l.message}}changed(a){a?.id&&a.id!==this.task.peek()?.id?location.assign(`/tasks/${a.id}`):this.load().catch(()=>{})}async answer(a,i){let r=await D(`/api/questions/${a}/answer`,i);R(r.state==="declined"?e("{agent} goes on without an answer.",{agent:h(r.agent)}):e("{agent} has your answer.",{agent:h(r.agent)})),await this.load()}};function W(t,a){JSON.stringify(t.peek())!==JSON.stringify(a)&&(t.value=a)}var I=new S(decodeURIComponent(location.pathname.split("/").at(-1)));X(()=>I.load(),()=>I.whose());E(s`
  <${j} />
  <${se} page=${I} />
  <${B} />`,document.body);
