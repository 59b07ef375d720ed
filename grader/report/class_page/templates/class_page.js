"use strict";
// Sorts, filters and searches the table. Only the first rows are in the page at a time: a browser
// takes a second to lay out thousands. More come with scrolling, all with a button and in print.
document.documentElement.classList.add("loading");
document.addEventListener("DOMContentLoaded", () => {
  try {
    enhance();
  } finally {
    document.documentElement.classList.remove("loading");
  }
});

function enhance() {
  const table = document.getElementById("class");
  if (!table) return;  // nothing was handed in
  const AT_ONCE = 50;
  const field = name => document.getElementById(name);
  const [board, tools, shown, more, all] = ["board", "tools", "shown", "more", "all"].map(field);
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const collator = new Intl.Collator("en", {numeric: true, sensitivity: "base"});
  const folded = text => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const value = name => field(name)?.value ?? "";
  const number = many => many.toLocaleString("en");
  const words = (row, place) => [...row.cells[place].children].map(one => one.textContent);
  const last = heads.length - 1;
  const rows = [...body.rows].map(row => ({
    row,
    text: folded(`${row.textContent} ${row.dataset.also ?? ""}`),
    status: row.dataset.status,
    mistakes: words(row, last - 1),
    flags: words(row, last),
    keys: [],
  }));
  let found = rows;
  let limit = AT_ONCE;
  let order = "";

  function key(one, place, kind) {
    if (!(place in one.keys)) {
      const text = one.row.cells[place].textContent.trim();
      one.keys[place] = kind === "number" ? parseFloat(text) : text;
    }
    return one.keys[place];
  }
  const empty = key => key === "" || Number.isNaN(key);

  function sort(place) {
    const head = heads[place];
    const kind = head.dataset.sort;
    const first = kind === "number" ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const way = head.getAttribute("aria-sort") === first ? other : first;
    const sign = way === "ascending" ? 1 : -1;
    rows.sort((a, b) => {
      const [x, y] = [key(a, place, kind), key(b, place, kind)];
      if (empty(x) || empty(y)) return empty(x) - empty(y);  // always at the end
      return sign * (kind === "number" ? x - y : collator.compare(x, y));
    });
    for (const one of heads) one.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", way);
    order = `, sorted by ${head.textContent}, ${way}`;
    filter();
  }

  function filter() {
    const wanted = folded(value("search")).split(/\s+/).filter(Boolean);
    const [status, mistake, flag] = ["status", "mistake", "flag"].map(value);
    found = rows.filter(one =>
      wanted.every(word => one.text.includes(word))
      && (!status || one.status === status)
      && (!mistake || one.mistakes.includes(mistake))
      && (!flag || one.flags.includes(flag)));
    const of = found.length === rows.length ? "" : `${number(found.length)} of `;
    const many = `${number(rows.length)} submission${rows.length === 1 ? "" : "s"}`;
    shown.textContent = of + many + order;
    board.scrollTop = 0;
    limit = AT_ONCE;
    show();
  }

  function show() {
    body.replaceChildren(...found.slice(0, limit).map(one => one.row));
    more.hidden = found.length <= limit;
    all.textContent = `Show all ${number(found.length)}`;
  }

  function showUpTo(count) {
    const next = found.slice(limit, count);
    limit = Math.max(limit, count);
    body.append(...next.map(one => one.row));
    more.hidden = found.length <= limit;
  }

  for (const [place, head] of heads.entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(place));
    head.append(button);
  }
  for (const name of ["search", "status", "mistake", "flag"]) {
    field(name)?.addEventListener("input", filter);
  }
  tools.addEventListener("submit", event => event.preventDefault());
  tools.addEventListener("reset", () => setTimeout(filter));
  for (const fold of document.querySelectorAll("[data-mistake]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "screen";
    button.textContent = "Only these in the table";
    button.addEventListener("click", () => {
      tools.reset();
      field("mistake").value = fold.dataset.mistake;
      filter();
      tools.scrollIntoView();
      field("mistake").focus({preventScroll: true});
    });
    fold.append(button);
  }
  all.addEventListener("click", () => {
    board.focus();
    showUpTo(found.length);
  });
  new IntersectionObserver(
    seen => seen.some(one => one.isIntersecting) && showUpTo(limit + AT_ONCE),
    {root: board, rootMargin: "600px"},
  ).observe(more);
  addEventListener("beforeprint", () => showUpTo(found.length));
  tools.hidden = false;
  filter();  // a browser may have kept what stood in the fields
}
