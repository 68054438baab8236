import{a as u,b as g,c as _}from"./shared/chunk-PZGGJEXI.js";import{b as L,d as N,e as R}from"./shared/chunk-6SLZQEZ2.js";import{a as A}from"./shared/chunk-JCEDLGCE.js";import{a as I}from"./shared/chunk-CVFNLIFF.js";import{a as D,g as O,k as T,l as h}from"./shared/chunk-4G2L4PHD.js";import"./shared/chunk-FAKMFOH4.js";import{i as U,k as C}from"./shared/chunk-ZSYFMEBJ.js";import{a as M}from"./shared/chunk-B7IOUNRY.js";import{b as x}from"./shared/chunk-BGZJLJBS.js";import{a as w,h as k,k as l,m as S,p as e}from"./shared/chunk-V2GEF5NQ.js";var f=1e3,m=160,p=t=>new Date(`${t}T00:00Z`).toLocaleDateString(S.value,{day:"numeric",month:"short",timeZone:"UTC"});function V({rows:t,value:s,amount:n}){let d=Math.max(...t.map(s),Number.MIN_VALUE),r=f/t.length,i=Math.min(6,r*.2);return l`<figure class="columns" aria-hidden="true">
    <div class="most muted"><span>${n(d)}</span></div>
    <svg viewBox="0 0 ${f} ${m}" preserveAspectRatio="none">
      ${[0,.5].map(o=>l`<line key=${o} class="grid" x1="0" x2=${f} y1=${m*o+.5} y2=${m*o+.5} />`)}
      ${t.map((o,c)=>l`<g key=${o.key}>
        <title>${p(o.key)}: ${n(s(o))}</title>
        <rect class="hit" x=${c*r} y="0" width=${r} height=${m} />
        <rect class="bar-fill" x=${c*r+i/2} y=${m-Math.max(s(o)?2:0,s(o)/d*m)} width=${r-i} height=${Math.max(s(o)?2:0,s(o)/d*m)} />
      </g>`)}
      <line class="base" x1="0" x2=${f} y1=${m-.5} y2=${m-.5} />
    </svg>
    <figcaption class="muted scale-days"><span>${p(t[0].key)}</span>${t.length>2&&l`<span>${p(t[Math.floor(t.length/2)].key)}</span>`}<span>${p(t.at(-1).key)}</span></figcaption>
  </figure>`}var b=t=>t.input_tokens+t.output_tokens,H={cost:t=>t.cost,tokens:b,calls:t=>t.calls},W={cost:_,tokens:g,calls:u},j={cost:()=>e("page.cost"),tokens:()=>e("page.tokens_used"),calls:()=>e("page.model_calls")};function P({usage:t}){let s=t.read.value,{days:n,person:d}=t.filters.value,r=(i,o,c)=>l`<${A} name=${i} value=${o} options=${c} choose=${$=>t.filter(i,$)} />`;return l`<main class="page dashboard" id="usage">
    <h2>${e("page.usage")}</h2>
    <form class="filters" aria-label=${e("page.usage_view.what_to_count")} onSubmit=${i=>i.preventDefault()}>
      <label>${e("page.usage_view.days")} ${r("days",n,["1","7","30","90","365"].map(i=>[i,i==="1"?e("page.usage_view.today"):e("page.usage_view.the_last",{n:i})]))}</label>
      ${["partner","master_admin"].includes(D.value?.role)&&l`<label>${e("page.whose")} ${r("person",d,[["",e("page.mine")],["*",e("page.everybodys")],...R()])}</label>`}
      <label>${e("page.usage_view.bars_show")} ${r("by",t.measure,Object.keys(j).map(i=>[i,j[i]()]))}</label>
    </form>
    ${s&&l`<${z} usage=${t} read=${s} />`}
  </main>`}function z({usage:t,read:s}){let{total:n}=s,d=t.measure,r=H[d],i=W[d],o=a=>s.groups.find(v=>v.by===a)?.rows??[];if(!n.calls)return l`<p id="none" class="muted">${e("page.usage_view.nothing_was_used_time")}</p>`;let c={agent:a=>C(a.key),person:a=>N(a.key),model:a=>a.key||e("page.not_known"),tree:a=>a.task_id?l`<a href=${`/tasks/${a.task_id}`} dir="auto">${a.title}</a>`:a.session_id?l`<a href=${`/sessions#${a.session_id}`}>${F(a)}</a>`:a.key},$=t.days();return l`
    <dl class="tiles">
      <div><dt>${e("page.cost")}</dt><dd>${n.cost?_(n.cost):e("page.none_known")}</dd></div>
      <div><dt>${e("page.model_calls")}</dt><dd>${u(n.calls)}</dd></div>
      <div><dt>${e("page.usage_view.tokens_in")}</dt><dd>${g(n.input_tokens)}</dd></div>
      <div><dt>${e("page.usage_view.of_them_from_cache")}</dt><dd>${n.input_tokens?`${Math.round(100*n.cached_tokens/n.input_tokens)} %`:"–"}</dd></div>
      <div><dt>${e("page.usage_view.tokens_out")}</dt><dd>${g(n.output_tokens)}</dd></div>
    </dl>
    <section id="by-day"><h3>${e("page.usage_view.by_day")} <span class="muted">UTC</span></h3>
      <${V} rows=${$} value=${r} amount=${i} />
      <details><summary>${e("page.usage_view.days_as_table")}</summary><${E} rows=${$.filter(a=>a.calls).toReversed()} head=${e("page.usage_view.day")} name=${a=>l`<time datetime=${a.key}>${p(a.key)}</time>`} value=${r} /></details></section>
    <div class="usage-groups">
      ${[["agent",e("page.usage_view.by_agent"),e("page.agent")],["model",e("page.usage_view.by_model"),e("page.usage_view.model")],["person",e("page.usage_view.by_person"),e("page.usage_view.person")],["tree",e("page.usage_view.by_errand"),e("page.usage_view.errand")]].filter(([a])=>a!=="person"||t.filters.value.person==="*").map(([a,v,q])=>o(a).length>0&&l`<section key=${a} id=${`by-${a}`}><h3>${v}</h3>
          <${E} rows=${a==="tree"?o(a).slice(0,20):o(a)} head=${q} name=${c[a]} value=${r} /></section>`)}
    </div>`}function F({key:t,title:s}){return t.startsWith("title:")?s?e("page.usage_view.the_title_of",{title:s}):e("page.usage_view.title_chat"):s?e("page.usage_view.a_message_in",{title:s}):e("page.usage_view.message_chat")}function E({rows:t,head:s,name:n,value:d}){let r=Math.max(...t.map(d),Number.MIN_VALUE);return l`<div class="rows-scroll"><table class="plain-table usage-table">
    <thead><tr><th>${s}</th><td aria-hidden="true"></td><th class="num">${e("page.cost")}</th><th class="num">${e("page.usage_view.calls")}</th><th class="num">${e("page.tokens_used")}</th></tr></thead>
    <tbody>${t.map(i=>l`<tr key=${i.key}>
      <th scope="row" class="what">${n(i)}</th>
      <td class="bar-cell" aria-hidden="true"><svg viewBox="0 0 100 8" preserveAspectRatio="none"><rect class="bar-fill" width=${Math.max(.5,100*d(i)/r)} height="8" /></svg></td>
      <td class="num">${i.cost?_(i.cost):""}</td><td class="num">${u(i.calls)}</td><td class="num" title=${u(b(i))}>${g(b(i))}</td>
    </tr>`)}</tbody>
  </table></div>`}var G=["day","agent","person","model","tree"],y=class{filters=k({days:"30",person:"",by:"",...Object.fromEntries(new URLSearchParams(location.search))});read=k(null);#e;#t=0;constructor(s){this.#e=s}get measure(){return this.filters.value.by||(this.read.value?.total.cost?"cost":"tokens")}days(){let{from:s,groups:n}=this.read.value,d=new Map(n.find(o=>o.by==="day").rows.map(o=>[o.key,o])),r=[],i=new Date().toISOString().slice(0,10);for(let o=new Date(s);;o.setUTCDate(o.getUTCDate()+1)){let c=o.toISOString().slice(0,10);if(c>i)return r;r.push(d.get(c)??{key:c,calls:0,input_tokens:0,output_tokens:0,cached_tokens:0,cost:0})}}async load(){let s=++this.#t,{days:n,person:d}=this.filters.value;await L();let r=await this.#e(`/api/usage?${new URLSearchParams({days:n,by:G,...d&&{person:d}})}`);s===this.#t&&(this.read.value=r)}filter(s,n){this.filters.value={...this.filters.value,[s]:n};let d=new URLSearchParams(Object.entries(this.filters.value).filter(([,r])=>r));history.replaceState(null,"",`${location.pathname}?${d}`),s!=="by"&&this.load().then(()=>x(e("page.usage.numbers_those_your_choice")),h)}};var B=new y(U);async function Z(){try{await O(),await B.load(),T()}catch(t){h(t),t.final||setTimeout(Z,2e3)}}Z();w(l`
  <${I} />
  <${P} usage=${B} />
  <${M} />`,document.body);
