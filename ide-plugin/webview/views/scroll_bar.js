// SPDX-License-Identifier: Apache-2.0
// A scroll bar beside the rows of the timeline, with the numbers of rows above and below the view.
import { el, wheelUnit, whilePressed } from "../dom.js";
import { counted } from "../format.js";
import { AXIS } from "./timeline_paint.js";

const LEAST_THUMB = 24, LINE = 40;

export class ScrollBar {
  constructor(timeline) {
    this.timeline = timeline;
    this.thumb = el("div");
    this.element = el("div.scroll", { role: "scrollbar", tabindex: "0", "aria-controls": "timeline-rows", "aria-orientation": "vertical",
      "aria-label": "Rows of the timeline", "aria-valuemin": "0", hidden: true,
      onpointerdown: (event) => this.drag(event), onkeydown: (event) => this.onKey(event),
      onwheel: (event) => { event.preventDefault(); timeline.scrollBy(event.deltaY * wheelUnit(event)); } }, this.thumb);
    this.above = this.button("above", -1);
    this.below = this.button("below", 1);
    this.more = el("div.more", {}, this.above, this.below);
  }

  button(where, direction) {
    return el("button", { hidden: true, title: `Scroll to what is ${where}`, onclick: () => this.timeline.scrollBy(direction * 0.8 * this.timeline.surface.height) });
  }

  // Called after the timeline was arranged again. Writes only changes, because this runs in every
  // frame.
  refresh() {
    const { layout, surface, scroll, scrollMost } = this.timeline;
    const key = [layout.height, surface.height, scroll, layout.places.length, layout.counters.length].join();
    if (key === this.key) return;
    this.key = key;
    const isNeeded = scrollMost > 0;
    this.element.hidden = !isNeeded;
    this.timeline.element.classList.toggle("scrolls", isNeeded);
    const hidden = (isOut) => [[layout.places.filter(isOut).length, "row"], [layout.counters.filter(isOut).length, "curve"]]
      .filter(([many]) => many > 0).map(([many, noun]) => counted(many, noun)).join(", ");
    const texts = [hidden(({ y, height }) => y + height / 2 < scroll + AXIS), hidden(({ y, height }) => y + height / 2 > scroll + surface.height)];
    [this.above, this.below].forEach((button, i) => {
      button.hidden = !isNeeded || !texts[i];
      button.textContent = `${i ? "↓" : "↑"} ${texts[i]} ${i ? "below" : "above"}`;
    });
    if (!isNeeded) return;
    const { length, thumb } = this.sizes();
    this.thumb.style.height = `${thumb}px`;
    this.thumb.style.transform = `translateY(${(scroll / scrollMost) * (length - thumb)}px)`;
    this.element.setAttribute("aria-valuemax", String(Math.round(scrollMost)));
    this.element.setAttribute("aria-valuenow", String(scroll));
    this.element.setAttribute("aria-valuetext", texts.map((text, i) => text && `${text} ${i ? "below" : "above"}`).filter(Boolean).join(", ") || "all rows are seen");
  }

  sizes() {
    const { layout, surface } = this.timeline, length = surface.height - AXIS;
    return { length, thumb: Math.min(length, Math.max(LEAST_THUMB, (length * surface.height) / layout.height)) };
  }

  drag(event) {
    event.preventDefault();
    const { element, timeline } = this, { length, thumb } = this.sizes();
    element.focus();
    const box = element.getBoundingClientRect(), most = timeline.scrollMost;
    const top = (timeline.scroll / most) * (length - thumb), at = event.clientY - box.top;
    // A press beside the thumb moves it there.
    const grip = at >= top && at <= top + thumb ? at - top : thumb / 2;
    const move = (next) => timeline.scrollTo(((next.clientY - box.top - grip) / Math.max(1, length - thumb)) * most);
    move(event);
    whilePressed(element, event, move);
  }

  onKey(event) {
    const { timeline } = this, page = 0.8 * timeline.surface.height;
    const steps = { ArrowUp: -LINE, ArrowDown: LINE, PageUp: -page, PageDown: page, Home: -Infinity, End: Infinity };
    if (!(event.key in steps)) return;
    event.preventDefault();
    event.stopPropagation();
    timeline.scrollBy(steps[event.key]);
  }
}
