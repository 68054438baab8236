import{a as N}from"./shared/chunk-IJ3YZ5XX.js";import{a as D}from"./shared/chunk-OXCCEQBE.js";import{a as P,b as U,c as j,d as F,e as v}from"./shared/chunk-XGNJRG7X.js";import{a as I}from"./shared/chunk-W67FO6TE.js";import{a as H}from"./shared/chunk-7OS4QIR7.js";import"./shared/chunk-B52JOGFE.js";import"./shared/chunk-Z4MSZ2JS.js";import{b as L,c as O,e as q}from"./shared/chunk-6SLZQEZ2.js";import{a as R}from"./shared/chunk-JCEDLGCE.js";import{a as E}from"./shared/chunk-VBEITUWX.js";import{a as g}from"./shared/chunk-4G2L4PHD.js";import"./shared/chunk-FAKMFOH4.js";import{g as w,k as h}from"./shared/chunk-ZSYFMEBJ.js";import{a as M}from"./shared/chunk-B7IOUNRY.js";import{b as S}from"./shared/chunk-BGZJLJBS.js";import{a as k,d as b,e as _,f as x,h as A,i as Q,k as o,p as t,q as C}from"./shared/chunk-V2GEF5NQ.js";function J(a){let s=Math.floor(Math.max(0,a)/6e4);return s<1?t("page.age.just_now"):s<120?t("page.age.min_ago",{n:s}):s<2880?t("page.age.h_ago",{n:Math.floor(s/60)}):t("page.age.d_ago",{n:Math.floor(s/1440)})}function T({from:a}){let s=x(()=>Q(()=>J(I.value-new Date(a))),[a]);return o`<span>${s}</span>`}var K={question:a=>t("page.question_card.asks",a),approval:a=>t("page.question_card.asks_for_your_approval",a),proposal:a=>t("page.question_card.proposes",a)},V={question:a=>t("page.question_card.asks_name",a),approval:a=>t("page.question_card.asks_approval",a),proposal:a=>t("page.question_card.proposes_to",a)};function X(a,s){let i=a.person===g.value?.id,e=i?K:V;return(e[a.kind]??e.question)({agent:h(a.agent),name:i?"":s(a.person)})}function y({id:a,questions:s,called:i}){let e=s.get(a).value;if(!e)return null;let $=X(e,i),n=e.state==="open",p=e.approval&&g.value?.approves_nothing,l=n&&v(e)&&!p,d=async f=>{let{agent:c,state:r,schema:B,answer:G}=await s.answer(e.id,f);S(r==="declined"?t("question.declined",{agent:h(c)}):t("question.passed_on",{agent:h(c),answer:U(B,G)}))};return o`<article class="card question ${e.state}" data-question-card=${e.id} tabindex="-1" aria-label=${`${$}: ${e.text.slice(0,120)}`}>
    <div class="row"><span class="title" dir="auto">${$}</span>
      <span class="when muted"><time datetime=${e.created}>${w(e.created)}</time>${n&&o` (<${T} from=${e.created} />)`}</span></div>
    <div class="asked-text"><${H} text=${e.text} /></div>
    ${l?o`<${j} question=${e} answer=${d} />`:null}
    ${n&&!v(e)&&e.options?.length?o`<p class="muted" dir="auto">${e.options.join(" · ")}</p>`:null}
    ${!l&&o`<${P} approval=${e.approval} />`}
    ${n&&v(e)&&p&&o`<p class="muted" dir="auto">${p}</p>`}
    <${D} question=${e} called=${i} />
    <div class="row muted">
      <code>${e.id}</code>
      ${e.task_id&&o`<a href=${`/tasks/${e.task_id}`}>${t("page.question_card.task")} <code>${e.task_id}</code></a>`}
      ${e.chat&&(e.channel==="web"&&e.person===g.value?.id?o`<a href=${`/?chat=${encodeURIComponent(e.chat)}`}>${t("page.question_card.in_the_chat",{chat:e.chat})}</a>`:o`<span>${e.channel}, ${e.chat}</span>`)}
      ${n&&e.expires&&o`<span>${C("page.until",{time:o`<time datetime=${e.expires}>${w(e.expires)}</time>`})}</span>`}
    </div>
  </article>`}function W({questions:a,called:s}){let{open:i,over:e,read:$}=a,n=i.value,p=_(),l=_(n),d=document.activeElement?.closest?.("#waiting [data-question-card]")?.dataset.questionCard,f=d?l.current.indexOf(d):-1;b(()=>{if(l.current=n,f<0||n.includes(d))return;let r=p.current.querySelectorAll("[data-question-card]");(r[Math.min(f,r.length-1)]??p.current.querySelector("h3")).focus({preventScroll:!0})},[n]);let c=n.length;return o`
    <section id="waiting" aria-labelledby="waiting-head" ref=${p}>
      <h3 id="waiting-head" tabindex="-1">${c===1?t("page.question_list.one_waits_answer"):c?t("page.question_list.wait_for_an_answer",{n:c}):t("page.waiting")}</h3>
      <div class="cards">${n.map(r=>o`<${y} key=${r} id=${r} questions=${a} called=${s} />`)}</div>
      ${$.value&&!c&&o`<p class="muted">${t("page.question_list.nothing_waits_answer_when")}</p>`}
    </section>
    ${e.value.length>0&&o`<section id="over" aria-labelledby="over-head">
      <h3 id="over-head">${t("page.question_list.closed")}</h3>
      <div class="cards">${e.value.map(r=>o`<${y} key=${r} id=${r} questions=${a} called=${s} />`)}</div>
    </section>`}`}var m=A(new URLSearchParams(location.search).get("person")??""),u=new F(z());function z(){return m.value?{person:m.value}:{}}var Y=N(async a=>{await L(),a.has("questions")&&await u.load()},()=>m.value);function Z(a){m.value=a,history.replaceState(null,"",a?`?${new URLSearchParams({person:a})}`:location.pathname),u.of(z()).catch(()=>{}),Y()}function ee(){return o`
    <${E} />
    <main class="page">
      <div class="row"><h2>${t("page.questions")}</h2>
        ${q().length>0&&o`<form class="filters end"><label>${t("page.questions.whom_they_ask")}
          <${R} id="whose" value=${m.value} all=${t("page.questions.me")} options=${[["*",t("page.questions.everybody")],...q()]} choose=${Z} /></label></form>`}
      </div>
      <${W} questions=${u} called=${O} />
      ${u.more.value&&o`<p><button id="more" type="button" class="small" onClick=${()=>u.older()}>${t("page.older")}</button></p>`}
    </main>
    <${M} />`}k(o`<${ee} />`,document.body);
