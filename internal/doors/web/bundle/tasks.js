import{a as Y,b as Z}from"./shared/chunk-3GU6HHWP.js";import{a as W,b as P,c as Q,d as K}from"./shared/chunk-CAKPIEJN.js";import{a as V}from"./shared/chunk-I5YRBWKV.js";import{a as x,b as H,c as J}from"./shared/chunk-PZGGJEXI.js";import{a as _}from"./shared/chunk-6X5TK3MG.js";import{a as X}from"./shared/chunk-IJ3YZ5XX.js";import{d as F}from"./shared/chunk-XGNJRG7X.js";import"./shared/chunk-W67FO6TE.js";import"./shared/chunk-7OS4QIR7.js";import"./shared/chunk-B52JOGFE.js";import"./shared/chunk-Z4MSZ2JS.js";import{b as G,d as q,e as z}from"./shared/chunk-6SLZQEZ2.js";import{a as B}from"./shared/chunk-JCEDLGCE.js";import{a as I}from"./shared/chunk-VBEITUWX.js";import{a as T,d as $}from"./shared/chunk-4G2L4PHD.js";import"./shared/chunk-FAKMFOH4.js";import{g as U,i as g,j as L,k,l as y}from"./shared/chunk-ZSYFMEBJ.js";import{a as A}from"./shared/chunk-B7IOUNRY.js";import{b as S}from"./shared/chunk-BGZJLJBS.js";import{a as N,b as j,d as O,e as R,g as b,h as u,k as c,p as n}from"./shared/chunk-V2GEF5NQ.js";function ee({list:l,refresh:e}){return c`<section id="deliveries" aria-label=${n("page.deliveries.undelivered_messages")}>
    <h2>${n("page.deliveries.undelivered_messages")}</h2>
    <div id="outbox">
      ${l.length?l.map(t=>c`<${pe} key=${t.id} ...${t} refresh=${e} />`):c`<p class="muted">${n("page.none")}</p>`}
    </div>
  </section>`}function pe({id:l,route:e,state:t,error:a,text:s,refresh:o}){let i=(p,r)=>c`<${_} label=${p} describe=${`${p}: ${e.channel} ${e.chat}`} run=${async()=>{await g(`/api/outbox/${l}/${r}`,{}),o()}} />`;return c`<article class="task">
    <div class="row"><span class="title">${e.channel} ${e.chat}: ${P(t)}</span>${i(n("page.send_again"),"retry")}${i(n("page.deliveries.dismiss"),"dismiss")}</div>
    <p class="muted">${a}</p><p class="result" dir="auto">${s}</p>
  </article>`}function te({board:l}){let e=[...l.picked.value].map(o=>l.get(o).value).filter(Boolean),t=l.refused.value,a=e.filter(o=>!y(o.state)),s=e.filter(o=>y(o.state)&&o.state!=="completed");return!e.length&&!t.length?null:c`<section id="bulk" aria-label=${n("page.task_bulk.selected_tasks")}>
    <span>${n("page.task_bulk.selected",{n:e.length})}</span>
    ${a.length>0&&$("POST /api/tasks/cancel")&&c`<${_} key="cancel" label=${n("page.task_bulk.cancel",{n:a.length})} run=${()=>l.bulk("cancel",a)} />`}
    ${s.length>0&&$("POST /api/tasks/retry")&&c`<${_} key="retry" label=${n("page.task_bulk.retry",{n:s.length})} run=${()=>l.bulk("retry",s)} />`}
    <button class="small" type="button" onClick=${()=>l.unpick()}>${n("page.task_bulk.clear_selection")}</button>
    ${t.length>0&&c`<ul class="plain said">${t.map(({id:o,error:i})=>c`<li key=${o}><code>${o}</code> ${i.message}</li>`)}</ul>`}
  </section>`}var he=["open","submitted","working","input_required","completed","failed","canceled","rejected"];function se({board:l}){let e=l.filters.value,t=l.counts.value,[a,s]=j(["agent","chat","person","since","until"].some(r=>e[r])),o=(r,h,f)=>c`<${B} name=${r} value=${e[r]} all=${h} options=${f} choose=${d=>l.filter(r,d)} />`,i=r=>c`<input name=${r} type="date" value=${e[r]} onChange=${h=>l.filter(r,h.target.value)} />`,p=he.filter(r=>r==="open"||e.state===r||t?.[r]);return c`<form id="filters" role="search" aria-label=${n("page.task_filters.which_tasks")} onSubmit=${r=>r.preventDefault()}>
    <fieldset class="states">
      <legend class="hidden">${n("page.state")}</legend>
      ${["",...p].map(r=>c`<label key=${r} data-state=${r}>
        <input type="radio" name="state" value=${r} checked=${e.state===r} onChange=${()=>l.filter("state",r)} />
        <span>${r?P(r):n("page.task_filters.all")}</span> ${t&&c`<span class="n">${x(t[r||"total"])}</span>`}
      </label>`)}
    </fieldset>
    <div class="filters">
      <label class="grow">${n("page.search")} <input name="q" type="search" maxlength="200" placeholder=${n("page.task_filters.request_result_or_id")} value=${e.q}
        onInput=${r=>l.filter("q",r.target.value)} /></label>
      <button class="more small" type="button" aria-expanded=${a?"true":"false"} onClick=${()=>s(!a)}>${n("page.filters")}</button>
      <label>${n("page.agent")} ${o("agent",n("page.any"),l.agents.value.map(r=>[r.name,k(r.name)]))}</label>
      <label>${n("page.chat")} ${o("chat",n("page.any"),l.chatChoices())}</label>
      ${["partner","master_admin"].includes(T.value?.role)&&c`<label>${n("page.whose")} ${o("person",n("page.mine"),[["*",n("page.everybodys")],...z()])}</label>`}
      <label>${n("page.since")} ${i("since")}</label>
      <label>${n("page.task_filters.until")} ${i("until")}</label>
    </div>
  </form>`}function ae({board:l}){let e=l.rows(),t=e.map(i=>i.id),a=l.priced(),s=R(),o=t.filter(i=>l.picked.value.has(i)).length;return O(()=>{s.current&&(s.current.indeterminate=o>0&&o<t.length)}),c`<div class="rows-scroll"><table id="tasks" class="rows" aria-label=${n("page.tasks")}>
    <thead><tr>
      <th class="pick"><input type="checkbox" ref=${s} aria-label=${n("page.task_rows.select_all_shown")} checked=${t.length>0&&o===t.length} onChange=${i=>l.pick(t,i.target.checked)} /></th>
      <th class="what">${n("page.task")}</th><th class="state">${n("page.state")}</th><th class="agent">${n("page.agent")}</th><th class="from">${n("page.from")}</th><th class="chat">${n("page.chat")}</th>
      <th class="began">${n("page.began")}</th><th class="took">${n("page.took")}</th><th class="num tokens">${n("page.tokens_used")}</th>${a&&c`<th class="num cost">${n("page.cost")}</th>`}<th class="do"><span class="hidden">${n("page.task_rows.what_to_do")}</span></th>
    </tr></thead>
    ${e.map(i=>c`<${ue} key=${i.id} row=${i} board=${l} priced=${a} />`)}
  </table></div>`}function ue({row:{id:l,level:e,below:t,open:a},board:s,priced:o}){let i=s.get(l).value,{branch:p,matches:r}=s.place(l).value,h=R(),f=h.current?.contains(document.activeElement);if(O(()=>{f&&!h.current.contains(document.activeElement)&&h.current.querySelector(".what a")?.focus({preventScroll:!0})}),!i)return null;let d=y(i.state),M=s.asked(l),v=p&&!a?p:i;return c`<tbody ref=${h} class=${`task-row ${i.state}${r===!1?" other":""}`} data-task=${l} data-level=${Math.min(e,4)}>
    <tr>
      <td class="pick"><input type="checkbox" aria-label=${n("page.task_rows.select",{title:i.title})} checked=${s.picked.value.has(l)} onChange=${w=>s.pick([l],w.target.checked)} /></td>
      <th class="what" scope="row"><div>
        <a class="title" href=${`/tasks/${l}`} dir="auto" title=${i.title}>${i.title}</a>
        ${t>0&&c`<button class="fold" type="button" aria-expanded=${a?"true":"false"} aria-label=${n(t===1?"page.task_rows.one_task_has_delegated":"page.task_rows.tasks_that_has_delegated",{n:t,title:i.title})} onClick=${()=>s.fold(l,a)}>
          <span aria-hidden="true">${a?"▾":"▸"}</span><span class="n" aria-hidden="true">${t}</span></button>`}
      </div></th>
      <td class="state"><${Q} state=${i.state} />${p?.open>0&&d&&c` <span class="muted">${n("page.task_rows.open_below",{n:p.open})}</span>`}</td>
      <td class="agent" dir="auto">${k(i.agent)}</td>
      <td class="from" dir="auto">${s.from(i)}</td>
      <td class="chat"><${Z} task=${i} title=${s.chatTitle(i)} /></td>
      <td class="began"><time datetime=${i.created}>${U(i.created)}</time></td>
      <td class="took"><${W} from=${i.created} to=${d?i.finished:void 0} /></td>
      <td class="num tokens" title=${x(v.tokens)}>${v.tokens?H(v.tokens):""}</td>
      ${o&&c`<td class="num cost">${v.cost?J(v.cost):""}</td>`}
      <td class="do"><${K} task=${i} changed=${()=>s.changed()} whose=${s.changes()} /></td>
    </tr>
    ${M.length>0&&c`<tr class="below-row"><td colspan="11">${M.map(w=>c`<${Y} key=${w.id} question=${w} answer=${ce=>s.answer(w.id,ce)} called=${q} />`)}</td></tr>`}
    ${i.trouble&&!d&&c`<tr class="below-row"><td colspan="11"><span class="trouble">${i.trouble}</span></td></tr>`}
  </tbody>`}var me=["q","state","agent","chat","person","since","until"],C=100,de=1e3,ie=100,ne=["submitted","working","input_required"],E=class extends V{filters=u(Object.fromEntries(me.map(e=>[e,new URLSearchParams(location.search).get(e)??""])));tops=u([]);more=u(!1);read=u(!1);counts=u(null);picked=u(new Set);refused=u([]);folds=u(new Map);agents=u([]);chats=u([]);questions=new F({},{onlyOpen:!0});#t=new Map;#s=C;#a=[];#i="";#e=0;#n=0;#l=0;#o=!1;#r=()=>{};place(e){return this.#t.has(e)||this.#t.set(e,u({below:[]})),this.#t.get(e)}rows(){let e=[],t=this.folds.value,a=(s,o)=>{let{below:i}=this.place(s).value,p=i.length>0&&(t.get(s)??this.#h(s));if(e.push({id:s,level:o,below:i.length,open:p}),p)for(let r of i)a(r,o+1)};for(let s of this.tops.value)a(s,0);return e}#h(e){let{matches:t,below:a}=this.place(e).value,s=o=>{let i=this.place(o).value;return this.asked(o).length>0||this.filtered&&t===!1&&i.matches||i.below.some(s)};return a.some(s)}fold(e,t){this.folds.value=new Map(this.folds.value).set(e,!t)}get filtered(){return Object.entries(this.filters.value).some(([e,t])=>e!=="person"&&t.trim())}from(e){return e.from?k(e.from):q(e.origin.person)}priced(){return this.#a.some(({id:e})=>this.place(e).value.branch?.cost||this.get(e).value?.cost)}chatTitle({origin:e}){return this.chats.value.find(t=>t.route.channel===e.channel&&t.route.chat===e.chat)?.title||void 0}asked(e){return this.questions.open.value.map(t=>this.questions.get(t).value).filter(t=>t?.task_id===e)}chatChoices(){let e=this.chats.value.map(a=>[a.session_id,a.title||a.route.chat]),t=this.filters.value.chat;return t&&!e.some(([a])=>a===t)?[...e,[t,t]]:e}async answer(e,t){let{agent:a,state:s}=await this.questions.answer(e,t);S(s==="declined"?n("question.declined",{agent:k(a)}):n("page.has_your_answer",{agent:k(a)})),this.changed()}changes(){return T.value?.role==="master_admin"&&this.filters.value.person?"*":""}pick(e,t){let a=new Set(this.picked.value);for(let s of e)t?a.add(s):a.delete(s);this.picked.value=a}unpick(){this.picked.value=new Set,this.refused.value=[]}async bulk(e,t){let a=this.changes(),s=[],o=0;for(let h=0;h<t.length;h+=ie){let f=t.slice(h,h+ie).map(d=>d.id);for(let d of await g(`/api/tasks/${e}${a&&"?person=*"}`,{ids:f}))d.error?s.push(d):o++}let i=new Set(s.map(h=>h.id)),p=new Set(t.map(h=>h.id));b(()=>{this.refused.value=s,this.picked.value=new Set([...this.picked.value].filter(h=>i.has(h)||!p.has(h)))});let r=e==="cancel"?n("page.board.canceled",{n:o}):n("page.board.started_again",{n:o});await this.load(),S(s.length?`${r}, ${n("page.board.not",{n:s.length})}: ${s[0].error.message}`:r)}changed(){this.#l||=setTimeout(()=>{this.#l=0,this.load().catch(()=>{})},100)}others(e){this.#r=e}filter(e,t){this.filters.value={...this.filters.value,[e]:t},this.#s=C,this.unpick();let a=this.#p();history.replaceState(null,"",`${location.pathname}${a.size?`?${a}`:""}`),e==="person"&&this.#r(),clearTimeout(this.#n),this.#n=setTimeout(()=>this.load().then(()=>this.#d(),()=>{}),e==="q"?250:0)}async older(){this.#s+=C;let e=++this.#e,t=new URLSearchParams(this.#i);t.set("limit",C);let{list:a,next:s}=await L(`/api/tasks?${t}`);e===this.#e&&b(()=>this.#c(le(this.#a,a),s))}async#u(e,t){let a=[],s=`?${new URLSearchParams([...e,["tree","true"],["limit",Math.min(t,de)]])}`;do{let o=await L(`/api/tasks${s}`);a=le(a,o.list),s=o.next}while(s&&a.filter(o=>o.matches).length<t);return{list:a,next:s}}async load(){let e=++this.#e,t=this.#$();this.#o||await this.#m();let[{list:a,next:s},o]=await Promise.all([this.#u(t,this.#s),$("GET /api/tasks/counts")?g(`/api/tasks/counts?${new URLSearchParams([...t].filter(([i])=>i!=="state"))}`):null,this.ask()]);e===this.#e&&b(()=>{this.#c(a,s),this.counts.value=o&&{...o.states,total:o.total,open:ne.reduce((i,p)=>i+o.states[p],0)}})}ask(){return $("GET /api/questions")?this.questions.of(Object.fromEntries(this.#f())):void 0}async#m(){let e=(s,o)=>$(s)?g(o):[],[t,a]=await Promise.all([e("GET /api/agents","/api/agents"),e("GET /api/chats","/api/chats"),G()]);b(()=>{this.agents.value=t,this.chats.value=a}),this.#o=!0}#c(e,t){this.#a=e,this.#i=t;let a=[],s=new Map(e.map(p=>[p.id,[]])),o=[];for(let{level:p,branch:r,matches:h,...f}of e)a.length=p,(p?s.get(a[p-1]):o).push(f.id),a[p]=f.id,this.put(f);for(let{id:p,branch:r,matches:h}of e)oe(this.place(p),{branch:r,matches:h,below:s.get(p)});oe(this.tops,o);let i=[...this.picked.peek()].filter(p=>s.has(p));i.length!==this.picked.peek().size&&(this.picked.value=new Set(i)),this.more.value=t!=="",this.read.value=!0}#d(){S(this.tops.value.length?n("page.found",{n:this.tops.value.length}):n("page.nothing_was_found"))}#f(){return new URLSearchParams(this.filters.value.person?{person:this.filters.value.person}:{})}#p(){return new URLSearchParams(Object.entries(this.filters.value).map(([e,t])=>[e,t.trim()]).filter(([,e])=>e))}#$(){let e=this.#p(),t=(i,p)=>{let r=new Date(`${e.get(i)}T00:00`);return r.setDate(r.getDate()+p),e.delete(i),Number.isNaN(r.getTime())?"":r.toISOString()},a=i=>e.has(i);e.get("state")==="open"&&e.set("state",ne.join()),a("chat")&&(e.set("session",e.get("chat")),e.delete("chat"));let s=a("since")&&t("since",0),o=a("until")&&t("until",1);return s&&e.set("since",s),o&&e.set("before",o),e}};function le(l,e){let t=new Set(l.map(a=>a.id));return[...l,...e.filter(a=>!t.has(a.id))]}function oe(l,e){JSON.stringify(l.peek())!==JSON.stringify(e)&&(l.value=e)}var m=new E,D=u(null),re=X(async l=>{l.has("tasks")?await m.load():l.has("questions")&&await m.ask(),l.has("deliveries")&&$("GET /api/outbox")&&(D.value=await g("/api/outbox?state=blocked&state=unknown&state=pending&state=sending"))},()=>m.filters.value.person);m.others(re);function fe(){let l=m.tops.value,e=m.read.value;return c`
    <${I} />
    <main class="page dashboard">
      <h2>${n("page.tasks")}</h2>
      <${se} board=${m} />
      ${l.length>0&&c`<${ae} board=${m} />`}
      ${e&&!l.length&&c`<p id="none" class="muted">${m.filtered?n("page.nothing_was_found"):n("page.tasks.no_tasks_yet_ask")}</p>`}
      ${m.more.value&&c`<p><button id="more" type="button" class="small" onClick=${()=>m.older()}>${n("page.tasks.older_ones")}</button></p>`}
      <${te} board=${m} />
      ${D.value&&c`<${ee} list=${D.value} refresh=${re} />`}
    </main>
    <${A} />`}N(c`<${fe} />`,document.body);
