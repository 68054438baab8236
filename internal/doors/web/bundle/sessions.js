import{a as G,b as H}from"./shared/chunk-SPW6PGOJ.js";import{a as z}from"./shared/chunk-CEN2XANW.js";import{c as F}from"./shared/chunk-W467VBVF.js";import{a as L,b as J}from"./shared/chunk-QEA6ILUR.js";import"./shared/chunk-Z47L3J2U.js";import{a as f}from"./shared/chunk-6X5TK3MG.js";import"./shared/chunk-7OS4QIR7.js";import"./shared/chunk-B52JOGFE.js";import"./shared/chunk-Z4MSZ2JS.js";import{b as C,c as $,e as M}from"./shared/chunk-6SLZQEZ2.js";import{a as P}from"./shared/chunk-JCEDLGCE.js";import{a as A}from"./shared/chunk-VBEITUWX.js";import{a as u,d as v,e as j,g as I,l as U}from"./shared/chunk-4G2L4PHD.js";import"./shared/chunk-FAKMFOH4.js";import{g as c,i as r,k as m}from"./shared/chunk-ZSYFMEBJ.js";import{a as D}from"./shared/chunk-B7IOUNRY.js";import{b as S}from"./shared/chunk-BGZJLJBS.js";import{a as N,d as O,e as R,g as k,h as p,k as n,p as a}from"./shared/chunk-V2GEF5NQ.js";function V({list:e,refresh:t}){return n`<section id="noted" aria-labelledby="notes-head">
    <h2 id="notes-head">${a("page.notes.agents_have_noted_about")}</h2>
    <div id="notes" class="cards">
      ${e.map(s=>n`<article class="card" key=${`${s.agent}/${s.key}`}>
        <div class="row"><span class="title">${s.key}</span><span class="when muted">${m(s.agent)}, ${c(s.updated)}</span></div>
        <p class="excerpt" dir="auto">${s.value}</p>
        <div class="row muted">${s.expires&&n`<span>${a("page.until",{time:c(s.expires)})}</span>`}
          <${f} label=${a("page.notes.forget")} describe=${a("page.notes.forget_what",{what:s.key})} end run=${async()=>{await r(`/api/memory/${encodeURIComponent(s.agent)}/${encodeURIComponent(s.key)}`,void 0,"DELETE"),await t()}} />
        </div>
      </article>`)}
      ${!e.length&&n`<p class="muted">${a("page.none")}</p>`}
    </div>
  </section>`}var Z={active:()=>a("page.session_list.active"),suspended:()=>a("page.session_list.suspended"),ended:()=>a("page.session_list.ended")},w=e=>Z[e]?.()??e,T=e=>e.title||m(e.agent),h=(e,t)=>`${e}, ${t}`;function B({sessions:e}){return n`<p id="said" class="muted">${e.says}</p>
    <div id="sessions" class="cards">${e.list.value.map(t=>"excerpt"in t?n`<${se} key=${`${t.session_id}-${t.created}-${t.excerpt}`} hit=${t} sessions=${e} />`:n`<${ee} key=${t.id} session=${t} sessions=${e} />`)}</div>
    ${e.more.value&&n`<p><button id="more" type="button" class="small" onClick=${()=>e.find(!0)}>${a("page.older")}</button></p>`}`}function ee({session:e,sessions:t}){return n`<a class=${t.id.value===e.id?"card current":"card"} href=${`#${e.id}`} data-session=${e.id}>
    <span class="row"><span class="title" dir="auto">${T(e)}</span><span class=${`state ${e.state}`}>${w(e.state)}</span><span class="when muted">${c(e.active)}</span></span>
    <span class="row muted">${e.title&&n`<span>${m(e.agent)}</span>`}<span>${h(e.route.channel,e.route.chat)}</span><span>${e.turns===1?a("page.session_list.one_turn"):a("page.session_list.turns",{n:e.turns})}</span>
      ${!t.isMine(e.person)&&n`<span>${$(e.person)}</span>`}</span>
  </a>`}function se({hit:e,sessions:t}){let s=t.isMine(e.person),i=H(e);return n`<a class=${t.id.value===e.session_id&&t.found.value===i?"card current":"card"} href=${`#${e.session_id}@${i}`} data-session=${e.session_id}>
    <span class="row"><span class="title">${e.speaker!=="user"?m(e.agent):s?a("page.you"):$(e.person)}</span><span class="when muted">${c(e.created)}</span></span>
    <span class="excerpt" dir="auto">${e.excerpt}</span>
    <span class="row muted"><span>${h(e.channel,e.chat)}</span>${!s&&n`<span>${$(e.person)}</span>`}</span>
  </a>`}function K({list:e,refresh:t}){return n`<section id="reminding" aria-labelledby="reminders-head">
    <h2 id="reminders-head">${a("page.reminders.reminders")}</h2>
    <div id="reminders" class="cards">
      ${e.map(s=>n`<article class="card" key=${s.id}>
        <div class="row"><span class="title" dir="auto">${s.text}</span><span class="when muted">${s.next?c(s.next):""}</span></div>
        <div class="row muted"><span>${s.when}</span><span>${h(s.channel,s.chat)}</span><code>${s.id}</code>
          <${f} end label=${a("page.cancel")} describe=${a("page.reminders.cancel",{what:s.text})} run=${async()=>{await r(`/api/reminders/${s.id}`,void 0,"DELETE"),await t()}} />
        </div>
      </article>`)}
      ${!e.length&&n`<p class="muted">${a("page.reminders.none_ask_one_chat")}</p>`}
    </div>
  </section>`}function Q({sessions:e}){let t=R(),s=e.shown.value;return O(()=>{if(document.body.classList.toggle("one",e.id.value!==""),!s)return;t.current.focus({preventScroll:!0});let i=t.current.querySelector(".found");i?i.scrollIntoView({block:"center"}):t.current.scrollTop=0},[e.id.value,e.found.value,s]),e.id.value?n`<section id="shown" tabindex="-1" aria-label=${a("page.session.session")} ref=${t}>
    <a class="back" href="#">← ${a("page.all_sessions")}</a>
    ${s?.error&&n`<p class="muted">${s.error}</p>`}
    ${s?.session&&n`<${ae} ...${s} sessions=${e} />`}
  </section>`:null}function ae({session:e,messages:t,name:s,artifacts:i,files:l,notices:o,role:y,tools:x,sessions:g}){let b=Y=>`/api/sessions/${e.id}/export?format=${Y}`,E=g.isMine(e.person);return n`
    <div class="row"><h2 dir="auto">${T(e)}</h2><span class=${`state ${e.state}`}>${w(e.state)}</span></div>
    ${e.title&&n`<p class="muted">${m(e.agent)}</p>`}
    <p class="muted">${a("page.session.on_to",{name:E?a("page.you"):s||$(e.person),place:h(e.route.channel,e.route.chat),from:c(e.created),until:c(e.active)})}</p>
    ${e.route.channel!=="web"&&n`<p class="muted">${a("page.session.account",{account:`${e.route.channel}/${e.route.account}`})}</p>`}
    ${y&&n`<p class="muted">${a("page.session.role_now_tools",{role:j(y),tools:(x??[]).join(", ")||a("page.session.none")})}</p>`}
    <p class="muted"><code>${e.id}</code></p>
    <div class="row">
      ${E&&e.route.channel==="web"&&e.state!=="ended"&&n`<a class="button small" href=${`/?chat=${encodeURIComponent(e.route.chat)}`}>${a("page.session.open_the_chat")}</a>`}
      <a class="button small" href=${b("markdown")} download="">Markdown</a>
      <a class="button small" href=${b("json")} download="">JSON</a>
      ${v("DELETE /api/sessions/{id}")&&(E||u.value.role==="master_admin")&&n`<${f} label=${a("page.delete")} name="small danger" run=${()=>g.remove(e.id)} />`}
    </div>
    ${e.plan&&n`<${z} plan=${e.plan} named over />`}
    <${F} of=${e.id} files=${l} />
    <${G} messages=${t??[]} notices=${o??[]} artifacts=${i??[]} found=${g.found.value} />`}var te=["active","suspended","ended"];function W({sessions:e}){let t=e.filters.value,s=e.searching,i=(o,y,x,g)=>n`<${P} name=${o} value=${t[o]} disabled=${g} all=${y} options=${x} choose=${b=>e.filter(o,b)} />`;return n`<form id="filters" class="filters" onSubmit=${o=>{o.preventDefault(),e.find()}}>
    <label class="wide">${a("page.search")} <input name="q" type="search" maxlength="200" placeholder=${a("page.session_filters.what_was_said")} value=${t.q} onInput=${o=>e.filter("q",o.target.value)} /></label>
    ${["partner","master_admin"].includes(u.value?.role)&&n`<label id="whose">${a("page.whose")}
      ${i("person",a("page.mine"),[["*",a("page.everybodys")],...M()])}</label>`}
    <label>${a("page.agent")} ${i("agent",a("page.any"),e.agents.value.map(o=>[o.name,m(o.name)]),s)}</label>
    <label>${a("page.state")} ${i("state",a("page.any"),te.map(o=>[o,w(o)]),s)}</label>
    <label>${a("page.session_filters.channel")} ${i("channel",a("page.any"),[["web","web"]],s)}</label>
    ${s&&n`<p class="muted wide">${a("page.session_filters.search_looks_through_all")}</p>`}
  </form>`}var ne=["q","person","agent","state","channel"],X=50;function q(){let[e,t=""]=location.hash.slice(1).split("@");return[e,t]}var _=class{filters=p(Object.fromEntries(ne.map(t=>[t,new URLSearchParams(location.search).get(t)??""])));list=p([]);more=p(!1);says=p("");id=p(q()[0]);found=p(q()[1]);shown=p(null);agents=p([]);reminders=p(null);notes=p(null);#e=0;#s=0;constructor(){window.addEventListener("hashchange",()=>this.open())}get searching(){return this.filters.value.q.trim()!==""}async begin(){this.agents.value=await r("/api/agents"),await C(),await Promise.all([this.find(),this.open(),this.remind(),this.note()])}filter(t,s){this.filters.value={...this.filters.value,[t]:s};let i=this.#a();history.replaceState(null,"",`${location.pathname}${i.size?`?${i}`:""}${location.hash}`),clearTimeout(this.#s),t==="q"?this.#s=setTimeout(()=>this.find(),250):this.find()}async find(t){let s=++this.#e,i=this.#a(),l=this.searching;i.set("limit",X),t&&i.set("before",this.list.value.at(-1)?.active??"");try{let o=await r(l?`/api/sessions/search?${i}`:`/api/sessions?${i}`);if(s!==this.#e)return;k(()=>{this.list.value=t?[...this.list.value,...o]:o,this.more.value=!l&&o.length===X,this.says.value=this.list.value.length?"":l?a("page.nothing_was_found"):a("page.sessions.no_sessions")}),l&&S(this.says.value||a("page.found",{n:o.length}))}catch(o){s===this.#e&&(this.says.value=o.message)}}async open(){let t=this.id.value,[s,i]=q();if(k(()=>{[this.id.value,this.found.value]=[s,i],s!==t&&(this.shown.value=null)}),!!s)try{let l=await r(`/api/sessions/${encodeURIComponent(s)}`);s===this.id.value&&(this.shown.value=l)}catch(l){s===this.id.value&&(this.shown.value={error:l.message})}}async remove(t){if(!await L(a("page.sessions.delete_this_session"),a("page.delete"),a("page.sessions.was_said_notes_made")))return;let s;try{s=await r(`/api/sessions/${t}`,void 0,"DELETE")}catch(i){if(i.status!==409)throw i;if(!await L(a("page.sessions.delete_all_same"),a("page.sessions.cancel_them_and_delete"),i.message))return;s=await r(`/api/sessions/${t}?force=true`,void 0,"DELETE")}location.hash="",await this.find(),this.says.value=a("page.sessions.removed",{what:ie(s.removed)}),S(this.says.value)}async remind(){v("GET /api/reminders")&&(this.reminders.value=await r("/api/reminders"))}async note(){v("GET /api/memory")&&(this.notes.value=await r("/api/memory"))}isMine(t){return t===u.value.id}#a(){let t=Object.entries(this.filters.value).map(([s,i])=>[s,i.trim()]).filter(([,s])=>s);return new URLSearchParams(t)}};function ie(e){return Object.entries(e).map(([t,s])=>`${s} ${s===1?t.replace(/s$/,""):t}`).join(", ")||"the session"}var d=new _;function oe(){return n`
    <${A} />
    <main class="page sessions">
      <section id="list" aria-labelledby="sessions-head">
        <h2 id="sessions-head">${a("page.sessions")}</h2>
        <${W} sessions=${d} />
        <${B} sessions=${d} />
        ${d.reminders.value&&n`<${K} list=${d.reminders.value} refresh=${()=>d.remind()} />`}
        ${d.notes.value&&n`<${V} list=${d.notes.value} refresh=${()=>d.note()} />`}
      </section>
      <${Q} sessions=${d} />
    </main>
    <${D} />
    <${J} />`}N(n`<${oe} />`,document.body);I().then(()=>d.begin()).catch(U);
