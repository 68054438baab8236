import{a as m}from"./chunk-NHA3WXGI.js";import{e as a,h as s,k as u,o as i}from"./chunk-ZOQTP745.js";var o=s(null);function $(e,l,t){return new Promise(n=>{o.value={text:e,yes:l,detail:t,answer:r=>{o.value=null,n(r)}}})}function y(){return o.value&&u`<${p} ...${o.value} />`}function p({text:e,yes:l,detail:t,answer:n}){let r=a();return m(r),u`<dialog ref=${r} aria-label=${e} onClose=${f=>n(f.target.returnValue==="yes")}>
    <p class="title">${e}</p>
    ${t&&u`<p class="muted">${t}</p>`}
    <form method="dialog" class="choices">
      <button value="no" autofocus>${i("Keep it")}</button><button value="yes" class="danger">${l}</button>
    </form>
  </dialog>`}export{$ as a,y as b};
