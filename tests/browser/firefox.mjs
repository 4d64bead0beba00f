// Opens the page in stock Firefox over WebDriver BiDi, trains, and prints what the page shows as JSON.
// usage: node tests/browser/firefox.mjs FIREFOX ADDRESS
import puppeteer from "puppeteer-core";

const [executablePath, address] = process.argv.slice(2);
const START_MS = 90_000, TRAIN_MS = 180_000;

const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
try {
  const page = await browser.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  const reach = (states, timeout) => page.waitForFunction(
    (wanted) => wanted.includes(document.body.dataset.state), { timeout, polling: 200 }, states);
  await page.goto(address);
  await reach(["ready", "error"], START_MS);
  await page.evaluate(() => document.getElementById("run").click());
  await reach(["done", "error"], TRAIN_MS);
  const shown = await page.evaluate(() => {
    const text = (id) => document.getElementById(id).textContent;
    return { isolated: crossOriginIsolated, state: document.body.dataset.state, failure: text("failure-detail"),
      weights: text("weights-sha"), binary: text("binary-sha"), threads: document.getElementById("threads").value };
  });
  console.log(JSON.stringify({ ...shown, version: await browser.version(), problems }));
} finally {
  await browser.close();
}
