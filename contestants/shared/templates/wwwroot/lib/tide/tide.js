// tide 1.0: a bar with a menu that folds on narrow screens, and tables that sort.
(function (window, document) {
    "use strict";

    // each calls what with every element that selector finds below root.
    function each(root, selector, what) {
        var found = root.querySelectorAll(selector);
        for (var i = 0; i < found.length; i++) {
            what(found[i], i);
        }
    }

    // toggle folds and unfolds the element that a button names.
    function toggle(button) {
        var target = document.getElementById(button.getAttribute("data-toggle"));
        if (!target) {
            return;
        }
        button.addEventListener("click", function () {
            var open = target.classList.toggle("open");
            button.setAttribute("aria-expanded", open ? "true" : "false");
        });
        document.addEventListener("keydown", function (event) {
            if (event.key === "Escape" && target.classList.contains("open")) {
                target.classList.remove("open");
                button.setAttribute("aria-expanded", "false");
                button.focus();
            }
        });
    }

    // value is what a cell is sorted by: the number that it begins with, or its text.
    function value(cell) {
        var text = cell.textContent.trim();
        var number = parseFloat(text.replace(",", "."));
        return isNaN(number) ? text.toLowerCase() : number;
    }

    // compare orders numbers before texts.
    function compare(a, b) {
        if (typeof a !== typeof b) {
            return typeof a === "number" ? -1 : 1;
        }
        return a < b ? -1 : a > b ? 1 : 0;
    }

    // sortable lets a table be sorted by the column whose head is clicked; a second click turns the order around.
    function sortable(table) {
        var body = table.tBodies[0];
        each(table, "thead th", function (head, column) {
            head.tabIndex = 0;
            function sort() {
                var up = head.getAttribute("aria-sort") !== "ascending";
                var rows = Array.prototype.slice.call(body.rows);
                rows.sort(function (a, b) {
                    var order = compare(value(a.cells[column]), value(b.cells[column]));
                    return up ? order : -order;
                });
                rows.forEach(function (row) {
                    body.appendChild(row);
                });
                each(table, "thead th", function (other) {
                    other.removeAttribute("aria-sort");
                });
                head.setAttribute("aria-sort", up ? "ascending" : "descending");
            }
            head.addEventListener("click", sort);
            head.addEventListener("keydown", function (event) {
                if (event.key === "Enter" || event.key === " ") {
                    event.preventDefault();
                    sort();
                }
            });
        });
    }

    // start makes everything below root work.
    function start(root) {
        each(root, "[data-toggle]", toggle);
        each(root, "table[data-sort]", sortable);
    }

    window.tide = { start: start, version: "1.0" };
    document.addEventListener("DOMContentLoaded", function () {
        start(document);
    });
})(window, document);
