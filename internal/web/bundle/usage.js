import{a as h,b as u,c as y}from"./shared/chunk-QPIU4YZU.js";import{b as O,d as A,e as L}from"./shared/chunk-R72ZRVW7.js";import{a as R}from"./shared/chunk-YZC3XOHJ.js";import{a as w}from"./shared/chunk-ZSOHIUJY.js";import{a as D,g as B,k as N,l as f}from"./shared/chunk-7ANT74VX.js";import"./shared/chunk-6A7IHR5J.js";import{i as C,k as S}from"./shared/chunk-4DHKOIDS.js";import{a as T}from"./shared/chunk-KUPQE3KS.js";import{b as M}from"./shared/chunk-56OV5KKZ.js";import{a as _,h as b,k as l,m as U,o as t}from"./shared/chunk-ZOQTP745.js";var g=1e3,m=160,$=e=>new Date(`${e}T00:00Z`).toLocaleDateString(U.value,{day:"numeric",month:"short",timeZone:"UTC"});function E({rows:e,value:a,amount:i}){let d=Math.max(...e.map(a),Number.MIN_VALUE),r=g/e.length,o=Math.min(6,r*.2);return l`<figure class="columns" aria-hidden="true">
    <div class="most muted"><span>${i(d)}</span></div>
    <svg viewBox="0 0 ${g} ${m}" preserveAspectRatio="none">
      ${[0,.5].map(n=>l`<line key=${n} class="grid" x1="0" x2=${g} y1=${m*n+.5} y2=${m*n+.5} />`)}
      ${e.map((n,c)=>l`<g key=${n.key}>
        <title>${$(n.key)}: ${i(a(n))}</title>
        <rect class="hit" x=${c*r} y="0" width=${r} height=${m} />
        <rect class="bar-fill" x=${c*r+o/2} y=${m-Math.max(a(n)?2:0,a(n)/d*m)} width=${r-o} height=${Math.max(a(n)?2:0,a(n)/d*m)} />
      </g>`)}
      <line class="base" x1="0" x2=${g} y1=${m-.5} y2=${m-.5} />
    </svg>
    <figcaption class="muted scale-days"><span>${$(e[0].key)}</span>${e.length>2&&l`<span>${$(e[Math.floor(e.length/2)].key)}</span>`}<span>${$(e.at(-1).key)}</span></figcaption>
  </figure>`}var x=e=>e.input_tokens+e.output_tokens,q={cost:e=>e.cost,tokens:x,calls:e=>e.calls},H={cost:y,tokens:u,calls:h},I={cost:()=>t("Cost"),tokens:()=>t("Tokens used"),calls:()=>t("Model calls")};function V({usage:e}){let a=e.read.value,{days:i,person:d}=e.filters.value,r=(o,n,c)=>l`<${R} name=${o} value=${n} options=${c} choose=${p=>e.filter(o,p)} />`;return l`<main class="page dashboard" id="usage">
    <h2>${t("Usage")}</h2>
    <form class="filters" aria-label=${t("What to count")} onSubmit=${o=>o.preventDefault()}>
      <label>${t("Days")} ${r("days",i,["1","7","30","90","365"].map(o=>[o,o==="1"?t("today"):t("the last {n}",{n:o})]))}</label>
      ${["partner","master_admin"].includes(D.value?.role)&&l`<label>${t("Whose")} ${r("person",d,[["",t("mine")],["*",t("everybody’s")],...L()])}</label>`}
      <label>${t("Bars show")} ${r("by",e.measure,Object.keys(I).map(o=>[o,I[o]()]))}</label>
    </form>
    ${a&&l`<${z} usage=${e} read=${a} />`}
  </main>`}function z({usage:e,read:a}){let{total:i}=a,d=e.measure,r=q[d],o=H[d],n=s=>a.groups.find(v=>v.by===s)?.rows??[];if(!i.calls)return l`<p id="none" class="muted">${t("Nothing was used in this time.")}</p>`;let c={agent:s=>S(s.key),person:s=>A(s.key),model:s=>s.key||t("not known"),tree:s=>s.task_id?l`<a href=${`/tasks/${s.task_id}`} dir="auto">${s.title}</a>`:s.session_id?l`<a href=${`/sessions#${s.session_id}`}>${F(s)}</a>`:s.key},p=e.days();return l`
    <dl class="tiles">
      <div><dt>${t("Cost")}</dt><dd>${i.cost?y(i.cost):t("none known")}</dd></div>
      <div><dt>${t("Model calls")}</dt><dd>${h(i.calls)}</dd></div>
      <div><dt>${t("Tokens in")}</dt><dd>${u(i.input_tokens)}</dd></div>
      <div><dt>${t("of them from cache")}</dt><dd>${i.input_tokens?`${Math.round(100*i.cached_tokens/i.input_tokens)} %`:"–"}</dd></div>
      <div><dt>${t("Tokens out")}</dt><dd>${u(i.output_tokens)}</dd></div>
    </dl>
    <section id="by-day"><h3>${t("By day")} <span class="muted">UTC</span></h3>
      <${E} rows=${p} value=${r} amount=${o} />
      <details><summary>${t("The days as a table")}</summary><${P} rows=${p.filter(s=>s.calls).toReversed()} head=${t("Day")} name=${s=>l`<time datetime=${s.key}>${$(s.key)}</time>`} value=${r} /></details></section>
    <div class="usage-groups">
      ${[["agent",t("By agent"),t("Agent")],["model",t("By model"),t("Model")],["person",t("By person"),t("Person")],["tree",t("By errand"),t("Errand")]].filter(([s])=>s!=="person"||e.filters.value.person==="*").map(([s,v,Z])=>n(s).length>0&&l`<section key=${s} id=${`by-${s}`}><h3>${v}</h3>
          <${P} rows=${s==="tree"?n(s).slice(0,20):n(s)} head=${Z} name=${c[s]} value=${r} /></section>`)}
    </div>`}function F({key:e,title:a}){return e.startsWith("title:")?a?t("the title of “{title}”",{title:a}):t("the title of a chat"):a?t("a message in “{title}”",{title:a}):t("a message in a chat")}function P({rows:e,head:a,name:i,value:d}){let r=Math.max(...e.map(d),Number.MIN_VALUE);return l`<div class="rows-scroll"><table class="plain-table usage-table">
    <thead><tr><th>${a}</th><td aria-hidden="true"></td><th class="num">${t("Cost")}</th><th class="num">${t("Calls")}</th><th class="num">${t("Tokens used")}</th></tr></thead>
    <tbody>${e.map(o=>l`<tr key=${o.key}>
      <th scope="row" class="what">${i(o)}</th>
      <td class="bar-cell" aria-hidden="true"><svg viewBox="0 0 100 8" preserveAspectRatio="none"><rect class="bar-fill" width=${Math.max(.5,100*d(o)/r)} height="8" /></svg></td>
      <td class="num">${o.cost?y(o.cost):""}</td><td class="num">${h(o.calls)}</td><td class="num" title=${h(x(o))}>${u(x(o))}</td>
    </tr>`)}</tbody>
  </table></div>`}var G=["day","agent","person","model","tree"],k=class{filters=b({days:"30",person:"",by:"",...Object.fromEntries(new URLSearchParams(location.search))});read=b(null);#t;#e=0;constructor(a){this.#t=a}get measure(){return this.filters.value.by||(this.read.value?.total.cost?"cost":"tokens")}days(){let{from:a,groups:i}=this.read.value,d=new Map(i.find(n=>n.by==="day").rows.map(n=>[n.key,n])),r=[],o=new Date().toISOString().slice(0,10);for(let n=new Date(a);;n.setUTCDate(n.getUTCDate()+1)){let c=n.toISOString().slice(0,10);if(c>o)return r;r.push(d.get(c)??{key:c,calls:0,input_tokens:0,output_tokens:0,cached_tokens:0,cost:0})}}async load(){let a=++this.#e,{days:i,person:d}=this.filters.value;await O();let r=await this.#t(`/api/usage?${new URLSearchParams({days:i,by:G,...d&&{person:d}})}`);a===this.#e&&(this.read.value=r)}filter(a,i){this.filters.value={...this.filters.value,[a]:i};let d=new URLSearchParams(Object.entries(this.filters.value).filter(([,r])=>r));history.replaceState(null,"",`${location.pathname}?${d}`),a!=="by"&&this.load().then(()=>M(t("The numbers are those of your choice now.")),f)}};var j=new k(C);async function W(){try{await B(),await j.load(),N()}catch(e){f(e),e.final||setTimeout(W,2e3)}}W();_(l`
  <${w} />
  <${V} usage=${j} />
  <${T} />`,document.body);
