// SPDX-License-Identifier: Apache-2.0
// Claims about the one selection of all views, of a page that shows stencil_2k: more tasks than a
// graph shows one by one. The same of a report and of a page that asks a server.
"use strict";
const { equal, holds, shot } = require("./checks.js");

const select = (page, selection) => page.eval(`tasklensApp.select(${JSON.stringify(selection)})`);
const groupBy = async (page, group, open = []) => {
  await page.eval(`tasklensApp.store.set({ graph: { group: ${JSON.stringify(group)}, open: ${JSON.stringify(open)} } })`);
  await page.until(`tasklensApp.graph.answer.group.join() === "${group.join()}" && tasklensApp.graph.answer.frames.length === ${open.length}`);
};

exports.selectionClaims = async (check, page) => {
  await check("the closed group that holds the selected task is marked, and shown opened on demand", async () => {
    await page.toFront();
    for (const group of [["codelet"], ["iteration", "codelet"]]) {
      await groupBy(page, group);
      await select(page, { task: 1000 });
      await page.until("tasklensApp.selectedTask?.task === 1000 && tasklensApp.graph.holder() !== null");
      const holder = await page.eval("tasklensApp.graph.nodeAt(tasklensApp.graph.holder())");
      holds(holder.tasks > 1 && holder.startNs <= await page.eval("tasklensApp.selectedTask.startNs"), "it is a group around the task");
      if (group.join() === "codelet") equal(holder.codelet, await page.eval("tasklensApp.selectedTask.name"), "the group's codelet");
      equal(await page.eval("tasklensApp.graph.chosen()"), null, "the node that is selected itself");
      await shot(page, `holder_${group.length}`);
      await page.eval("[...document.querySelectorAll('.panel button')].find((one) => one.textContent === 'Show in graph').click()");
      await page.until("tasklensApp.graph.chosen() !== null");
      equal(await page.eval("tasklensApp.graph.answer.nodes.task[tasklensApp.graph.chosen()]"), 1000, "the marked node");
      equal(await page.eval("tasklensApp.graph.answer.frames.map(({ id }) => id)"),
        (await page.eval(`tasklensApp.host.request("tasklens/group", { group: ${JSON.stringify(group)}, task: 1000 })`)).groups, "what was opened");
      equal(await page.eval("tasklensApp.graph.answer.frames[0].id"), holder.id, "the outermost of them");
      await page.until(`(({ camera, layout, surface }, i) => Math.abs(camera.x + (layout.nodes[i].x + layout.nodes[i].width / 2) * camera.scale - surface.width / 2) < 1)(tasklensApp.graph, tasklensApp.graph.chosen())`);
      await shot(page, `revealed_${group.length}`);
    }
  });
};
