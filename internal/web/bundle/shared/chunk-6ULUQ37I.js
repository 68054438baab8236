import{h as o}from"./chunk-P4LB7CD7.js";var t=o(Date.now());setInterval(()=>{t.value=Date.now()},1e3);export{t as a};
