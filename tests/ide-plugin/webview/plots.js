// SPDX-License-Identifier: Apache-2.0
// Claims about the plots, of a page that shows stencil_2k: the same of a report and of a page that asks a server.
"use strict";
const { execFileSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { equal, holds, shot, work } = require("./checks.js");

const KINDS = ["durations", "sizes", "over-time", "activity", "messages", "message-use", "speed", "summary"];
const SVG = "document.querySelector('.plots .sheet svg')", NOTE = "document.querySelector('.plots .sheet .note')";
// Of a picture all that is written in it, and its shapes: their places, without their colours.
const PARTS = "((svg) => [...svg.querySelectorAll('text, path, circle')].map((one) => one.textContent + ['x', 'y', 'cx', 'cy', 'd'].map((name) => one.getAttribute(name) ?? '').join(' ')))";
const choose = (page, label, value) => page.eval(`(() => {
  const choice = document.querySelector(${JSON.stringify(`.plots select[aria-label="${label}"]`)});
  choice.value = ${JSON.stringify(value)};
  choice.dispatchEvent(new Event("change"));
})()`);
const button = (kind) => (kind[0].toUpperCase() + kind.slice(1)).replace("-", " ");
const shown = (page, { kind, by = null, codelet = null }) => page.until(`tasklensApp.store.state.pane === "plots" && tasklensApp.plots.answer?.kind === "${kind}" &&
  JSON.stringify(tasklensApp.store.state.plot) === ${JSON.stringify(JSON.stringify({ kind, by, codelet }))} && tasklensApp.plots.isShown`);

// `draw`: arguments of `tasklens plot` behind the kind, for the same run; gives the text of the file.
exports.plotClaims = async (check, page, { isReport, tasklens, trace, open }) => {
  const host = isReport ? "report" : "served";
  const drawn = (kind, ...words) => {
    const file = path.join(work, `plot_${host}.svg`);
    execFileSync(tasklens, ["plot", kind, trace, "-o", file, ...words], { stdio: ["ignore", "ignore", "inherit"] });
    return fs.readFileSync(file, "utf8");
  };
  // The page shows the file's picture; what names the run is its title there, and its path here.
  const isTheSame = async (what, file) => {
    const parts = (text) => page.eval(`${PARTS}(new DOMParser().parseFromString(${JSON.stringify(text)}, "image/svg+xml").documentElement).filter((one) => !one.startsWith("Summary of "))`);
    const here = await page.eval(`${PARTS}(${SVG}).filter((one) => !one.startsWith("Summary of "))`), wanted = await parts(file);
    equal(here.length, wanted.length, `how much is in the picture of ${what}`);
    equal(here, wanted, `the picture of ${what}`);
  };

  await check("the plots are a pane, and each kind is the picture that the command draws, or says what is missing", async () => {
    await page.toFront();
    await page.eval("tasklensApp.store.set({ selection: null, within: null, pane: 'graph', plot: { kind: 'activity', by: null, codelet: null } })");
    await page.eval("[...document.querySelectorAll('.tabs [role=tab]')].find((one) => one.textContent === 'Plots').click()");
    await shown(page, { kind: "activity" });
    equal(await page.eval("[...document.querySelectorAll('.plots .choices button')].map((one) => one.textContent)"), KINDS.map(button), "the kinds");
    equal(await page.eval("tasklensApp.plots.answer.kinds.map(({ name }) => name)"), KINDS, "those that there are, which a link can name");
    for (const kind of KINDS) {
      await page.eval(`[...document.querySelectorAll('.plots .choices button')].find((one) => one.textContent === "${button(kind)}").click()`);
      await shown(page, { kind });
      equal(await page.eval("document.querySelector('.plots .choices [aria-pressed=true]').textContent"), button(kind), "the pressed one");
      if (["messages", "message-use", "speed"].includes(kind)) {
        const note = await page.eval(`${NOTE}.textContent`);
        holds(note.startsWith(kind === "speed" ? "the trace has neither flop" : "the trace has no messages between ranks"), note);
      } else {
        await isTheSame(kind, drawn(kind));
        equal(await page.eval("document.querySelector('.plots .sheet').getAttribute('aria-label') === document.querySelector('.plots .sheet title').textContent"), true, "what it is for those who cannot see it");
      }
      holds(await page.eval("document.documentElement.scrollWidth <= innerWidth && document.querySelector('.plots .sheet').scrollWidth <= document.querySelector('.plots .sheet').clientWidth"), `${kind} widens nothing`);
      await shot(page, `plot_${kind}_${host}`);
    }
  });
  await check("the keyboard shows the plots, and chooses kind, grouping and codelet", async () => {
    await page.eval("document.activeElement.blur(), tasklensApp.store.set({ pane: 'graph' })");
    await page.key("y");
    await shown(page, { kind: "summary" });
    await page.eval("document.querySelector('.plots .choices button[aria-label=Durations]').focus()");
    await page.key("Enter");
    await shown(page, { kind: "durations" });
    equal(await page.eval("document.activeElement.getAttribute('aria-label')"), "Durations", "what has the focus");
    for (let i = 0; i < KINDS.length; ++i) await page.key("Tab");
    equal(await page.eval("document.activeElement.getAttribute('aria-label')"), "What the plot is by", "what comes behind the kinds");
    await page.key("ArrowDown");
    await shown(page, { kind: "durations", by: "size" });
    await isTheSame("durations by size", drawn("durations", "--by", "size"));
    await page.until("location.hash.includes('plotBy=size')");
    await page.key("ArrowUp");
    await shown(page, { kind: "durations" });
    await page.key("Tab");
    equal(await page.eval("document.activeElement.getAttribute('aria-label')"), "Which codelet the plot is of", "what comes behind it");
    await page.key("ArrowDown");
    const [codelet] = await page.eval("tasklensApp.allNames");
    await shown(page, { kind: "durations", codelet });
    await isTheSame(`durations of ${codelet}`, drawn("durations", "--codelet", codelet));
    await page.until(`location.hash.includes('plotOf=${codelet}')`);
    await shot(page, `plot_codelet_${host}`);
    await page.eval("document.activeElement.blur()");
    await page.key("Backspace");
    await shown(page, { kind: "durations" });
  });
  await check("a kind without a choice has none, and keeps none of another's", async () => {
    await page.eval("tasklensApp.store.set({ plot: { kind: 'durations', by: 'worker', codelet: null } })");
    await shown(page, { kind: "durations", by: "worker" });
    await isTheSame("durations by worker", drawn("durations", "--by", "worker"));
    for (const [kind, by, selects] of [["sizes", "worker", 2], ["over-time", null, 1], ["activity", null, 0]]) {
      await page.eval(`document.querySelector('.plots .choices button[aria-label="${button(kind)}"]').click()`);
      await shown(page, { kind, by });
      equal(await page.eval("document.querySelectorAll('.plots select').length"), selects, `choices of ${kind}`);
    }
  });
  await check("what a report does not keep it names the command for; a server draws it", async () => {
    const [codelet] = await page.eval("tasklensApp.allNames");
    await page.eval(`tasklensApp.store.set({ plot: { kind: "sizes", by: "worker", codelet: ${JSON.stringify(codelet)} } })`);
    await shown(page, { kind: "sizes", by: "worker", codelet });
    if (isReport) equal(await page.eval(`${NOTE}.textContent`), `This page does not keep that plot; draw it with: tasklens plot sizes --by worker --codelet ${codelet} TRACE -o sizes.svg`, "what it says");
    else await isTheSame(`sizes of ${codelet} by worker`, drawn("sizes", "--by", "worker", "--codelet", codelet));
  });
  await check("a picture has the page's colours, light and dark, at once", async () => {
    await page.eval("tasklensApp.store.set({ plot: { kind: 'over-time', by: null, codelet: null } })");
    await shown(page, { kind: "over-time" });
    const colours = () => page.eval(`[getComputedStyle(${SVG}.querySelector('rect')).fill, getComputedStyle(${SVG}.querySelector('text')).fill, getComputedStyle(${SVG}.querySelector('circle')).fill]`);
    const page_ = () => page.eval("((style) => [style.getPropertyValue('--surface'), style.getPropertyValue('--text')].map((one) => { const probe = document.createElement('i'); probe.style.color = one; document.body.append(probe); const { color } = getComputedStyle(probe); probe.remove(); return color; }))(getComputedStyle(document.documentElement))");
    const light = await colours();
    equal(light.slice(0, 2), await page_(), "ground and ink");
    await page.eval("tasklensApp.setTheme('dark')");
    const dark = await colours();
    equal(dark.slice(0, 2), await page_(), "ground and ink in the dark");
    holds(light[0] !== dark[0] && light[1] !== dark[1], "they are others");
    equal(dark[2], light[2], "a codelet's colour");
    await shot(page, `plot_dark_${host}`);
    await page.eval("tasklensApp.setTheme('light')");
  });
  await check("what is shown is saved as SVG and PNG, in the page's colours", async () => {
    await page.eval("globalThis.files = [], tasklensApp.host.save = async (name, blob) => void files.push([name, blob.type, [...new Uint8Array(await blob.arrayBuffer())]])");
    for (const format of ["svg", "png"]) await page.eval(`tasklensApp.export("plot", "${format}")`);
    const [svg, png] = await page.eval("files");
    const text = Buffer.from(svg[2]).toString("utf8");
    holds(svg[0].endsWith("-plot.svg") && text.includes("<svg") && !text.includes("var("), `${svg[0]}: ${text.slice(0, 400)}`);
    holds(png[0].endsWith("-plot.png") && png[1] === "image/png" && Buffer.from(png[2]).readUInt32BE(16) === 1800, `${png[0]}: ${Buffer.from(png[2]).subarray(0, 32).toString("hex")}`);
    await page.eval("delete tasklensApp.host.save");
  });
  await check("a link shows a plot, and says of a codelet that is none", async () => {
    const other = await open("pane=plots&plot=sizes&plotBy=worker");
    await shown(other, { kind: "sizes", by: "worker" });
    holds(await other.eval(`${SVG} !== null`), "it is drawn");
    equal(other.problems, [], "complaints");
    await other.close();
    const wrong = await open("pane=plots&plot=durations&plotOf=nobody");
    await shown(wrong, { kind: "durations", codelet: "nobody" });
    holds((await wrong.eval(`${NOTE}.textContent`)).includes("nobody"), "it says so");
    equal(wrong.problems, [], "complaints");
    await wrong.close();
    await page.toFront();
  });
  await page.eval("tasklensApp.store.set({ pane: 'graph' })");
};
