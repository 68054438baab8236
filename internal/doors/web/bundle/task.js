import{a as Q,b as K}from"./shared/chunk-GZCBJFBL.js";import{a as G}from"./shared/chunk-CEN2XANW.js";import{a as Y,b as Z}from"./shared/chunk-3GU6HHWP.js";import{a as q,c as x,d as W}from"./shared/chunk-CAKPIEJN.js";import{a as J}from"./shared/chunk-W467VBVF.js";import{a as g,c as _,d as k}from"./shared/chunk-PZGGJEXI.js";import"./shared/chunk-6X5TK3MG.js";import{a as X}from"./shared/chunk-IJ3YZ5XX.js";import{a as V}from"./shared/chunk-OXCCEQBE.js";import"./shared/chunk-XGNJRG7X.js";import"./shared/chunk-W67FO6TE.js";import{a as y}from"./shared/chunk-7OS4QIR7.js";import"./shared/chunk-B52JOGFE.js";import"./shared/chunk-Z4MSZ2JS.js";import{b as F,d as b}from"./shared/chunk-6SLZQEZ2.js";import"./shared/chunk-JCEDLGCE.js";import{a as H}from"./shared/chunk-VBEITUWX.js";import{a as u,b as B,d as N,g as j}from"./shared/chunk-4G2L4PHD.js";import"./shared/chunk-FAKMFOH4.js";import{g as w,i as T,k as p,l as v,n as z}from"./shared/chunk-ZSYFMEBJ.js";import{a as P}from"./shared/chunk-B7IOUNRY.js";import{b as R}from"./shared/chunk-BGZJLJBS.js";import{a as L,d as U,e as A,g as I,h as f,k as s,p as e}from"./shared/chunk-V2GEF5NQ.js";var E=1e3,S=t=>new Date(t).toLocaleTimeString([],{hour:"2-digit",minute:"2-digit",second:"2-digit"}),ee={model:()=>e("page.timeline.model"),tool:()=>e("page.timeline.tool"),task:()=>e("page.timeline.waits_for_another_task"),wait:()=>e("state.input_required")};function te({line:t}){let a=new Date(t.from),n=Math.max(1,new Date(t.to)-a),r=o=>Math.min(E,Math.max(0,(new Date(o??t.to)-a)/n*E)),l=new Set(t.rows.flatMap(o=>[...(o.steps??[]).map(i=>i.kind),...o.waits?.length?["wait"]:[]]));return s`<div class="timeline">
    <ol aria-label=${e("page.timeline.who_was_work_when")}>${t.rows.map(o=>s`<${ie} key=${`${o.task_id}/${o.agent}`} row=${o} at=${r} to=${t.to} />`)}</ol>
    <p class="muted scale"><span>${S(t.from)}</span><span class="all">${z(a,new Date(t.to))}</span><span>${S(t.to)}</span></p>
    ${l.size>0&&s`<p class="legend muted" aria-hidden="true">${Object.keys(ee).filter(o=>l.has(o)).map(o=>s`<span key=${o}><i class=${`at-${o}`}></i>${ee[o]()}</span>`)}</p>`}
  </div>`}function ie({row:t,at:a,to:n}){let r=a(t.begun),l=(t.waits??[]).map($=>[a($.from),a($.to)]),o=t.steps??[],i=["task","tool","model"],m=($,c)=>({x:$,width:Math.max(3,c-$)});return s`<li class=${t.state} data-level=${Math.min(t.level,4)}>
    <a class="whose" href=${`/tasks/${t.task_id}`} dir="auto" title=${t.title}>${p(t.agent)}</a>
    <svg viewBox="0 0 ${E} 12" preserveAspectRatio="none" aria-hidden="true">
      <rect class="work" ...${m(r,a(t.ended))} y="0" height="12" />
      ${o.toSorted(($,c)=>i.indexOf($.kind)-i.indexOf(c.kind)).map(($,c)=>s`<rect key=${c} class=${`at-${$.kind}`} ...${m(a($.begun),a($.ended))} y="2" height="8" />`)}
      ${l.map(([$,c],h)=>s`<rect key=${`wait-${h}`} class="at-wait" ...${m($,c)} y="2" height="8" />`)}
    </svg>
    <span class="took">${k(t.begun,t.ended??n)}${t.ended?"":"…"}</span>
    <span class="hidden">, ${t.title}, ${e("page.timeline.from",{time:S(t.begun)})}${l.length?`, ${e(l.length===1?"page.timeline.waited_once_answer":"page.timeline.waited_times_answer",{n:l.length})}`:""}</span>
  </li>`}function ae({line:t,id:a}){let n=t.rows.filter(i=>i.task_id===a),r=n.length>1,l=n.flatMap(i=>(i.steps??[]).map(m=>({...m,agent:i.agent})));if(!l.length)return null;let o=l.some(i=>i.cost);return s`<details class="steps"><summary>${e(l.length===1?"page.one_step":"page.steps",{n:l.length})}</summary>
    <div class="rows-scroll" tabindex="0" role="region" aria-label=${e("page.timeline.steps")}><table class="plain-table">
      <thead><tr>${r&&s`<th>${e("page.agent")}</th>`}<th class="num">${e("page.timeline.call")}</th><th>${e("page.timeline.what")}</th><th>${e("page.began")}</th><th class="num">${e("page.took")}</th><th class="num">${e("page.tokens_used")}</th>${o&&s`<th class="num">${e("page.cost")}</th>`}</tr></thead>
      <tbody>${l.map((i,m)=>s`<tr key=${m} data-kind=${i.kind}>
        ${r&&s`<td>${p(i.agent)}</td>`}
        <td class="num">${i.kind==="model"?i.step:""}</td>
        <td class="called"><span class="kind" aria-hidden="true"><i class=${`at-${i.kind}`}></i></span>${i.kind==="model"?i.name||e("page.timeline.model"):s`<code>${i.name}</code>`}
          ${i.task_id&&s` <a href=${`/tasks/${i.task_id}`}><code>${i.task_id}</code></a>`}
          ${i.attempts>1&&s` <span class="muted">${e("page.timeline.attempts",{n:i.attempts})}</span>`}</td>
        <td><time datetime=${i.begun}>${S(i.begun)}</time></td>
        <td class="num">${k(i.begun,i.ended??t.to)}${i.ended?"":"…"}</td>
        <td class="num">${i.tokens?g(i.tokens):""}</td>
        ${o&&s`<td class="num">${i.cost?_(i.cost):""}</td>`}
      </tr>`)}</tbody>
    </table></div>
  </details>`}function se({page:t}){let a=t.task.value,n=t.details.value,r=t.line.value,l=A(),o=l.current?.contains(document.activeElement);if(U(()=>{o&&!l.current.contains(document.activeElement)&&l.current.focus({preventScroll:!0})}),!a)return s`<main class="page dashboard">${t.missing.value&&s`<h2>${e("page.task_view.task_cannot_shown")}</h2><p>${t.missing.value}</p><p><a href="/tasks">${e("page.task_view.all_tasks")}</a></p>`}</main>`;let i=v(a.state),m=a.result||a.error,$=u.value?.role==="master_admin"&&a.origin.person!==u.value.id?"*":"",c=n.questions.filter(d=>d.state==="open"),h=n.questions.filter(d=>d.state!=="open");return s`<main class="page dashboard one-task" data-task=${a.id}>
    <nav class="crumbs" aria-label=${e("page.task_view.where_this_task_stands")}><a href="/tasks">${e("page.tasks")}</a>
      ${n.above.map(d=>s`<span key=${d.id}><span aria-hidden="true"> › </span><a href=${`/tasks/${d.id}`} dir="auto">${d.title}</a></span>`)}</nav>
    <header class="task-head" ref=${l} tabindex="-1">
      <h2 dir="auto">${p(a.agent)}: ${a.title}</h2>
      <${x} state=${a.state} />
      <${W} task=${a} whose=${$} changed=${d=>t.changed(d)} />
    </header>
    <div class="task-columns">
      <div class="task-main">
        ${c.map(d=>s`<${Y} key=${d.id} question=${d} answer=${M=>t.answer(d.id,M)} called=${b} />`)}
        ${a.decision?s`<section><h3>${e("page.task_view.decision")}</h3><div class="task"><${Q} task=${a} /></div></section>`:null}
        ${!a.decision&&m?s`<section id="result"><h3>${a.result?e("page.result"):a.state==="canceled"?e("page.reason"):e("page.what_went_wrong")}</h3><div class="result boxed"><${y} text=${m} /></div></section>`:null}
        ${a.trouble&&s`<p class="trouble">${a.trouble}</p>`}
        <section id="request"><h3>${e("page.task_view.what_was_asked")}</h3><div class="result boxed"><${y} text=${a.task} /></div>
          ${a.briefing&&s`<details><summary>${e("page.task_view.what_went_with_it")}</summary><ul class="plain">${a.briefing.messages?.map((d,M)=>s`<li key=${M}><b dir="auto">${d.who}</b> <span dir="auto">${d.text}</span></li>`)}</ul></details>`}</section>
        ${a.plans?.length>0&&s`<section><h3>${e("page.plan")}</h3>${a.plans.map(d=>s`<${G} key=${d.agent} plan=${d} named=${a.plans.length>1} />`)}</section>`}
        <section id="timeline"><h3>${e("page.task_view.timeline")}</h3><${te} line=${r} /><${ae} line=${r} id=${a.id} /></section>
        ${n.tree.length>1&&s`<${oe} tree=${n.tree} />`}
        ${h.length>0&&s`<section id="asked"><h3>${e("page.task_view.questions_and_answers")}</h3><ul class="plain">${h.map(d=>s`<li key=${d.id}>
          <div class="asked-text"><span class="muted">${p(d.agent)}</span> <${y} text=${d.text} /></div><${V} question=${d} called=${b} /></li>`)}</ul></section>`}
        ${n.files.length>0&&s`<section id="files"><h3>${e("page.task_view.files")}</h3>${n.files.map(d=>s`<${J} key=${d.path} href=${`/api/files/${a.id}/content?path=${encodeURIComponent(d.path)}`} name=${d.path} size=${d.size} note=${p(d.agent)} />`)}</section>`}
        <${de} task=${a} list=${n.deliveries} />
        ${N("POST /api/tasks/{id}/steer")&&s`<section class="task"><h3>${i?e("page.task_view.go_on_with_it"):e("page.task_view.add_to_it")}</h3><${K} task=${a} over=${i} tasks=${t} /></section>`}
      </div>
      <${ne} task=${a} branch=${n.tree[0].branch} over=${i} page=${t} />
    </div>
  </main>`}function ne({task:t,branch:a,over:n,page:r}){let l=t.id,o=B.value.web_ui,i=t.origin.session_id,m=[[e("page.task_view.id"),s`<code>${l}</code>`],[e("page.agent"),p(t.agent)],[e("page.from"),t.from?p(t.from):b(t.origin.person)],[e("page.chat"),s`<${Z} task=${t} />`],[e("page.began"),s`<time datetime=${t.created}>${w(t.created)}</time>`],n?[e("page.task_view.ended"),s`<time datetime=${t.finished}>${w(t.finished)}</time>`]:null,[e("page.took"),n?k(t.created,t.finished):s`<${q} from=${t.created} />`],[e("page.model_calls"),g(t.model_calls)],[e("page.tokens_used"),s`${g(t.tokens)}${t.cached_tokens?s` <span class="muted">${e("page.from_cache",{n:g(t.cached_tokens)})}</span>`:null}`],[e("page.cost"),t.cost?_(t.cost):s`<span class="muted">${e("page.none_known")}</span>`],a.tasks>1?[e("page.task_view.with_all_below"),s`${e("page.task_view.tasks",{n:g(a.tasks)})}, ${e("page.tokens",{n:g(a.tokens)})}${a.cost?s`, ${_(a.cost)}`:null}`]:null,t.added?[e("page.task_view.added"),e(t.added===1?"page.task_view.one_message":"page.task_view.messages",{n:t.added})]:null,...[[e("page.task_view.goes_on_with"),t.continues],[e("page.task_view.retry_of"),t.retry_of],[e("page.task_view.late_answer_of"),t.late_of],[e("page.task_view.follows"),t.follows],[e("page.followed_by"),t.followed_by]].map(([c,h])=>h?[c,s`<a href=${`/tasks/${h}`}><code>${h}</code></a>`]:null)].filter(Boolean),$=c=>`${o}/namespaces/default/workflows${c}`;return s`<aside class="facts" aria-label=${e("page.task_view.facts")}>
    <dl>${m.map(([c,h])=>s`<div key=${c}><dt>${c}</dt><dd dir="auto">${h}</dd></div>`)}</dl>
    ${o&&s`<p class="muted">${e("page.task_view.in_temporal")} <a href=${$(`/${l}`)} target="_blank" rel="noopener">${e("page.task_view.this_workflow")}</a>${i?s`, <a href=${$(`?query=${encodeURIComponent(`ErrandSession="${i}"`)}`)} target="_blank" rel="noopener">${e("page.task_view.all_of_this_conversation")}</a>`:null}</p>`}
  </aside>`}function oe({tree:t}){let a=t.some(n=>n.branch.cost);return s`<section id="delegated"><h3>${e("page.task_view.delegated")}</h3><div class="rows-scroll"><table class="plain-table">
    <thead><tr><th>${e("page.task")}</th><th>${e("page.state")}</th><th class="num">${e("page.took")}</th><th class="num">${e("page.tokens_used")}</th>${a&&s`<th class="num">${e("page.cost")}</th>`}</tr></thead>
    <tbody>${t.map(n=>s`<tr key=${n.id} data-level=${Math.min(n.level,4)}>
      <th scope="row" class="what">${n.level?s`<a href=${`/tasks/${n.id}`} dir="auto">${p(n.agent)}: ${n.title}</a>`:e("page.task_view.all_of_it")}</th>
      <td>${n.level?s`<${x} state=${n.state} />`:null}</td>
      <td class="num">${v(n.state)?k(n.created,n.finished):s`<${q} from=${n.created} />`}</td>
      <td class="num">${g(n.branch.tokens)}</td>${a&&s`<td class="num">${n.branch.cost?_(n.branch.cost):""}</td>`}
    </tr>`)}</tbody>
  </table></div></section>`}var le={turn:()=>e("page.task_view.agent_waited_used_answer"),fold:()=>e("page.task_view.was_reported_chat"),notification:()=>e("page.task_view.was_sent_as_message"),none:()=>e("page.task_view.result_kept_here_there")};function de({task:t,list:a}){let n=v(t.state)&&t.state!=="canceled"?le[t.way]?.():null;if(!n&&!a.length)return null;let r=a.some(o=>o.attempts),l=a.some(o=>o.receipts?.length);return s`<section id="delivery"><h3>${e("page.task_view.delivery")}</h3>
    ${n&&s`<p>${n}</p>`}
    ${a.length>0&&s`<div class="rows-scroll"><table class="plain-table">
      <thead><tr><th>${e("page.task_view.where")}</th><th>${e("page.state")}</th><th>${e("page.task_view.when")}</th>${r&&s`<th class="num">${e("page.task_view.attempts")}</th>`}${l&&s`<th>${e("page.task_view.receipts")}</th>`}</tr></thead>
      <tbody>${a.map(o=>s`<tr key=${o.id}>
        <td dir="auto">${[o.route.channel,o.route.chat].filter(Boolean).join(", ")}</td>
        <td><${x} state=${o.state} />${o.error&&s`<div class="muted">${o.error}</div>`}</td>
        <td><time datetime=${o.sent_at??o.created}>${w(o.sent_at??o.created)}</time></td>
        ${r&&s`<td class="num">${o.attempts}</td>`}
        ${l&&s`<td>${o.receipts?.map(i=>s`<code key=${i}>${i}</code> `)}</td>`}
      </tr>`)}</tbody>
    </table></div>`}
  </section>`}var re={completed:t=>e("page.task_page.has_finished",{name:t}),failed:t=>e("page.task_page.has_failed",{name:t}),canceled:()=>e("page.task_page.the_task_was_canceled")},D=class{task=f(null);details=f(null);line=f(null);missing=f("");#e;constructor(a){this.#e=a}whose(){return["partner","master_admin"].includes(u.value?.role)?"*":""}async load(){u.value||await j();let a=this.whose(),n=a?{person:a}:{},r=(l,o={})=>T(`/api/tasks/${encodeURIComponent(this.#e)}${l}?${new URLSearchParams({...n,...o})}`);try{await F();let[l,o,i]=await Promise.all([r(""),r("/details"),r("/timeline",{steps:!0})]),m=this.task.peek();I(()=>{O(this.task,l),O(this.details,o),O(this.line,i),this.missing.value=""}),document.title=`errand: ${l.title}`,m&&m.state!==l.state&&R(re[l.state]?.(p(l.agent))??"")}catch(l){if(!l.final||this.task.peek())throw l;this.missing.value=l.message}}changed(a){a?.id&&a.id!==this.task.peek()?.id?location.assign(`/tasks/${a.id}`):this.load().catch(()=>{})}async answer(a,n){let r=await T(`/api/questions/${a}/answer`,n);R(r.state==="declined"?e("question.declined",{agent:p(r.agent)}):e("page.has_your_answer",{agent:p(r.agent)})),await this.load()}};function O(t,a){JSON.stringify(t.peek())!==JSON.stringify(a)&&(t.value=a)}var C=new D(decodeURIComponent(location.pathname.split("/").at(-1)));X(()=>C.load(),()=>C.whose());L(s`
  <${H} />
  <${se} page=${C} />
  <${P} />`,document.body);
