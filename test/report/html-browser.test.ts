import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderHtml } from "../../src/report/html.ts";
import { EVERY_OUTCOME } from "./entries.ts";

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executable = [process.env["CHROME_PATH"] ?? "", ...BROWSERS].find((path) => path !== "" && existsSync(path));
const folder = new URL("../../.tmp/reports/", import.meta.url);
const file = new URL("page.html", folder);

describe.skipIf(executable === undefined)("the page in a browser (skipped where there is none)", () => {
  let browser: Browser;
  const requests: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, renderHtml(EVERY_OUTCOME));
    browser = await chromium.launch({ executablePath: executable ?? "", args: ["--no-sandbox"] });
  }, 60_000);
  afterAll(() => browser?.close());

  const open = async (options: { colorScheme?: "light" | "dark"; javaScriptEnabled?: boolean } = {}): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 1_100, height: 900 }, ...options });
    page.on("request", (request) => requests.push(request.url()));
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(pathToFileURL(fileURLToPath(file)).href);
    return page;
  };
  const shown = (page: Page): Promise<number> => page.locator("tr[data-outcome]:visible").count();

  test("loads itself and nothing else, without a complaint", async () => {
    requests.length = 0;
    complaints.length = 0;
    const page = await open();
    expect(await page.locator("#shown").textContent()).toBe("5 of 5 results shown");
    await page.close();
    expect(requests).toEqual([pathToFileURL(fileURLToPath(file)).href]);
    expect(complaints).toEqual([]);
  });

  test.each(["light", "dark"] as const)("has no accessibility violation in the %s scheme", async (colorScheme) => {
    const page = await open({ colorScheme });
    for (const summary of await page.locator("summary").all()) await summary.click();
    const found = await page.evaluate(`${axe.source}; axe.run().then((run) => ({
      violations: run.violations.map((item) => [item.id, item.nodes.map((node) => node.html)]),
      passes: run.passes.map((item) => item.id),
    }))`);
    await page.screenshot({ path: fileURLToPath(new URL(`page-${colorScheme}.png`, folder)), fullPage: true });
    await page.close();
    const { violations, passes } = found as { violations: unknown[]; passes: string[] };
    expect(violations).toEqual([]);
    expect(passes).toEqual(expect.arrayContaining(["color-contrast", "label", "select-name", "html-has-lang"]));
  });

  test("the schemes look different", async () => {
    const colors = await Promise.all(
      (["light", "dark"] as const).map(async (colorScheme) => {
        const page = await open({ colorScheme });
        const color = await page.evaluate("getComputedStyle(document.body).backgroundColor");
        await page.close();
        return color;
      }),
    );
    expect(colors).toEqual(["rgb(255, 255, 255)", "rgb(20, 23, 28)"]);
  });

  test("filters by text, metric and outcome, and says how many are left", async () => {
    const page = await open();
    await page.getByLabel("Text in unit").fill("HALF boom");
    expect([await shown(page), await page.locator("#shown").textContent()]).toEqual([1, "1 of 5 results shown"]);
    // A name that stands in the alignment alone.
    await page.getByLabel("Text in unit").fill("fetch_b");
    expect(await shown(page)).toBe(2);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.waitForFunction("document.getElementById('shown').textContent === '5 of 5 results shown'");
    await page.getByRole("combobox", { name: "Metric" }).selectOption("brief");
    expect(await shown(page)).toBe(1);
    await page.getByRole("combobox", { name: "Metric" }).selectOption("");
    await page.getByRole("combobox", { name: "Outcome" }).selectOption("imperfect");
    expect(await shown(page)).toBe(4);
    await page.getByRole("combobox", { name: "Outcome" }).selectOption("not_evaluated");
    expect(await shown(page)).toBe(1);
    await page.close();
  });

  test("can be used with the keyboard alone", async () => {
    const page = await open();
    const focused = (): Promise<string> =>
      page.evaluate("document.activeElement.name || document.activeElement.textContent.slice(0, 20)");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to the results");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("text");
    await page.keyboard.type("perfect");
    expect(await shown(page)).toBe(1);
    // Metric, outcome, clear, the table, the first alignment that is shown.
    for (let step = 0; step < 5; step += 1) await page.keyboard.press("Tab");
    expect(await focused()).toBe("1 step, 0 differ in ");
    await page.keyboard.press("Enter");
    expect(await page.locator("details[open]").count()).toBe(1);
    await page.close();
  });

  test("tells a screen reader the names of tables' heads, and of groups", async () => {
    const page = await open();
    await page.locator("summary").first().click();
    expect(await page.getByRole("rowheader", { name: "trajectory:draft" }).count()).toBe(1);
    expect(await page.getByRole("columnheader", { name: "outcome" }).count()).toBe(1);
    expect(await page.getByRole("rowheader", { name: "in any order" }).count()).toBe(1);
    expect(await page.getByRole("search", { name: "Filter the results" }).count()).toBe(1);
    await page.close();
  });

  test("shows everything, and no filter, where scripts do not run", async () => {
    const page = await open({ javaScriptEnabled: false });
    expect([await shown(page), await page.locator("form:visible").count()]).toEqual([5, 0]);
    await page.close();
  });
});
