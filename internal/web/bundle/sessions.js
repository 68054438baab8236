import{a as z,b as G}from"./shared/chunk-Q2XHFCHG.js";import{a as W}from"./shared/chunk-IYORWQU7.js";import{c as P}from"./shared/chunk-VTRTORBQ.js";import{a as L,b as H}from"./shared/chunk-RQ27WHE3.js";import"./shared/chunk-NHA3WXGI.js";import{a as h}from"./shared/chunk-UC5YX7VT.js";import"./shared/chunk-GVKRUO7B.js";import"./shared/chunk-WAQJSITK.js";import"./shared/chunk-Z4MSZ2JS.js";import{b as U,c as $,e as _}from"./shared/chunk-R72ZRVW7.js";import{a as F}from"./shared/chunk-YZC3XOHJ.js";import{a as M}from"./shared/chunk-ZSOHIUJY.js";import{a as u,d as w,e as C,g as j,l as I}from"./shared/chunk-7ANT74VX.js";import"./shared/chunk-6A7IHR5J.js";import{g as c,i as r,k as d}from"./shared/chunk-4DHKOIDS.js";import{a as A}from"./shared/chunk-KUPQE3KS.js";import{b as N}from"./shared/chunk-56OV5KKZ.js";import{a as D,d as O,e as q,g as E,h as m,k as n,o as a}from"./shared/chunk-ZOQTP745.js";function Y({list:e,refresh:s}){return n`<section id="noted" aria-labelledby="notes-head">
    <h2 id="notes-head">${a("What agents have noted about you")}</h2>
    <div id="notes" class="cards">
      ${e.map(t=>n`<article class="card" key=${`${t.agent}/${t.key}`}>
        <div class="row"><span class="title">${t.key}</span><span class="when muted">${d(t.agent)}, ${c(t.updated)}</span></div>
        <p class="excerpt" dir="auto">${t.value}</p>
        <div class="row muted">${t.expires&&n`<span>${a("until {time}",{time:c(t.expires)})}</span>`}
          <${h} label=${a("Forget")} describe=${a("Forget {what}",{what:t.key})} end run=${async()=>{await r(`/api/memory/${encodeURIComponent(t.agent)}/${encodeURIComponent(t.key)}`,void 0,"DELETE"),await s()}} />
        </div>
      </article>`)}
      ${!e.length&&n`<p class="muted">${a("None.")}</p>`}
    </div>
  </section>`}var Z={active:()=>a("active"),suspended:()=>a("suspended"),ended:()=>a("ended")},y=e=>Z[e]?.()??e,R=e=>e.title||d(e.agent),f=(e,s)=>`${e}, ${s}`;function J({sessions:e}){return n`<p id="said" class="muted">${e.says}</p>
    <div id="sessions" class="cards">${e.list.value.map(s=>"excerpt"in s?n`<${te} key=${`${s.session_id}-${s.created}-${s.excerpt}`} hit=${s} sessions=${e} />`:n`<${ee} key=${s.id} session=${s} sessions=${e} />`)}</div>
    ${e.more.value&&n`<p><button id="more" type="button" class="small" onClick=${()=>e.find(!0)}>${a("Older")}</button></p>`}`}function ee({session:e,sessions:s}){return n`<a class=${s.id.value===e.id?"card current":"card"} href=${`#${e.id}`} data-session=${e.id}>
    <span class="row"><span class="title" dir="auto">${R(e)}</span><span class=${`state ${e.state}`}>${y(e.state)}</span><span class="when muted">${c(e.active)}</span></span>
    <span class="row muted">${e.title&&n`<span>${d(e.agent)}</span>`}<span>${f(e.route.channel,e.route.chat)}</span><span>${e.turns===1?a("1 turn"):a("{n} turns",{n:e.turns})}</span>
      ${!s.isMine(e.person)&&n`<span>${$(e.person)}</span>`}</span>
  </a>`}function te({hit:e,sessions:s}){let t=s.isMine(e.person),i=G(e);return n`<a class=${s.id.value===e.session_id&&s.found.value===i?"card current":"card"} href=${`#${e.session_id}@${i}`} data-session=${e.session_id}>
    <span class="row"><span class="title">${e.speaker!=="user"?d(e.agent):t?a("You"):$(e.person)}</span><span class="when muted">${c(e.created)}</span></span>
    <span class="excerpt" dir="auto">${e.excerpt}</span>
    <span class="row muted"><span>${f(e.channel,e.chat)}</span>${!t&&n`<span>${$(e.person)}</span>`}</span>
  </a>`}function V({list:e,refresh:s}){return n`<section id="reminding" aria-labelledby="reminders-head">
    <h2 id="reminders-head">${a("Reminders")}</h2>
    <div id="reminders" class="cards">
      ${e.map(t=>n`<article class="card" key=${t.id}>
        <div class="row"><span class="title" dir="auto">${t.text}</span><span class="when muted">${t.next?c(t.next):""}</span></div>
        <div class="row muted"><span>${t.when}</span><span>${f(t.channel,t.chat)}</span><code>${t.id}</code>
          <${h} end label=${a("Cancel")} describe=${a("Cancel {what}",{what:t.text})} run=${async()=>{await r(`/api/reminders/${t.id}`,void 0,"DELETE"),await s()}} />
        </div>
      </article>`)}
      ${!e.length&&n`<p class="muted">${a("None. Ask for one in a chat: “remind me tomorrow at 9 to call Ada”.")}</p>`}
    </div>
  </section>`}function B({sessions:e}){let s=q(),t=e.shown.value;return O(()=>{if(document.body.classList.toggle("one",e.id.value!==""),!t)return;s.current.focus({preventScroll:!0});let i=s.current.querySelector(".found");i?i.scrollIntoView({block:"center"}):s.current.scrollTop=0},[e.id.value,e.found.value,t]),e.id.value?n`<section id="shown" tabindex="-1" aria-label=${a("Session")} ref=${s}>
    <a class="back" href="#">← ${a("All sessions")}</a>
    ${t?.error&&n`<p class="muted">${t.error}</p>`}
    ${t?.session&&n`<${ae} ...${t} sessions=${e} />`}
  </section>`:null}function ae({session:e,messages:s,name:t,artifacts:i,files:l,notices:o,role:g,tools:S,sessions:v}){let b=X=>`/api/sessions/${e.id}/export?format=${X}`,k=v.isMine(e.person);return n`
    <div class="row"><h2 dir="auto">${R(e)}</h2><span class=${`state ${e.state}`}>${y(e.state)}</span></div>
    ${e.title&&n`<p class="muted">${d(e.agent)}</p>`}
    <p class="muted">${a("{name} on {place}; {from} to {until}",{name:k?a("You"):t||$(e.person),place:f(e.route.channel,e.route.chat),from:c(e.created),until:c(e.active)})}</p>
    ${e.route.channel!=="web"&&n`<p class="muted">${a("Account {account}",{account:`${e.route.channel}/${e.route.account}`})}</p>`}
    ${g&&n`<p class="muted">${a("Role now: {role}. Tools: {tools}",{role:C(g),tools:(S??[]).join(", ")||a("none")})}</p>`}
    <p class="muted"><code>${e.id}</code></p>
    <div class="row">
      ${k&&e.route.channel==="web"&&e.state!=="ended"&&n`<a class="button small" href=${`/?chat=${encodeURIComponent(e.route.chat)}`}>${a("Open the chat")}</a>`}
      <a class="button small" href=${b("markdown")} download="">Markdown</a>
      <a class="button small" href=${b("json")} download="">JSON</a>
      ${w("DELETE /api/sessions/{id}")&&(k||u.value.role==="master_admin")&&n`<${h} label=${a("Delete")} name="small danger" run=${()=>v.remove(e.id)} />`}
    </div>
    ${e.plan&&n`<${W} plan=${e.plan} named over />`}
    <${P} of=${e.id} files=${l} />
    <${z} messages=${s??[]} notices=${o??[]} artifacts=${i??[]} found=${v.found.value} />`}var se=["active","suspended","ended"];function K({sessions:e}){let s=e.filters.value,t=e.searching,i=(o,g,S,v)=>n`<${F} name=${o} value=${s[o]} disabled=${v} all=${g} options=${S} choose=${b=>e.filter(o,b)} />`;return n`<form id="filters" class="filters" onSubmit=${o=>{o.preventDefault(),e.find()}}>
    <label class="wide">${a("Search")} <input name="q" type="search" maxlength="200" placeholder=${a("what was said")} value=${s.q} onInput=${o=>e.filter("q",o.target.value)} /></label>
    ${["partner","master_admin"].includes(u.value?.role)&&n`<label id="whose">${a("Whose")}
      ${i("person",a("mine"),[["*",a("everybody’s")],..._()])}</label>`}
    <label>${a("Agent")} ${i("agent",a("any"),e.agents.value.map(o=>[o.name,d(o.name)]),t)}</label>
    <label>${a("State")} ${i("state",a("any"),se.map(o=>[o,y(o)]),t)}</label>
    <label>${a("Channel")} ${i("channel",a("any"),[["web","web"]],t)}</label>
    ${t&&n`<p class="muted wide">${a("A search looks through all agents, states and channels.")}</p>`}
  </form>`}var ne=["q","person","agent","state","channel"],Q=50;function T(){let[e,s=""]=location.hash.slice(1).split("@");return[e,s]}var x=class{filters=m(Object.fromEntries(ne.map(s=>[s,new URLSearchParams(location.search).get(s)??""])));list=m([]);more=m(!1);says=m("");id=m(T()[0]);found=m(T()[1]);shown=m(null);agents=m([]);reminders=m(null);notes=m(null);#e=0;#t=0;constructor(){window.addEventListener("hashchange",()=>this.open())}get searching(){return this.filters.value.q.trim()!==""}async begin(){this.agents.value=await r("/api/agents"),await U(),await Promise.all([this.find(),this.open(),this.remind(),this.note()])}filter(s,t){this.filters.value={...this.filters.value,[s]:t};let i=this.#a();history.replaceState(null,"",`${location.pathname}${i.size?`?${i}`:""}${location.hash}`),clearTimeout(this.#t),s==="q"?this.#t=setTimeout(()=>this.find(),250):this.find()}async find(s){let t=++this.#e,i=this.#a(),l=this.searching;i.set("limit",Q),s&&i.set("before",this.list.value.at(-1)?.active??"");try{let o=await r(l?`/api/sessions/search?${i}`:`/api/sessions?${i}`);if(t!==this.#e)return;E(()=>{this.list.value=s?[...this.list.value,...o]:o,this.more.value=!l&&o.length===Q,this.says.value=this.list.value.length?"":l?a("Nothing was found."):a("No sessions.")}),l&&N(this.says.value||a("{n} found",{n:o.length}))}catch(o){t===this.#e&&(this.says.value=o.message)}}async open(){let s=this.id.value,[t,i]=T();if(E(()=>{[this.id.value,this.found.value]=[t,i],t!==s&&(this.shown.value=null)}),!!t)try{let l=await r(`/api/sessions/${encodeURIComponent(t)}`);t===this.id.value&&(this.shown.value=l)}catch(l){t===this.id.value&&(this.shown.value={error:l.message})}}async remove(s){if(!await L(a("Delete this session?"),a("Delete"),a("What was said, the notes made in it, its tasks and the histories of its workflows are removed for good.")))return;let t;try{t=await r(`/api/sessions/${s}`,void 0,"DELETE")}catch(i){if(i.status!==409)throw i;if(!await L(a("Delete it all the same?"),a("Cancel them and delete"),i.message))return;t=await r(`/api/sessions/${s}?force=true`,void 0,"DELETE")}location.hash="",await this.find(),this.says.value=a("Removed: {what}.",{what:ie(t.removed)}),N(this.says.value)}async remind(){w("GET /api/reminders")&&(this.reminders.value=await r("/api/reminders"))}async note(){w("GET /api/memory")&&(this.notes.value=await r("/api/memory"))}isMine(s){return s===u.value.id}#a(){let s=Object.entries(this.filters.value).map(([t,i])=>[t,i.trim()]).filter(([,t])=>t);return new URLSearchParams(s)}};function ie(e){return Object.entries(e).map(([s,t])=>`${t} ${t===1?s.replace(/s$/,""):s}`).join(", ")||"the session"}var p=new x;function oe(){return n`
    <${M} />
    <main class="page sessions">
      <section id="list" aria-labelledby="sessions-head">
        <h2 id="sessions-head">${a("Sessions")}</h2>
        <${K} sessions=${p} />
        <${J} sessions=${p} />
        ${p.reminders.value&&n`<${V} list=${p.reminders.value} refresh=${()=>p.remind()} />`}
        ${p.notes.value&&n`<${Y} list=${p.notes.value} refresh=${()=>p.note()} />`}
      </section>
      <${B} sessions=${p} />
    </main>
    <${A} />
    <${H} />`}D(n`<${oe} />`,document.body);j().then(()=>p.begin()).catch(I);
