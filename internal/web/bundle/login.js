import{a as h}from"./shared/chunk-UC5YX7VT.js";import{a as k}from"./shared/chunk-6A7IHR5J.js";import{g as $,i as d}from"./shared/chunk-4DHKOIDS.js";import{a as g}from"./shared/chunk-KUPQE3KS.js";import{b as p}from"./shared/chunk-56OV5KKZ.js";import{a as u,b as m,h as l,k as e,n as f,o as n,p as i}from"./shared/chunk-ZOQTP745.js";function w({entrance:a}){return e`<section id="in" aria-labelledby="in-head">
    <h2 id="in-head">${n("You are logged in")}</h2>
    <p>${i("This browser is {name}.",{name:e`<strong id="name">${a.name}</strong>`})}</p>
    <p class="choices"><a class="button" href="/">${n("Go to the chat")}</a> <${h} label=${n("Log out")} name="" run=${()=>a.leave()} /></p>
  </section>`}function b({entrance:a}){let t=a.asked.value;return e`<section id="pending" aria-labelledby="pending-head">
    <h2 id="pending-head">${n("Waiting for approval")}</h2>
    ${t&&e`<p id="code-line">${i("Your code is {code}",{code:e`<strong id="code" class="code">${t.code}</strong>`})}</p>`}
    <p>${i("Give it to an admin of this errand. They approve it on the page {page}, with {command}, or by writing {chat} in their chat. This page goes on to the chat by itself.",{page:e`<em>${n("People")}</em>`,command:e`<code>errand users approve CODE</code>`,chat:e`<code>/approve CODE</code>`})}</p>
    <p id="until" class="muted">${t&&n("The code is valid until {time}.",{time:$(t.expires)})}</p>
    <p><${h} label=${n("Cancel request")} name="forget" run=${()=>a.leave()} /></p>
  </section>`}function y(){return e`<p id="plain" class="banner">${i("This connection is not encrypted: others on the network can read your token and your chats. Use an address that begins with {scheme}, through a reverse proxy, or an SSH tunnel to the machine where errand runs.",{scheme:e`<code>https</code>`})}</p>`}function v(){return e`<section id="owner" aria-labelledby="owner-head">
    <h2 id="owner-head">${n("Is this errand yours?")}</h2>
    <p>${i("Run {command} (or {short}) in the folder of the worker, and open the link that it prints. The worker prints one too when it starts.",{command:e`<code>errand open</code>`,short:e`<code>go run ./starter open</code>`})}</p>
  </section>`}function S(a){let[t,o]=m(!1);return{busy:t,submit:async r=>{r.preventDefault();let q=Object.fromEntries(new FormData(r.target));o(!0),await a(q),o(!1)}}}function T({entrance:a}){let{busy:t,submit:o}=S(({name:r})=>a.ask(r.trim()));return e`<form id="ask" onSubmit=${o}>
    <h2>${n("Or request access")}</h2>
    <label for="ask-name">${n("Your name")}</label>
    <input id="ask-name" name="name" autocomplete="name" maxlength="80" required />
    <button type="submit" disabled=${t}>${n("Request")}</button>
  </form>`}function O({entrance:a}){let{submit:t}=S(({token:o})=>a.token(o));return e`<form id="with-token" method="post" action="/login" onSubmit=${t}>
    <h2>${n("Or sign in with a token")}</h2>
    <label for="token">${i("A token of yours, the key in {file}, or what {variable} is set to",{file:e`<code>data/owner.key</code>`,variable:e`<code>ERRAND_TOKEN</code>`})}</label>
    <input id="token" name="token" type="password" autocomplete="current-password" required />
    <button type="submit">${n("Log in")}</button>
  </form>`}var x={denied:()=>n("Your request was denied. You can request access again later, or sign in with a token."),expired:()=>n("Nobody answered in time, or the login has ended. You can request access again.")},I=()=>n("That token is not valid: it is wrong, has expired, or was revoked."),c=class{state=l("");name=l("");asked=l(JSON.parse(localStorage.getItem("asked")??"null"));result=l("");#e=0;constructor(){location.search==="?wrong"&&(this.tell(I()),history.replaceState(null,"","/login.html"))}tell(t){this.result.value=t,t&&p(t)}async look(){clearTimeout(this.#e);let t=2e3;try{let{state:o,name:r}=await d("/login/state");if(this.state.value==="pending"&&o==="approved"){localStorage.removeItem("asked"),location.assign("/");return}if(o!==this.state.value&&x[o]&&this.tell(x[o]()),this.name.value=r,this.state.value=o,o!=="pending")return}catch{t=5e3}this.#e=setTimeout(()=>this.look(),t)}async ask(t){this.tell("");try{this.asked.value=await d("/login/ask",{name:t}),localStorage.setItem("asked",JSON.stringify(this.asked.value)),this.state.value="",await this.look()}catch(o){this.tell(o.message)}}async leave(){await k(),localStorage.removeItem("asked"),this.asked.value=null,this.state.value="",await this.look()}async token(t){this.tell("");try{let o=await fetch("/login",{method:"POST",body:new URLSearchParams({token:t})});if(o.ok){location.assign("/");return}let r=await o.json().catch(()=>({}));this.tell(o.status===401?I():r.error?.message??n("errand answered {status}",{status:o.status}))}catch{this.tell(n("errand does not answer. Is it running?"))}}};var s=new c;function L(){let a=s.state.value,t=a!=="approved"&&a!=="pending";return e`
    <header><h1>errand</h1></header>
    <main class="page login">
      ${a==="approved"&&e`<${w} entrance=${s} />`}
      ${a==="pending"&&e`<${b} entrance=${s} />`}
      ${s.result.value&&e`<p id="result" class="banner">${s.result}</p>`}
      ${!isSecureContext&&e`<${y} />`}
      ${t&&e`<${v} /><${T} entrance=${s} /><${O} entrance=${s} />`}
    </main>
    <${g} />`}u(e`<${L} />`,document.body);f().catch(()=>{});s.look();
