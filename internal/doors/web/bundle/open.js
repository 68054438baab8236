import{a as u}from"./shared/chunk-B7IOUNRY.js";import{b as h}from"./shared/chunk-BGZJLJBS.js";import{a as p,h as a,k as o,p as n,q as s}from"./shared/chunk-V2GEF5NQ.js";var i=location.hash.slice(1);history.replaceState(null,"","/open");var l=a(n("page.open.opening_errand")),t=a(""),d=a(!1);function c(e){l.value=e,e&&h(e)}async function g(){t.value="";try{let e=await fetch("/login/link",{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify({link:i})});if(e.ok){location.replace("/");return}let r=await e.json().catch(()=>({}));c(n("page.open.you_not_logged",{reason:r.error?.message??n("page.errand_answered",{status:e.status})})),d.value=!0}catch{c(n("page.open.errand_does_not_answer")),history.replaceState(null,"",`/open#${i}`)}}async function _(){let e=await fetch("/login/state").then(r=>r.json()).catch(()=>({}));if(e.state!=="approved")return g();if(!i)return location.replace("/");t.value=e.name,c("")}function m(){return o`
    <header><h1>errand</h1></header>
    <main class="page login">
      ${l.value&&o`<p id="result" class="banner">${l}</p>`}
      ${t.value&&o`<section id="other" aria-labelledby="other-head">
        <h2 id="other-head">${n("page.you_are_logged_in")}</h2>
        <p>${s("page.open.browser_link_may_somebody",{name:o`<strong id="name">${t}</strong>`})}</p>
        <p class="choices"><a class="button" href="/">${n("page.go_to_the_chat")}</a> <button id="use" type="button" onClick=${g}>${n("page.open.log_link_instead")}</button></p>
      </section>`}
      ${d.value&&o`<section id="worn" aria-label=${n("page.open.another_link")}>
        <p>${s("page.open.link_works_once",{command:o`<code>errand open</code>`,short:o`<code>go run ./starter open</code>`})}</p>
        <p class="choices"><a class="button" href="/login.html">${n("page.open.log_in_another_way")}</a></p>
      </section>`}
    </main>
    <${u} />`}p(o`<${m} />`,document.body);_();
