import{a as p}from"./shared/chunk-6X5TK3MG.js";import{a as $}from"./shared/chunk-FAKMFOH4.js";import{g as _,i as d}from"./shared/chunk-ZSYFMEBJ.js";import{a as h}from"./shared/chunk-B7IOUNRY.js";import{b as g}from"./shared/chunk-BGZJLJBS.js";import{a as u,b as m,h as c,k as e,p as a,q as i}from"./shared/chunk-V2GEF5NQ.js";function f({entrance:o}){return e`<section id="in" aria-labelledby="in-head">
    <h2 id="in-head">${a("page.you_are_logged_in")}</h2>
    <p>${i("page.entrance.this_browser_is",{name:e`<strong id="name">${o.name}</strong>`})}</p>
    <p class="choices"><a class="button" href="/">${a("page.go_to_the_chat")}</a> <${p} label=${a("page.log_out")} name="" run=${()=>o.leave()} /></p>
  </section>`}function k({entrance:o}){let t=o.asked.value;return e`<section id="pending" aria-labelledby="pending-head">
    <h2 id="pending-head">${a("page.entrance.waiting_for_approval")}</h2>
    ${t&&e`<p id="code-line">${i("page.entrance.your_code_is",{code:e`<strong id="code" class="code">${t.code}</strong>`})}</p>`}
    <p>${i("page.entrance.give_admin_errand_they",{page:e`<em>${a("page.people")}</em>`,command:e`<code>errand users approve CODE</code>`,chat:e`<code>/approve CODE</code>`})}</p>
    <p id="until" class="muted">${t&&a("page.entrance.code_valid_until",{time:_(t.expires)})}</p>
    <p><${p} label=${a("page.entrance.cancel_request")} name="forget" run=${()=>o.leave()} /></p>
  </section>`}function y(){return e`<p id="plain" class="banner">${i("page.entrance.connection_not_encrypted_others",{scheme:e`<code>https</code>`})}</p>`}function b(){return e`<section id="owner" aria-labelledby="owner-head">
    <h2 id="owner-head">${a("page.entrance.is_this_errand_yours")}</h2>
    <p>${i("page.entrance.run_or_folder_worker",{command:e`<code>errand open</code>`,short:e`<code>go run ./starter open</code>`})}</p>
  </section>`}function w(o){let[t,n]=m(!1);return{busy:t,submit:async r=>{r.preventDefault();let I=Object.fromEntries(new FormData(r.target));n(!0),await o(I),n(!1)}}}function v({entrance:o}){let{busy:t,submit:n}=w(({name:r})=>o.ask(r.trim()));return e`<form id="ask" onSubmit=${n}>
    <h2>${a("page.entrance.or_request_access")}</h2>
    <label for="ask-name">${a("page.entrance.your_name")}</label>
    <input id="ask-name" name="name" autocomplete="name" maxlength="80" required />
    <button type="submit" disabled=${t}>${a("page.entrance.request")}</button>
  </form>`}function S({entrance:o}){let{submit:t}=w(({token:n})=>o.token(n));return e`<form id="with-token" method="post" action="/login" onSubmit=${t}>
    <h2>${a("page.entrance.or_sign_token")}</h2>
    <label for="token">${i("page.entrance.token_yours_key_or",{file:e`<code>data/owner.key</code>`,variable:e`<code>ERRAND_TOKEN</code>`})}</label>
    <input id="token" name="token" type="password" autocomplete="current-password" required />
    <button type="submit">${a("page.entrance.log_in")}</button>
  </form>`}var O={denied:()=>a("page.entrance.your_request_was_denied"),expired:()=>a("page.entrance.nobody_answered_time_or")},x=()=>a("page.entrance.token_not_valid_wrong"),l=class{state=c("");name=c("");asked=c(JSON.parse(localStorage.getItem("asked")??"null"));result=c("");#e=0;constructor(){location.search==="?wrong"&&(this.tell(x()),history.replaceState(null,"","/login.html"))}tell(t){this.result.value=t,t&&g(t)}async look(){clearTimeout(this.#e);let t=2e3;try{let{state:n,name:r}=await d("/login/state");if(this.state.value==="pending"&&n==="approved"){localStorage.removeItem("asked"),location.assign("/");return}if(n!==this.state.value&&O[n]&&this.tell(O[n]()),this.name.value=r,this.state.value=n,n!=="pending")return}catch{t=5e3}this.#e=setTimeout(()=>this.look(),t)}async ask(t){this.tell("");try{this.asked.value=await d("/login/ask",{name:t}),localStorage.setItem("asked",JSON.stringify(this.asked.value)),this.state.value="",await this.look()}catch(n){this.tell(n.message)}}async leave(){await $(),localStorage.removeItem("asked"),this.asked.value=null,this.state.value="",await this.look()}async token(t){this.tell("");try{let n=await fetch("/login",{method:"POST",body:new URLSearchParams({token:t})});if(n.ok){location.assign("/");return}let r=await n.json().catch(()=>({}));this.tell(n.status===401?x():r.error?.message??a("page.errand_answered",{status:n.status}))}catch{this.tell(a("page.entrance.errand_does_not_answer"))}}};var s=new l;function T(){let o=s.state.value,t=o!=="approved"&&o!=="pending";return e`
    <header><h1>errand</h1></header>
    <main class="page login">
      ${o==="approved"&&e`<${f} entrance=${s} />`}
      ${o==="pending"&&e`<${k} entrance=${s} />`}
      ${s.result.value&&e`<p id="result" class="banner">${s.result}</p>`}
      ${!isSecureContext&&e`<${y} />`}
      ${t&&e`<${b} /><${v} entrance=${s} /><${S} entrance=${s} />`}
    </main>
    <${h} />`}u(e`<${T} />`,document.body);s.look();
