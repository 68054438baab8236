import{a as m}from"./chunk-Z47L3J2U.js";import{e as n,h as s,k as u,p as i}from"./chunk-V2GEF5NQ.js";var o=s(null);function g(e,a,t){return new Promise(l=>{o.value={text:e,yes:a,detail:t,answer:r=>{o.value=null,l(r)}}})}function y(){return o.value&&u`<${f} ...${o.value} />`}function f({text:e,yes:a,detail:t,answer:l}){let r=n();return m(r),u`<dialog ref=${r} aria-label=${e} onClose=${p=>l(p.target.returnValue==="yes")}>
    <p class="title">${e}</p>
    ${t&&u`<p class="muted">${t}</p>`}
    <form method="dialog" class="choices">
      <button value="no" autofocus>${i("page.dialog.keep_it")}</button><button value="yes" class="danger">${a}</button>
    </form>
  </dialog>`}export{g as a,y as b};
