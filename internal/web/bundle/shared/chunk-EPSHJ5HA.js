import{h as o}from"./chunk-RLV57SEU.js";var t=o(Date.now());setInterval(()=>{t.value=Date.now()},1e3);export{t as a};
