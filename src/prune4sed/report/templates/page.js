"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const tools = document.querySelector(".tools");
  const lists = [...document.querySelectorAll("ol.hits")].map((list) => ({
    list,
    none: list.parentElement.querySelector(".none"),
    cards: [...list.children].map((card) => ({ card, text: card.textContent.toLowerCase() })),
  }));
  const total = lists.reduce((sum, { cards }) => sum + cards.length, 0);
  const names = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  // What has no value comes last, whichever way the others go; ties stay in the order of rank.
  const compare = (key, turned) => (a, b) => {
    const [x, y] = [a.card.dataset[key], b.card.dataset[key]];
    if ((x === "") !== (y === "")) return x === "" ? 1 : -1;
    const order = key === "id" ? names.compare(x, y) : Number(x) - Number(y);
    return (turned ? -order : order) || a.card.dataset.rank - b.card.dataset.rank;
  };

  const sort = () => {
    const order = compare(at("sort").value, at("turn").getAttribute("aria-pressed") === "true");
    for (const { list, cards } of lists) list.append(...cards.sort(order).map(({ card }) => card));
  };

  const filter = () => {
    const words = at("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const most = at("most").value === "" ? Infinity : Number(at("most").value);
    const proven = at("proven").checked;
    let shown = 0;
    for (const { none, cards } of lists) {
      let here = 0;
      for (const { card, text } of cards) {
        const near = card.dataset.distance === "" ? most === Infinity : Number(card.dataset.distance) <= most;
        const sure = !proven || card.classList.contains("proven");
        card.hidden = !(near && sure && words.every((word) => text.includes(word)));
        here += !card.hidden;
      }
      none.hidden = here > 0 || cards.length === 0;
      shown += here;
    }
    at("count").textContent = shown === total ? `${total} hits` : `${shown} of ${total} hits`;
  };

  // A node that is sure to stay is large, one that is sure to go is a dot.
  const size = (percent) => 2.5 + (9.5 * percent) / 100;
  const rest = new Map([...document.querySelectorAll("circle.keep")].map((c) => [c, c.getAttribute("r")]));
  const show = (head) => {
    for (const [circle, radius] of rest) {
      const percent = circle.dataset.keep.split(" ")[head];
      circle.setAttribute("r", percent === undefined ? radius : size(Number(percent)));
    }
    document.body.classList.toggle("pruned", head >= 0);
  };

  at("sort").addEventListener("change", sort);
  at("turn").addEventListener("click", () => {
    at("turn").setAttribute("aria-pressed", String(at("turn").getAttribute("aria-pressed") !== "true"));
    sort();
  });
  for (const id of ["find", "most", "proven"]) at(id).addEventListener("input", filter);
  for (const head of document.getElementsByName("head")) {
    head.addEventListener("change", () => show(Number(head.value)));
  }
  tools.addEventListener("submit", (event) => event.preventDefault());
  tools.hidden = false;
  // A browser may have kept what was typed before a reload.
  sort();
  filter();
  const kept = document.querySelector("input[name=head]:checked");
  if (kept) show(Number(kept.value));
})();
