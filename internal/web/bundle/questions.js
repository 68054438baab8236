import{a as H}from"./shared/chunk-Z3MO3V4L.js";import{a as j}from"./shared/chunk-KLMUMTFQ.js";import{a as E,b as P,c as U,d as N,e as g}from"./shared/chunk-5FTOOB6N.js";import{a as F}from"./shared/chunk-YFZPMGDL.js";import{a as D}from"./shared/chunk-GVKRUO7B.js";import"./shared/chunk-WAQJSITK.js";import"./shared/chunk-Z4MSZ2JS.js";import{b as L,c as _,e as k}from"./shared/chunk-R72ZRVW7.js";import{a as R}from"./shared/chunk-YZC3XOHJ.js";import{a as W}from"./shared/chunk-ZSOHIUJY.js";import{a as v}from"./shared/chunk-7ANT74VX.js";import"./shared/chunk-6A7IHR5J.js";import{g as y,k as f}from"./shared/chunk-4DHKOIDS.js";import{a as M}from"./shared/chunk-KUPQE3KS.js";import{b as C}from"./shared/chunk-56OV5KKZ.js";import{a as x,d as q,e as w,f as Q,h as A,i as S,k as o,o as a,p as O}from"./shared/chunk-ZOQTP745.js";function J(t){let n=Math.floor(Math.max(0,t)/6e4);return n<1?a("just now"):n<120?a("{n} min ago",{n}):n<2880?a("{n} h ago",{n:Math.floor(n/60)}):a("{n} d ago",{n:Math.floor(n/1440)})}function I({from:t}){let n=Q(()=>S(()=>J(F.value-new Date(t))),[t]);return o`<span>${n}</span>`}var K={question:t=>a("{agent} asks",t),approval:t=>a("{agent} asks for your approval",t),proposal:t=>a("{agent} proposes",t)},V={question:t=>a("{agent} asks {name}",t),approval:t=>a("{agent} asks for the approval of {name}",t),proposal:t=>a("{agent} proposes to {name}",t)};function X(t,n){let i=t.person===v.value?.id,e=i?K:V;return(e[t.kind]??e.question)({agent:f(t.agent),name:i?"":n(t.person)})}function b({id:t,questions:n,called:i}){let e=n.get(t).value;if(!e)return null;let $=X(e,i),r=e.state==="open",l=e.approval&&v.value?.approves_nothing,m=r&&g(e)&&!l,d=async h=>{let{agent:c,state:s,schema:B,answer:G}=await n.answer(e.id,h);C(s==="declined"?a("{agent} goes on without an answer.",{agent:f(c)}):a("{agent} has your answer: {answer}",{agent:f(c),answer:P(B,G)}))};return o`<article class="card question ${e.state}" data-question-card=${e.id} tabindex="-1" aria-label=${`${$}: ${e.text.slice(0,120)}`}>
    <div class="row"><span class="title" dir="auto">${$}</span>
      <span class="when muted"><time datetime=${e.created}>${y(e.created)}</time>${r&&o` (<${I} from=${e.created} />)`}</span></div>
    <div class="asked-text"><${D} text=${e.text} /></div>
    ${m?o`<${U} question=${e} answer=${d} />`:null}
    ${r&&!g(e)&&e.options?.length?o`<p class="muted" dir="auto">${e.options.join(" · ")}</p>`:null}
    ${!m&&o`<${E} approval=${e.approval} />`}
    ${r&&g(e)&&l&&o`<p class="muted" dir="auto">${l}</p>`}
    <${j} question=${e} called=${i} />
    <div class="row muted">
      <code>${e.id}</code>
      ${e.task_id&&o`<a href=${`/tasks/${e.task_id}`}>${a("task")} <code>${e.task_id}</code></a>`}
      ${e.chat&&(e.channel==="web"&&e.person===v.value?.id?o`<a href=${`/?chat=${encodeURIComponent(e.chat)}`}>${a("in the chat {chat}",{chat:e.chat})}</a>`:o`<span>${e.channel}, ${e.chat}</span>`)}
      ${r&&e.expires&&o`<span>${O("until {time}",{time:o`<time datetime=${e.expires}>${y(e.expires)}</time>`})}</span>`}
    </div>
  </article>`}function T({questions:t,called:n}){let{open:i,over:e,read:$}=t,r=i.value,l=w(),m=w(r),d=document.activeElement?.closest?.("#waiting [data-question-card]")?.dataset.questionCard,h=d?m.current.indexOf(d):-1;q(()=>{if(m.current=r,h<0||r.includes(d))return;let s=l.current.querySelectorAll("[data-question-card]");(s[Math.min(h,s.length-1)]??l.current.querySelector("h3")).focus({preventScroll:!0})},[r]);let c=r.length;return o`
    <section id="waiting" aria-labelledby="waiting-head" ref=${l}>
      <h3 id="waiting-head" tabindex="-1">${c===1?a("1 waits for an answer"):c?a("{n} wait for an answer",{n:c}):a("Waiting")}</h3>
      <div class="cards">${r.map(s=>o`<${b} key=${s} id=${s} questions=${t} called=${n} />`)}</div>
      ${$.value&&!c&&o`<p class="muted">${a("Nothing waits for an answer. When an agent needs to know something, it asks here and in the chat.")}</p>`}
    </section>
    ${e.value.length>0&&o`<section id="over" aria-labelledby="over-head">
      <h3 id="over-head">${a("Closed")}</h3>
      <div class="cards">${e.value.map(s=>o`<${b} key=${s} id=${s} questions=${t} called=${n} />`)}</div>
    </section>`}`}var u=A(new URLSearchParams(location.search).get("person")??""),p=new N(z());function z(){return u.value?{person:u.value}:{}}var Y=H(async t=>{await L(),t.has("questions")&&await p.load()},()=>u.value);function Z(t){u.value=t,history.replaceState(null,"",t?`?${new URLSearchParams({person:t})}`:location.pathname),p.of(z()).catch(()=>{}),Y()}function ee(){return o`
    <${W} />
    <main class="page">
      <div class="row"><h2>${a("Questions")}</h2>
        ${k().length>0&&o`<form class="filters end"><label>${a("Whom they ask")}
          <${R} id="whose" value=${u.value} all=${a("me")} options=${[["*",a("everybody")],...k()]} choose=${Z} /></label></form>`}
      </div>
      <${T} questions=${p} called=${_} />
      ${p.more.value&&o`<p><button id="more" type="button" class="small" onClick=${()=>p.older()}>${a("Older")}</button></p>`}
    </main>
    <${M} />`}x(o`<${ee} />`,document.body);
