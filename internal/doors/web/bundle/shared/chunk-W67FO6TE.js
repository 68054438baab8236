import{h as o}from"./chunk-V2GEF5NQ.js";var t=o(Date.now());setInterval(()=>{t.value=Date.now()},1e3);export{t as a};
