import{b as r}from"./chunk-BGZJLJBS.js";import{b as t,k as c}from"./chunk-V2GEF5NQ.js";function d({label:o,run:l,end:i,name:u="small",describe:m}){let[s,a]=t(!1),[p,n]=t("");return c`<span class=${i?"act end":"act"}>
    <button class=${u} type="button" aria-disabled=${s?"true":void 0} aria-label=${m} onClick=${async()=>{if(!s){a(!0),n("");try{await l()}catch(e){n(e.message),r(e.message)}a(!1)}}}>${o}</button>
    <span class="said">${p}</span>
  </span>`}export{d as a};
