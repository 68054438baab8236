import{a as Y,b as Z}from"./shared/chunk-7EYCEH6H.js";import{a as J,b as O,c as Q,d as K}from"./shared/chunk-B72XSV3L.js";import{a as C,b as I,c as H}from"./shared/chunk-QPIU4YZU.js";import{a as V}from"./shared/chunk-KCDH4YQE.js";import{a as X}from"./shared/chunk-Z3MO3V4L.js";import{d as z}from"./shared/chunk-5FTOOB6N.js";import"./shared/chunk-YFZPMGDL.js";import{a as S}from"./shared/chunk-UC5YX7VT.js";import"./shared/chunk-GVKRUO7B.js";import"./shared/chunk-WAQJSITK.js";import"./shared/chunk-Z4MSZ2JS.js";import{b as G,d as q,e as W}from"./shared/chunk-R72ZRVW7.js";import{a as B}from"./shared/chunk-YZC3XOHJ.js";import{a as F}from"./shared/chunk-ZSOHIUJY.js";import{a as x,d as $}from"./shared/chunk-7ANT74VX.js";import"./shared/chunk-6A7IHR5J.js";import{g as _,i as k,j as A,k as g,l as b}from"./shared/chunk-4DHKOIDS.js";import{a as j}from"./shared/chunk-KUPQE3KS.js";import{b as T}from"./shared/chunk-56OV5KKZ.js";import{a as L,b as M,d as N,e as R,g as y,h as p,k as c,o as i}from"./shared/chunk-ZOQTP745.js";function tt({list:l,refresh:t}){return c`<section id="deliveries" aria-label=${i("Undelivered messages")}>
    <h2>${i("Undelivered messages")}</h2>
    <div id="outbox">
      ${l.length?l.map(e=>c`<${ht} key=${e.id} ...${e} refresh=${t} />`):c`<p class="muted">${i("None.")}</p>`}
    </div>
  </section>`}function ht({id:l,route:t,state:e,error:a,text:s,refresh:o}){let n=(h,r)=>c`<${S} label=${h} describe=${`${h}: ${t.channel} ${t.chat}`} run=${async()=>{await k(`/api/outbox/${l}/${r}`,{}),o()}} />`;return c`<article class="task">
    <div class="row"><span class="title">${t.channel} ${t.chat}: ${O(e)}</span>${n(i("Send again"),"retry")}${n(i("Dismiss"),"dismiss")}</div>
    <p class="muted">${a}</p><p class="result" dir="auto">${s}</p>
  </article>`}function et({board:l}){let t=[...l.picked.value].map(o=>l.get(o).value).filter(Boolean),e=l.refused.value,a=t.filter(o=>!b(o.state)),s=t.filter(o=>b(o.state)&&o.state!=="completed");return!t.length&&!e.length?null:c`<section id="bulk" aria-label=${i("Selected tasks")}>
    <span>${i("{n} selected",{n:t.length})}</span>
    ${a.length>0&&$("POST /api/tasks/cancel")&&c`<${S} key="cancel" label=${i("Cancel {n}",{n:a.length})} run=${()=>l.bulk("cancel",a)} />`}
    ${s.length>0&&$("POST /api/tasks/retry")&&c`<${S} key="retry" label=${i("Retry {n}",{n:s.length})} run=${()=>l.bulk("retry",s)} />`}
    <button class="small" type="button" onClick=${()=>l.unpick()}>${i("Clear selection")}</button>
    ${e.length>0&&c`<ul class="plain said">${e.map(({id:o,error:n})=>c`<li key=${o}><code>${o}</code> ${n.message}</li>`)}</ul>`}
  </section>`}var ut=["open","submitted","working","input_required","completed","failed","canceled","rejected"];function st({board:l}){let t=l.filters.value,e=l.counts.value,[a,s]=M(["agent","chat","person","since","until"].some(r=>t[r])),o=(r,u,f)=>c`<${B} name=${r} value=${t[r]} all=${u} options=${f} choose=${d=>l.filter(r,d)} />`,n=r=>c`<input name=${r} type="date" value=${t[r]} onChange=${u=>l.filter(r,u.target.value)} />`,h=ut.filter(r=>r==="open"||t.state===r||e?.[r]);return c`<form id="filters" role="search" aria-label=${i("Which tasks")} onSubmit=${r=>r.preventDefault()}>
    <fieldset class="states">
      <legend class="hidden">${i("State")}</legend>
      ${["",...h].map(r=>c`<label key=${r} data-state=${r}>
        <input type="radio" name="state" value=${r} checked=${t.state===r} onChange=${()=>l.filter("state",r)} />
        <span>${r?O(r):i("all")}</span> ${e&&c`<span class="n">${C(e[r||"total"])}</span>`}
      </label>`)}
    </fieldset>
    <div class="filters">
      <label class="grow">${i("Search")} <input name="q" type="search" maxlength="200" placeholder=${i("request, result or id")} value=${t.q}
        onInput=${r=>l.filter("q",r.target.value)} /></label>
      <button class="more small" type="button" aria-expanded=${a?"true":"false"} onClick=${()=>s(!a)}>${i("Filters")}</button>
      <label>${i("Agent")} ${o("agent",i("any"),l.agents.value.map(r=>[r.name,g(r.name)]))}</label>
      <label>${i("Chat")} ${o("chat",i("any"),l.chatChoices())}</label>
      ${["partner","master_admin"].includes(x.value?.role)&&c`<label>${i("Whose")} ${o("person",i("mine"),[["*",i("everybody’s")],...W()])}</label>`}
      <label>${i("Since")} ${n("since")}</label>
      <label>${i("Until")} ${n("until")}</label>
    </div>
  </form>`}function at({board:l}){let t=l.rows(),e=t.map(n=>n.id),a=l.priced(),s=R(),o=e.filter(n=>l.picked.value.has(n)).length;return N(()=>{s.current&&(s.current.indeterminate=o>0&&o<e.length)}),c`<div class="rows-scroll"><table id="tasks" class="rows" aria-label=${i("Tasks")}>
    <thead><tr>
      <th class="pick"><input type="checkbox" ref=${s} aria-label=${i("Select all that are shown")} checked=${e.length>0&&o===e.length} onChange=${n=>l.pick(e,n.target.checked)} /></th>
      <th class="what">${i("Task")}</th><th class="state">${i("State")}</th><th class="agent">${i("Agent")}</th><th class="from">${i("From")}</th><th class="chat">${i("Chat")}</th>
      <th class="began">${i("Began")}</th><th class="took">${i("Took")}</th><th class="num tokens">${i("Tokens used")}</th>${a&&c`<th class="num cost">${i("Cost")}</th>`}<th class="do"><span class="hidden">${i("What to do")}</span></th>
    </tr></thead>
    ${t.map(n=>c`<${pt} key=${n.id} row=${n} board=${l} priced=${a} />`)}
  </table></div>`}function pt({row:{id:l,level:t,below:e,open:a},board:s,priced:o}){let n=s.get(l).value,{branch:h,matches:r}=s.place(l).value,u=R(),f=u.current?.contains(document.activeElement);if(N(()=>{f&&!u.current.contains(document.activeElement)&&u.current.querySelector(".what a")?.focus({preventScroll:!0})}),!n)return null;let d=b(n.state),D=s.asked(l),v=h&&!a?h:n;return c`<tbody ref=${u} class=${`task-row ${n.state}${r===!1?" other":""}`} data-task=${l} data-level=${Math.min(t,4)}>
    <tr>
      <td class="pick"><input type="checkbox" aria-label=${i("Select {title}",{title:n.title})} checked=${s.picked.value.has(l)} onChange=${w=>s.pick([l],w.target.checked)} /></td>
      <th class="what" scope="row"><div>
        <a class="title" href=${`/tasks/${l}`} dir="auto" title=${n.title}>${n.title}</a>
        ${e>0&&c`<button class="fold" type="button" aria-expanded=${a?"true":"false"} aria-label=${i(e===1?"1 task that {title} has delegated":"{n} tasks that {title} has delegated",{n:e,title:n.title})} onClick=${()=>s.fold(l,a)}>
          <span aria-hidden="true">${a?"▾":"▸"}</span><span class="n" aria-hidden="true">${e}</span></button>`}
      </div></th>
      <td class="state"><${Q} state=${n.state} />${h?.open>0&&d&&c` <span class="muted">${i("{n} open below",{n:h.open})}</span>`}</td>
      <td class="agent" dir="auto">${g(n.agent)}</td>
      <td class="from" dir="auto">${s.from(n)}</td>
      <td class="chat"><${Z} task=${n} title=${s.chatTitle(n)} /></td>
      <td class="began"><time datetime=${n.created}>${_(n.created)}</time></td>
      <td class="took"><${J} from=${n.created} to=${d?n.finished:void 0} /></td>
      <td class="num tokens" title=${C(v.tokens)}>${v.tokens?I(v.tokens):""}</td>
      ${o&&c`<td class="num cost">${v.cost?H(v.cost):""}</td>`}
      <td class="do"><${K} task=${n} changed=${()=>s.changed()} whose=${s.changes()} /></td>
    </tr>
    ${D.length>0&&c`<tr class="below-row"><td colspan="11">${D.map(w=>c`<${Y} key=${w.id} question=${w} answer=${ct=>s.answer(w.id,ct)} called=${q} />`)}</td></tr>`}
    ${n.trouble&&!d&&c`<tr class="below-row"><td colspan="11"><span class="trouble">${n.trouble}</span></td></tr>`}
  </tbody>`}var mt=["q","state","agent","chat","person","since","until"],P=100,dt=1e3,nt=100,it=["submitted","working","input_required"],E=class extends V{filters=p(Object.fromEntries(mt.map(t=>[t,new URLSearchParams(location.search).get(t)??""])));tops=p([]);more=p(!1);read=p(!1);counts=p(null);picked=p(new Set);refused=p([]);folds=p(new Map);agents=p([]);chats=p([]);questions=new z({},{onlyOpen:!0});#e=new Map;#s=P;#a=[];#n="";#t=0;#i=0;#l=0;#o=!1;#r=()=>{};place(t){return this.#e.has(t)||this.#e.set(t,p({below:[]})),this.#e.get(t)}rows(){let t=[],e=this.folds.value,a=(s,o)=>{let{below:n}=this.place(s).value,h=n.length>0&&(e.get(s)??this.#u(s));if(t.push({id:s,level:o,below:n.length,open:h}),h)for(let r of n)a(r,o+1)};for(let s of this.tops.value)a(s,0);return t}#u(t){let{matches:e,below:a}=this.place(t).value,s=o=>{let n=this.place(o).value;return this.asked(o).length>0||this.filtered&&e===!1&&n.matches||n.below.some(s)};return a.some(s)}fold(t,e){this.folds.value=new Map(this.folds.value).set(t,!e)}get filtered(){return Object.entries(this.filters.value).some(([t,e])=>t!=="person"&&e.trim())}from(t){return t.from?g(t.from):q(t.origin.person)}priced(){return this.#a.some(({id:t})=>this.place(t).value.branch?.cost||this.get(t).value?.cost)}chatTitle({origin:t}){return this.chats.value.find(e=>e.route.channel===t.channel&&e.route.chat===t.chat)?.title||void 0}asked(t){return this.questions.open.value.map(e=>this.questions.get(e).value).filter(e=>e?.task_id===t)}chatChoices(){let t=this.chats.value.map(a=>[a.session_id,a.title||a.route.chat]),e=this.filters.value.chat;return e&&!t.some(([a])=>a===e)?[...t,[e,e]]:t}async answer(t,e){let{agent:a,state:s}=await this.questions.answer(t,e);T(s==="declined"?i("{agent} goes on without an answer.",{agent:g(a)}):i("{agent} has your answer.",{agent:g(a)})),this.changed()}changes(){return x.value?.role==="master_admin"&&this.filters.value.person?"*":""}pick(t,e){let a=new Set(this.picked.value);for(let s of t)e?a.add(s):a.delete(s);this.picked.value=a}unpick(){this.picked.value=new Set,this.refused.value=[]}async bulk(t,e){let a=this.changes(),s=[],o=0;for(let u=0;u<e.length;u+=nt){let f=e.slice(u,u+nt).map(d=>d.id);for(let d of await k(`/api/tasks/${t}${a&&"?person=*"}`,{ids:f}))d.error?s.push(d):o++}let n=new Set(s.map(u=>u.id)),h=new Set(e.map(u=>u.id));y(()=>{this.refused.value=s,this.picked.value=new Set([...this.picked.value].filter(u=>n.has(u)||!h.has(u)))});let r=t==="cancel"?i("{n} canceled",{n:o}):i("{n} started again",{n:o});await this.load(),T(s.length?`${r}, ${i("{n} not",{n:s.length})}: ${s[0].error.message}`:r)}changed(){this.#l||=setTimeout(()=>{this.#l=0,this.load().catch(()=>{})},100)}others(t){this.#r=t}filter(t,e){this.filters.value={...this.filters.value,[t]:e},this.#s=P,this.unpick();let a=this.#h();history.replaceState(null,"",`${location.pathname}${a.size?`?${a}`:""}`),t==="person"&&this.#r(),clearTimeout(this.#i),this.#i=setTimeout(()=>this.load().then(()=>this.#d(),()=>{}),t==="q"?250:0)}async older(){this.#s+=P;let t=++this.#t,e=new URLSearchParams(this.#n);e.set("limit",P);let{list:a,next:s}=await A(`/api/tasks?${e}`);t===this.#t&&y(()=>this.#c(lt(this.#a,a),s))}async#p(t,e){let a=[],s=`?${new URLSearchParams([...t,["tree","true"],["limit",Math.min(e,dt)]])}`;do{let o=await A(`/api/tasks${s}`);a=lt(a,o.list),s=o.next}while(s&&a.filter(o=>o.matches).length<e);return{list:a,next:s}}async load(){let t=++this.#t,e=this.#$();this.#o||await this.#m();let[{list:a,next:s},o]=await Promise.all([this.#p(e,this.#s),$("GET /api/tasks/counts")?k(`/api/tasks/counts?${new URLSearchParams([...e].filter(([n])=>n!=="state"))}`):null,this.ask()]);t===this.#t&&y(()=>{this.#c(a,s),this.counts.value=o&&{...o.states,total:o.total,open:it.reduce((n,h)=>n+o.states[h],0)}})}ask(){return $("GET /api/questions")?this.questions.of(Object.fromEntries(this.#f())):void 0}async#m(){let t=(s,o)=>$(s)?k(o):[],[e,a]=await Promise.all([t("GET /api/agents","/api/agents"),t("GET /api/chats","/api/chats"),G()]);y(()=>{this.agents.value=e,this.chats.value=a}),this.#o=!0}#c(t,e){this.#a=t,this.#n=e;let a=[],s=new Map(t.map(h=>[h.id,[]])),o=[];for(let{level:h,branch:r,matches:u,...f}of t)a.length=h,(h?s.get(a[h-1]):o).push(f.id),a[h]=f.id,this.put(f);for(let{id:h,branch:r,matches:u}of t)ot(this.place(h),{branch:r,matches:u,below:s.get(h)});ot(this.tops,o);let n=[...this.picked.peek()].filter(h=>s.has(h));n.length!==this.picked.peek().size&&(this.picked.value=new Set(n)),this.more.value=e!=="",this.read.value=!0}#d(){T(this.tops.value.length?i("{n} found",{n:this.tops.value.length}):i("Nothing was found."))}#f(){return new URLSearchParams(this.filters.value.person?{person:this.filters.value.person}:{})}#h(){return new URLSearchParams(Object.entries(this.filters.value).map(([t,e])=>[t,e.trim()]).filter(([,t])=>t))}#$(){let t=this.#h(),e=(n,h)=>{let r=new Date(`${t.get(n)}T00:00`);return r.setDate(r.getDate()+h),t.delete(n),Number.isNaN(r.getTime())?"":r.toISOString()},a=n=>t.has(n);t.get("state")==="open"&&t.set("state",it.join()),a("chat")&&(t.set("session",t.get("chat")),t.delete("chat"));let s=a("since")&&e("since",0),o=a("until")&&e("until",1);return s&&t.set("since",s),o&&t.set("before",o),t}};function lt(l,t){let e=new Set(l.map(a=>a.id));return[...l,...t.filter(a=>!e.has(a.id))]}function ot(l,t){JSON.stringify(l.peek())!==JSON.stringify(t)&&(l.value=t)}var m=new E,U=p(null),rt=X(async l=>{l.has("tasks")?await m.load():l.has("questions")&&await m.ask(),l.has("deliveries")&&$("GET /api/outbox")&&(U.value=await k("/api/outbox?state=blocked&state=unknown&state=pending&state=sending"))},()=>m.filters.value.person);m.others(rt);function ft(){let l=m.tops.value,t=m.read.value;return c`
    <${F} />
    <main class="page dashboard">
      <h2>${i("Tasks")}</h2>
      <${st} board=${m} />
      ${l.length>0&&c`<${at} board=${m} />`}
      ${t&&!l.length&&c`<p id="none" class="muted">${m.filtered?i("Nothing was found."):i("No tasks yet. Ask in the chat: “ask Sasha to compare night trains to Oslo, in the background”.")}</p>`}
      ${m.more.value&&c`<p><button id="more" type="button" class="small" onClick=${()=>m.older()}>${i("Older ones")}</button></p>`}
      <${et} board=${m} />
      ${U.value&&c`<${tt} list=${U.value} refresh=${rt} />`}
    </main>
    <${j} />`}L(c`<${ft} />`,document.body);
