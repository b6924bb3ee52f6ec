// SPDX-License-Identifier: Apache-2.0
// Saves the contents of a view: as PNG from its canvas, or as SVG by drawing it again on a recorder
// that has the canvas methods that the views use. So the file shows what the screen shows: the
// visible part, the theme, selections and marks; and it works in a report, which has no server.
// (For pictures of the whole graph or timeline: `tasklens graph -o`, `tasklens timeline -o`.) A
// plot is an SVG picture already.
import { paintTimeline } from "./views/timeline_paint.js";
import { paintGraph } from "./views/graph_paint.js";

export async function exportView(host, view, what, format, title) {
  const blob = format === "png" ? await png(what === "plot" ? await canvasOf(view.svg()) : view.surface.canvas) : new Blob([svgOf(view, what)], { type: "image/svg+xml" });
  await host.save(`${title.replace(/[^\w.-]+/g, "_").slice(0, 60) || "tasklens"}-${what}.${format}`, blob);
}

// Draws a picture without a canvas of its own, with two pixels for each pixel of the screen.
async function canvasOf(svg) {
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  canvas.width = 2 * image.naturalWidth;
  canvas.height = 2 * image.naturalHeight;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

const png = (canvas) => new Promise((resolve) => canvas.toBlob(resolve, "image/png"));

export function svgOf(view, what) {
  if (what === "plot") return view.svg();
  const { width, height } = view.surface;
  const recorder = new SvgRecorder(width, height);
  (what === "timeline" ? paintTimeline : paintGraph)(recorder, { ...view.scene(width, height), isVector: true });
  return recorder.text();
}

const number = (value) => String(Math.round(value * 100) / 100);
const escaped = (text) =>
  String(text).replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

export class SvgRecorder {
  constructor(width, height) {
    this.size = { width, height };
    this.parts = [];
    this.clips = 0;
    this.stack = [];
    this.state = { fillStyle: "#000", strokeStyle: "#000", globalAlpha: 1, lineWidth: 1, font: "12px sans-serif",
                   textAlign: "left", textBaseline: "alphabetic", depth: 0 };
    this.path = "";
    for (const key of ["fillStyle", "strokeStyle", "globalAlpha", "lineWidth", "font", "textAlign", "textBaseline"])
      Object.defineProperty(this, key, { get: () => this.state[key], set: (value) => (this.state[key] = value) });
  }

  text() {
    const { width, height } = this.size;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
      this.parts.join("") + "</svg>\n";
  }

  open(attributes) {
    this.parts.push(`<g ${attributes}>`);
    ++this.state.depth;
  }

  save() {
    this.stack.push({ ...this.state });
    this.state.depth = 0;
  }

  restore() {
    this.parts.push("</g>".repeat(this.state.depth));
    this.state = this.stack.pop();
  }

  translate(x, y) {
    this.open(`transform="translate(${number(x)} ${number(y)})"`);
  }

  scale(x, y) {
    this.open(`transform="scale(${x} ${y})"`);
  }

  clip() {
    const id = `c${this.clips++}`;
    this.parts.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath>`);
    this.open(`clip-path="url(#${id})"`);
  }

  alpha() {
    return this.state.globalAlpha === 1 ? "" : ` opacity="${number(this.state.globalAlpha)}"`;
  }

  fillRect(x, y, width, height) {
    this.parts.push(`<rect x="${number(x)}" y="${number(y)}" width="${number(Math.max(0, width))}" height="${number(Math.max(0, height))}" fill="${escaped(this.state.fillStyle)}"${this.alpha()}/>`);
  }

  strokeRect(x, y, width, height) {
    this.parts.push(`<rect x="${number(x)}" y="${number(y)}" width="${number(Math.max(0, width))}" height="${number(Math.max(0, height))}" fill="none" stroke="${escaped(this.state.strokeStyle)}" stroke-width="${number(this.state.lineWidth)}"${this.alpha()}/>`);
  }

  fillText(text, x, y) {
    const { font, textAlign, textBaseline } = this.state;
    const size = /(\d+(?:\.\d+)?)px/.exec(font)?.[1] || "12";
    const anchor = textAlign === "right" ? "end" : textAlign === "center" ? "middle" : "start";
    const down = textBaseline === "middle" ? Number(size) * 0.35 : 0;
    this.parts.push(`<text x="${number(x)}" y="${number(y + down)}" font-size="${size}" font-family="sans-serif"${font.startsWith("bold") ? ' font-weight="bold"' : ""} text-anchor="${anchor}" fill="${escaped(this.state.fillStyle)}"${this.alpha()}>${escaped(text)}</text>`);
  }

  measureText(text) {
    this.ruler ||= document.createElement("canvas").getContext("2d");
    this.ruler.font = this.state.font;
    return this.ruler.measureText(text);
  }

  beginPath() {
    this.path = "";
  }

  rect(x, y, width, height) {
    this.path += `M${number(x)} ${number(y)}h${number(width)}v${number(height)}h${number(-width)}z`;
  }

  moveTo(x, y) {
    this.path += `M${number(x)} ${number(y)}`;
    this.last = [x, y];
  }

  lineTo(x, y) {
    this.path += `L${number(x)} ${number(y)}`;
    this.last = [x, y];
  }

  bezierCurveTo(...points) {
    this.path += "C" + points.map(number).join(" ");
  }

  // Right angles only, as in rounded rectangles.
  arcTo(x1, y1, x2, y2, radius) {
    const [x0, y0] = this.last;
    const toward = (ax, ay, bx, by, by_) => {
      const length = Math.hypot(bx - ax, by - ay) || 1;
      return [ax + ((bx - ax) / length) * by_, ay + ((by - ay) / length) * by_];
    };
    const a = toward(x1, y1, x0, y0, radius), b = toward(x1, y1, x2, y2, radius);
    this.lineTo(...a);
    this.path += `Q${number(x1)} ${number(y1)} ${number(b[0])} ${number(b[1])}`;
    this.last = b;
  }

  closePath() {
    this.path += "Z";
  }

  fill() {
    this.parts.push(`<path d="${this.path}" fill="${escaped(this.state.fillStyle)}"${this.alpha()}/>`);
  }

  stroke() {
    this.parts.push(`<path d="${this.path}" fill="none" stroke="${escaped(this.state.strokeStyle)}" stroke-width="${number(this.state.lineWidth)}"${this.alpha()}/>`);
  }
}
