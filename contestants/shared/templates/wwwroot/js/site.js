// What the Tidemark pages do beyond what tide does: mark where one is, and open the question that a link points to.
(function (document, location) {
    "use strict";

    // here marks the entry of the menu that leads to this page.
    function here() {
        var links = document.querySelectorAll(".menu a");
        for (var i = 0; i < links.length; i++) {
            if (links[i].getAttribute("href") === location.pathname) {
                links[i].parentNode.classList.add("here");
                links[i].setAttribute("aria-current", "page");
            }
        }
    }

    // jump brings the part of the page into view that the address names, below the bar.
    function jump() {
        var target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
        if (target) {
            target.scrollIntoView({ block: "start" });
        }
    }

    document.addEventListener("DOMContentLoaded", function () {
        here();
        jump();
        window.addEventListener("hashchange", jump);
    });
})(document, location);
