import{b as i}from"./chunk-7ANT74VX.js";import"./chunk-4DHKOIDS.js";import"./chunk-56OV5KKZ.js";import{k as e,o as t,p as d}from"./chunk-ZOQTP745.js";function f({agent:m}){let{demo:r,paused:o,models:c=[]}=i.value,n=c.filter(a=>!a.ok&&a.agents?.includes(m));return!r&&!o&&!n.length?null:e`<section aria-label=${t("About this errand")}>
    ${r&&e`<p id="demo" class="banner">${d("The offline demonstration model answers. {command} sets up a real one.",{command:e`<code>errand init</code>`})}</p>`}
    ${o&&e`<p id="paused" class="banner">${d("errand is paused: messages are kept, and answered after {command}.",{command:e`<code>errand resume</code>`})}</p>`}
    ${n.length>0&&e`<div id="dead-model" class="banner trouble">${n.map(({name:a,model:s,says:l})=>e`<div key=${s}>${a||s}: ${l}</div>`)}</div>`}
  </section>`}export{f as Banners};
