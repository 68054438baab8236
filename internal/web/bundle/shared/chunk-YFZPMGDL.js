import{h as o}from"./chunk-ZOQTP745.js";var t=o(Date.now());setInterval(()=>{t.value=Date.now()},1e3);export{t as a};
