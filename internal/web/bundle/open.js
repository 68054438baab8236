import{a as d}from"./shared/chunk-KUPQE3KS.js";import{b as u}from"./shared/chunk-56OV5KKZ.js";import{a as h,h as t,k as o,n as p,o as n,p as s}from"./shared/chunk-ZOQTP745.js";var i=location.hash.slice(1);history.replaceState(null,"","/open");var c=t(n("Opening errand …")),a=t(""),m=t(!1);function l(e){c.value=e,e&&u(e)}async function g(){a.value="";try{let e=await fetch("/login/link",{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify({link:i})});if(e.ok){location.replace("/");return}let r=await e.json().catch(()=>({}));l(n("You are not logged in: {reason}.",{reason:r.error?.message??n("errand answered {status}",{status:e.status})})),m.value=!0}catch{l(n("errand does not answer. Is it running? Reload this page to try again.")),history.replaceState(null,"",`/open#${i}`)}}async function f(){let e=await fetch("/login/state").then(r=>r.json()).catch(()=>({}));if(e.state!=="approved")return g();if(!i)return location.replace("/");a.value=e.name,l("")}function y(){return o`
    <header><h1>errand</h1></header>
    <main class="page login">
      ${c.value&&o`<p id="result" class="banner">${c}</p>`}
      ${a.value&&o`<section id="other" aria-labelledby="other-head">
        <h2 id="other-head">${n("You are logged in")}</h2>
        <p>${s("This browser is {name}. The link may be somebody else’s: you would be the person who made it.",{name:o`<strong id="name">${a}</strong>`})}</p>
        <p class="choices"><a class="button" href="/">${n("Go to the chat")}</a> <button id="use" type="button" onClick=${g}>${n("Log in with the link instead")}</button></p>
      </section>`}
      ${m.value&&o`<section id="worn" aria-label=${n("Another link")}>
        <p>${s("A link works once, and for 15 minutes. Run {command} (or {short}) in the folder of the worker: it prints another.",{command:o`<code>errand open</code>`,short:o`<code>go run ./starter open</code>`})}</p>
        <p class="choices"><a class="button" href="/login.html">${n("Log in another way")}</a></p>
      </section>`}
    </main>
    <${d} />`}h(o`<${y} />`,document.body);p().catch(()=>{});f();
