import{a as g,b as $,c as f}from"./shared/chunk-PZGGJEXI.js";import{b as R,d as A,e as I}from"./shared/chunk-6SLZQEZ2.js";import{a as V}from"./shared/chunk-JCEDLGCE.js";import{a as j}from"./shared/chunk-VBEITUWX.js";import{a as O,b as T,g as L,k as N,l as _}from"./shared/chunk-4G2L4PHD.js";import"./shared/chunk-FAKMFOH4.js";import{i as C,k as D}from"./shared/chunk-ZSYFMEBJ.js";import{a as S}from"./shared/chunk-B7IOUNRY.js";import{b as M}from"./shared/chunk-BGZJLJBS.js";import{a as x,h as b,k as l,m as U,p as e}from"./shared/chunk-V2GEF5NQ.js";var y=1e3,m=160,p=t=>new Date(`${t}T00:00Z`).toLocaleDateString(U.value,{day:"numeric",month:"short",timeZone:"UTC"});function E({rows:t,value:s,amount:n}){let d=Math.max(...t.map(s),Number.MIN_VALUE),r=y/t.length,i=Math.min(6,r*.2);return l`<figure class="columns" aria-hidden="true">
    <div class="most muted"><span>${n(d)}</span></div>
    <svg viewBox="0 0 ${y} ${m}" preserveAspectRatio="none">
      ${[0,.5].map(o=>l`<line key=${o} class="grid" x1="0" x2=${y} y1=${m*o+.5} y2=${m*o+.5} />`)}
      ${t.map((o,c)=>l`<g key=${o.key}>
        <title>${p(o.key)}: ${n(s(o))}</title>
        <rect class="hit" x=${c*r} y="0" width=${r} height=${m} />
        <rect class="bar-fill" x=${c*r+i/2} y=${m-Math.max(s(o)?2:0,s(o)/d*m)} width=${r-i} height=${Math.max(s(o)?2:0,s(o)/d*m)} />
      </g>`)}
      <line class="base" x1="0" x2=${y} y1=${m-.5} y2=${m-.5} />
    </svg>
    <figcaption class="muted scale-days"><span>${p(t[0].key)}</span>${t.length>2&&l`<span>${p(t[Math.floor(t.length/2)].key)}</span>`}<span>${p(t.at(-1).key)}</span></figcaption>
  </figure>`}var w=t=>t.input_tokens+t.output_tokens,W={cost:t=>t.cost,tokens:w,calls:t=>t.calls},z={cost:f,tokens:$,calls:g},P={cost:()=>e("page.cost"),tokens:()=>e("page.tokens_used"),calls:()=>e("page.model_calls")};function Z({usage:t}){let s=t.read.value,{days:n,person:d}=t.filters.value,r=(i,o,c)=>l`<${V} name=${i} value=${o} options=${c} choose=${h=>t.filter(i,h)} />`;return l`<main class="page dashboard" id="usage">
    <h2>${e("page.usage")}</h2>
    <form class="filters" aria-label=${e("page.usage_view.what_to_count")} onSubmit=${i=>i.preventDefault()}>
      <label>${e("page.usage_view.days")} ${r("days",n,["1","7","30","90","365"].map(i=>[i,i==="1"?e("page.usage_view.today"):e("page.usage_view.the_last",{n:i})]))}</label>
      ${["partner","master_admin"].includes(O.value?.role)&&l`<label>${e("page.whose")} ${r("person",d,[["",e("page.mine")],["*",e("page.everybodys")],...I()])}</label>`}
      <label>${e("page.usage_view.bars_show")} ${r("by",t.measure,Object.keys(P).map(i=>[i,P[i]()]))}</label>
    </form>
    ${s&&l`<${F} usage=${t} read=${s} />`}
  </main>`}function F({usage:t,read:s}){let{total:n}=s,d=t.measure,r=W[d],i=z[d],o=a=>s.groups.find(u=>u.by===a)?.rows??[];if(!n.calls)return l`<p id="none" class="muted">${e("page.usage_view.nothing_was_used_time")}</p>`;let c={agent:a=>a.key.includes(" ")?e("page.usage_view.connection_test"):D(a.key),person:a=>A(a.key),model:a=>a.key||e("page.not_known"),tree:a=>a.task_id?l`<a href=${`/tasks/${a.task_id}`} dir="auto">${a.title}</a>`:a.session_id?l`<a href=${`/sessions#${a.session_id}`}>${G(a)}</a>`:a.key},h=t.days();return l`
    <dl class="tiles">
      <div><dt>${e("page.cost")}</dt><dd>${n.cost?f(n.cost):e("page.none_known")}</dd></div>
      <div><dt>${e("page.model_calls")}</dt><dd>${g(n.calls)}</dd></div>
      <div><dt>${e("page.usage_view.tokens_in")}</dt><dd>${$(n.input_tokens)}</dd></div>
      <div><dt>${e("page.usage_view.of_them_from_cache")}</dt><dd>${n.input_tokens?`${Math.round(100*n.cached_tokens/n.input_tokens)} %`:"–"}</dd></div>
      <div><dt>${e("page.usage_view.tokens_out")}</dt><dd>${$(n.output_tokens)}</dd></div>
    </dl>
    <section id="by-day"><h3>${e("page.usage_view.by_day")} <span class="muted">UTC</span></h3>
      <${E} rows=${h} value=${r} amount=${i} />
      <details><summary>${e("page.usage_view.days_as_table")}</summary><${B} rows=${h.filter(a=>a.calls).toReversed()} head=${e("page.usage_view.day")} name=${a=>l`<time datetime=${a.key}>${p(a.key)}</time>`} value=${r} /></details></section>
    <div class="usage-groups">
      ${[["agent",e("page.usage_view.by_agent"),e("page.agent")],["model",e("page.usage_view.by_model"),e("page.usage_view.model")],["person",e("page.usage_view.by_person"),e("page.usage_view.person")],["tree",e("page.usage_view.by_errand"),e("page.usage_view.errand")]].filter(([a])=>a!=="person"||t.filters.value.person==="*").map(([a,u,k])=>o(a).length>0&&l`<section key=${a} id=${`by-${a}`}><h3>${u}</h3>
          <${B} rows=${a==="tree"?o(a).slice(0,20):o(a)} head=${k} name=${c[a]} value=${r} /></section>`)}
    </div>
    ${T.value.models?.map(({model:a,name:u,price:k})=>l`<p key=${a} class="muted prices">${u||a}: ${k}</p>`)}`}function G({key:t,title:s}){return t.startsWith("title:")?s?e("page.usage_view.the_title_of",{title:s}):e("page.usage_view.title_chat"):s?e("page.usage_view.a_message_in",{title:s}):e("page.usage_view.message_chat")}function B({rows:t,head:s,name:n,value:d}){let r=Math.max(...t.map(d),Number.MIN_VALUE);return l`<div class="rows-scroll"><table class="plain-table usage-table">
    <thead><tr><th>${s}</th><td aria-hidden="true"></td><th class="num">${e("page.cost")}</th><th class="num">${e("page.usage_view.calls")}</th><th class="num">${e("page.tokens_used")}</th></tr></thead>
    <tbody>${t.map(i=>l`<tr key=${i.key}>
      <th scope="row" class="what">${n(i)}</th>
      <td class="bar-cell" aria-hidden="true"><svg viewBox="0 0 100 8" preserveAspectRatio="none"><rect class="bar-fill" width=${Math.max(.5,100*d(i)/r)} height="8" /></svg></td>
      <td class="num">${i.cost?f(i.cost):""}</td><td class="num">${g(i.calls)}</td><td class="num" title=${g(w(i))}>${$(w(i))}</td>
    </tr>`)}</tbody>
  </table></div>`}var J=["day","agent","person","model","tree"],v=class{filters=b({days:"30",person:"",by:"",...Object.fromEntries(new URLSearchParams(location.search))});read=b(null);#e;#t=0;constructor(s){this.#e=s}get measure(){return this.filters.value.by||(this.read.value?.total.cost?"cost":"tokens")}days(){let{from:s,groups:n}=this.read.value,d=new Map(n.find(o=>o.by==="day").rows.map(o=>[o.key,o])),r=[],i=new Date().toISOString().slice(0,10);for(let o=new Date(s);;o.setUTCDate(o.getUTCDate()+1)){let c=o.toISOString().slice(0,10);if(c>i)return r;r.push(d.get(c)??{key:c,calls:0,input_tokens:0,output_tokens:0,cached_tokens:0,cost:0})}}async load(){let s=++this.#t,{days:n,person:d}=this.filters.value;await R();let r=await this.#e(`/api/usage?${new URLSearchParams({days:n,by:J,...d&&{person:d}})}`);s===this.#t&&(this.read.value=r)}filter(s,n){this.filters.value={...this.filters.value,[s]:n};let d=new URLSearchParams(Object.entries(this.filters.value).filter(([,r])=>r));history.replaceState(null,"",`${location.pathname}?${d}`),s!=="by"&&this.load().then(()=>M(e("page.usage.numbers_those_your_choice")),_)}};var q=new v(C);async function H(){try{await L(),await q.load(),N()}catch(t){_(t),t.final||setTimeout(H,2e3)}}H();x(l`
  <${j} />
  <${Z} usage=${q} />
  <${S} />`,document.body);
