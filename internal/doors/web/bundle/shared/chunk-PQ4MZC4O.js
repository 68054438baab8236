import{j as o}from"./chunk-YQON7QPC.js";var t=o(Date.now());setInterval(()=>{t.value=Date.now()},1e3);export{t as a};
