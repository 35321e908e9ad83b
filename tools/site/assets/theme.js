// Before the page is drawn: the colours that the reader chose last, else those of the system.
(function () {
  "use strict";
  try {
    var chosen = localStorage.getItem("systolic-theme");
    if (chosen) document.documentElement.dataset.theme = chosen;
  } catch (error) { /* a browser that keeps nothing */ }
  document.documentElement.classList.add("scripted");
})();
