/** The look of the page. Colours differ in lightness from what they stand on by 4.5:1 or more, light and dark. */
export const HTML_STYLE = `
:root { color-scheme: light dark; --back: #ffffff; --panel: #f4f5f7; --text: #1b1f24; --faint: #57606a; --line: #d0d7de;
  --bad: #b3261e; --bad-back: #fdecea; --good: #1a6b34; --note: #0550ae; --bar: #57606a; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14171c; --panel: #1f242b; --text: #e6e9ed; --faint: #a3acb7; --line: #3a424d;
    --bad: #ff9c94; --bad-back: #3b1c1a; --good: #7ee2a0; --note: #8cc2ff; --bar: #a3acb7; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 80rem; padding: 1rem 1.5rem 4rem; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0.5rem 0; }
h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; }
code { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere; }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
:focus-visible { outline: 3px solid var(--note); outline-offset: 2px; }
.hidden-text { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.verdict { font-weight: 600; padding: 0.5rem 0.8rem; border-left: 0.3rem solid var(--good); background: var(--panel); }
.verdict.bad { border-color: var(--bad); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--faint); padding: 0.3rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.6rem; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--faint); font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.metric code { white-space: nowrap; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1.5rem; }
.charts th, .charts td { padding: 0.1rem 0.4rem; border: 0; white-space: nowrap; }
.charts .track { width: 70%; }
.charts svg { display: block; width: 100%; height: 1.1rem; fill: var(--bar); }
.faint { color: var(--faint); }
.outcome { white-space: nowrap; font-weight: 600; }
.outcome.failed, .outcome.error { color: var(--bad); }
.outcome.passed { color: var(--good); }
form { display: flex; flex-wrap: wrap; gap: 0.8rem 1.2rem; align-items: end; padding: 0.8rem; background: var(--panel); }
form label { display: grid; gap: 0.2rem; font-size: 0.9rem; }
input, select, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--faint); border-radius: 0.3rem;
  padding: 0.3rem 0.5rem; }
form [role="status"] { margin: 0 0 0.3rem; }
[hidden] { display: none !important; }
summary { cursor: pointer; color: var(--note); }
details table { margin: 0.4rem 0; background: var(--panel); }
details th, details td { padding: 0.15rem 0.6rem; }
tr.differs { background: var(--bad-back); }
tr.differs .mark { color: var(--bad); font-weight: 600; }
tbody.group > tr > :first-child { border-left: 0.25rem solid var(--note); }
tbody.group > tr:first-child > th { color: var(--note); font-size: 0.9rem; }
@media print { form, .skip { display: none; } }
`;
