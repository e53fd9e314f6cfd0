// SPDX-License-Identifier: Apache-2.0
// A heading sorts its table: numbers by value, texts by name, empty cells last; again, the other way round.
"use strict";
function sortBy(heading) {
  const table = heading.closest("table"), column = heading.cellIndex;
  const down = heading.getAttribute("aria-sort") === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = row => {
    const cell = row.cells[column];
    return cell.dataset.sort === undefined ? cell.textContent : Number(cell.dataset.sort);
  };
  const compare = (a, b) => {
    const x = key(a), y = key(b);
    if (x === "" || y === "") return (x === "") - (y === "");
    const order = typeof x === "number" && typeof y === "number" ? x - y
      : String(x).localeCompare(String(y), "en", {numeric: true});
    return down ? -order : order;
  };
  table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
}
for (const heading of document.querySelectorAll("thead th")) {
  heading.addEventListener("click", () => sortBy(heading));
  heading.addEventListener("keydown", event => { if (event.key === "Enter") sortBy(heading); });
}
