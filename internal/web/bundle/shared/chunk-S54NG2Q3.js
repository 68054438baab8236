import{h as o}from"./chunk-IDBT5V6X.js";var t=o(Date.now());setInterval(()=>{t.value=Date.now()},1e3);export{t as a};
