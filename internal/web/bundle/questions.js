import{a as F}from"./shared/chunk-UD4VQKIO.js";import{a as I}from"./shared/chunk-IEPUFD3M.js";import{a as j}from"./shared/chunk-LRD7ASAB.js";import{a as E,b as P,c as U,d as H,e as g}from"./shared/chunk-VWQNKOYF.js";import{a as D}from"./shared/chunk-6ULUQ37I.js";import{a as N}from"./shared/chunk-XNLMF2XU.js";import"./shared/chunk-RPVLV6AY.js";import"./shared/chunk-Z4MSZ2JS.js";import{b as _,c as L,e as k}from"./shared/chunk-MSSKZTZU.js";import{a as R}from"./shared/chunk-X6BLCBDR.js";import{a as W}from"./shared/chunk-CB5HU2YK.js";import{a as v}from"./shared/chunk-4ONKDMVB.js";import"./shared/chunk-XBILLAUH.js";import{g as y,k as f}from"./shared/chunk-NZ2MLOBQ.js";import{a as M}from"./shared/chunk-YTHETQM7.js";import{b as C}from"./shared/chunk-CUTO6YOT.js";import{a as x,d as q,e as w,f as Q,h as A,i as S,k as o,o as a,p as O}from"./shared/chunk-P4LB7CD7.js";function K(t){let n=Math.floor(Math.max(0,t)/6e4);return n<1?a("just now"):n<120?a("{n} min ago",{n}):n<2880?a("{n} h ago",{n:Math.floor(n/60)}):a("{n} d ago",{n:Math.floor(n/1440)})}function T({from:t}){let n=Q(()=>S(()=>K(D.value-new Date(t))),[t]);return o`<span>${n}</span>`}var V={question:t=>a("{agent} asks",t),approval:t=>a("{agent} asks for your approval",t),proposal:t=>a("{agent} proposes",t)},X={question:t=>a("{agent} asks {name}",t),approval:t=>a("{agent} asks for the approval of {name}",t),proposal:t=>a("{agent} proposes to {name}",t)};function Y(t,n){let i=t.person===v.value?.id,e=i?V:X;return(e[t.kind]??e.question)({agent:f(t.agent),name:i?"":n(t.person)})}function b({id:t,questions:n,called:i}){let e=n.get(t).value;if(!e)return null;let $=Y(e,i),r=e.state==="open",l=e.approval&&v.value?.approves_nothing,m=r&&g(e)&&!l,d=async h=>{let{agent:c,state:s,schema:G,answer:J}=await n.answer(e.id,h);C(s==="declined"?a("{agent} goes on without an answer.",{agent:f(c)}):a("{agent} has your answer: {answer}",{agent:f(c),answer:P(G,J)}))};return o`<article class="card question ${e.state}" data-question-card=${e.id} tabindex="-1" aria-label=${`${$}: ${e.text.slice(0,120)}`}>
    <div class="row"><span class="title" dir="auto">${$}</span>
      <span class="when muted"><time datetime=${e.created}>${y(e.created)}</time>${r&&o` (<${T} from=${e.created} />)`}</span></div>
    <div class="asked-text"><${N} text=${e.text} /></div>
    ${m?o`<${U} question=${e} answer=${d} />`:null}
    ${r&&!g(e)&&e.options?.length?o`<p class="muted" dir="auto">${e.options.join(" · ")}</p>`:null}
    ${!m&&o`<${E} approval=${e.approval} />`}
    ${r&&g(e)&&l&&o`<p class="muted" dir="auto">${l}</p>`}
    <${j} question=${e} called=${i} />
    <div class="row muted">
      <code>${e.id}</code>
      ${e.task_id&&o`<a href=${`/tasks/${e.task_id}`}>${a("task")} <code>${e.task_id}</code></a>`}
      ${e.chat&&(e.channel==="web"&&e.person===v.value?.id?o`<a href=${`/?chat=${encodeURIComponent(e.chat)}`}>${a("in the chat {chat}",{chat:e.chat})}</a>`:o`<span>${e.channel}, ${e.chat}</span>`)}
      <${F} until=${r&&e.held_until} />
      ${r&&e.expires&&o`<span>${O("until {time}",{time:o`<time datetime=${e.expires}>${y(e.expires)}</time>`})}</span>`}
    </div>
  </article>`}function z({questions:t,called:n}){let{open:i,over:e,read:$}=t,r=i.value,l=w(),m=w(r),d=document.activeElement?.closest?.("#waiting [data-question-card]")?.dataset.questionCard,h=d?m.current.indexOf(d):-1;q(()=>{if(m.current=r,h<0||r.includes(d))return;let s=l.current.querySelectorAll("[data-question-card]");(s[Math.min(h,s.length-1)]??l.current.querySelector("h3")).focus({preventScroll:!0})},[r]);let c=r.length;return o`
    <section id="waiting" aria-labelledby="waiting-head" ref=${l}>
      <h3 id="waiting-head" tabindex="-1">${c===1?a("1 waits for an answer"):c?a("{n} wait for an answer",{n:c}):a("Waiting")}</h3>
      <div class="cards">${r.map(s=>o`<${b} key=${s} id=${s} questions=${t} called=${n} />`)}</div>
      ${$.value&&!c&&o`<p class="muted">${a("Nothing waits for an answer. When an agent needs to know something, it asks here and in the chat.")}</p>`}
    </section>
    ${e.value.length>0&&o`<section id="over" aria-labelledby="over-head">
      <h3 id="over-head">${a("Closed")}</h3>
      <div class="cards">${e.value.map(s=>o`<${b} key=${s} id=${s} questions=${t} called=${n} />`)}</div>
    </section>`}`}var u=A(new URLSearchParams(location.search).get("person")??""),p=new H(B());function B(){return u.value?{person:u.value}:{}}var Z=I(async t=>{await _(),t.has("questions")&&await p.load()},()=>u.value);function ee(t){u.value=t,history.replaceState(null,"",t?`?${new URLSearchParams({person:t})}`:location.pathname),p.of(B()).catch(()=>{}),Z()}function te(){return o`
    <${W} />
    <main class="page">
      <div class="row"><h2>${a("Questions")}</h2>
        ${k().length>0&&o`<form class="filters end"><label>${a("Whom they ask")}
          <${R} id="whose" value=${u.value} all=${a("me")} options=${[["*",a("everybody")],...k()]} choose=${ee} /></label></form>`}
      </div>
      <${z} questions=${p} called=${L} />
      ${p.more.value&&o`<p><button id="more" type="button" class="small" onClick=${()=>p.older()}>${a("Older")}</button></p>`}
    </main>
    <${M} />`}x(o`<${te} />`,document.body);
