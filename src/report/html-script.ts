/** The page's only script: the filter. Without it the page shows everything. */
export const HTML_SCRIPT = `
(() => {
  const form = document.getElementById("filter");
  const status = document.getElementById("shown");
  const rows = [...document.querySelectorAll("tr[data-outcome]")];
  const texts = new Map();
  const textOf = (row) => {
    let text = texts.get(row);
    if (text === undefined) texts.set(row, (text = row.textContent.toLowerCase()));
    return text;
  };
  const apply = () => {
    const data = new FormData(form);
    const words = String(data.get("text")).toLowerCase().split(/\\s+/).filter((word) => word !== "");
    const metric = data.get("metric");
    const outcome = data.get("outcome");
    let shown = 0;
    for (const row of rows) {
      const fits =
        (metric === "" || row.dataset.metric === metric) &&
        (outcome === "" || row.dataset.outcome === outcome || (outcome === "imperfect" && row.dataset.perfect === "no")) &&
        words.every((word) => textOf(row).includes(word));
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    status.textContent = shown + " of " + rows.length + " results shown";
  };
  form.addEventListener("input", apply);
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
})();
`;
