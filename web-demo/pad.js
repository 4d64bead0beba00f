// The drawing pad: keeps what is drawn as strokes, and turns it into 8x8 pixels the way the data set was made: the digit is
// scaled to a 32x32 picture, and each of 64 blocks of 4x4 counts how much of it is ink.

const PICTURE = 32;
const BLOCK = 4;
// chosen with drawn digits, so that as much ink comes out as the data set's digits have
const PEN = 5;
const ROOM = 25;

export class Pad {
  constructor(canvas, onChange) {
    this.canvas = canvas;
    this.onChange = onChange;
    this.strokes = [];
    canvas.addEventListener("pointerdown", (event) => this.begin(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => this.end());
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  get empty() {
    return this.strokes.length === 0;
  }

  clear() {
    this.strokes = [];
    this.stroke = null;
    this.draw();
    this.onChange(null);
  }

  begin(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.canvas.setPointerCapture(event.pointerId);
    this.stroke = [this.place(event)];
    this.strokes.push(this.stroke);
    this.changed();
  }

  move(event) {
    if (!this.stroke) return;
    const events = event.getCoalescedEvents?.() ?? [];
    for (const each of events.length ? events : [event]) this.stroke.push(this.place(each));
    this.changed();
  }

  end() {
    this.stroke = null;
  }

  changed() {
    this.draw();
    this.onChange(toPixels(this.strokes));
  }

  // a point of the canvas, each coordinate from 0 to 1
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  draw() {
    const { canvas } = this;
    const side = Math.round(canvas.clientWidth * (window.devicePixelRatio || 1));
    canvas.width = canvas.height = side;
    const context = canvas.getContext("2d");
    const style = getComputedStyle(canvas);
    context.strokeStyle = style.getPropertyValue("--rule");
    context.lineWidth = side / 400;
    for (let i = 1; i < 8; i++) {
      const at = (i * side) / 8;
      line(context, [[at, 0], [at, side]]);
      line(context, [[0, at], [side, at]]);
    }
    context.strokeStyle = style.getPropertyValue("--ink");
    context.lineWidth = side / 14;
    for (const stroke of this.strokes) line(context, stroke.map(([x, y]) => [x * side, y * side]));
  }
}

function line(context, points) {
  context.lineCap = context.lineJoin = "round";
  context.beginPath();
  context.moveTo(...points[0]);
  for (const point of points.length > 1 ? points.slice(1) : points) context.lineTo(...point);
  context.stroke();
}

// Strokes on the pad to 64 values from 0 to 16, whatever their size and place.
export function toPixels(strokes) {
  const points = strokes.flat();
  const [left, right, top, bottom] = [
    Math.min(...points.map(([x]) => x)), Math.max(...points.map(([x]) => x)),
    Math.min(...points.map(([, y]) => y)), Math.max(...points.map(([, y]) => y)),
  ];
  const scale = ROOM / Math.max(right - left, bottom - top, 0.05);
  const centre = PICTURE / 2;
  const fit = ([x, y]) => [centre + scale * (x - (left + right) / 2), centre + scale * (y - (top + bottom) / 2)];

  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = PICTURE;
  const context = canvas.getContext("2d");
  context.lineWidth = PEN;
  for (const stroke of strokes) line(context, stroke.map(fit));
  return countInk(context.getImageData(0, 0, PICTURE, PICTURE).data);
}

function countInk(rgba) {
  const pixels = new Array(64).fill(0);
  for (let y = 0; y < PICTURE; y++) {
    for (let x = 0; x < PICTURE; x++) {
      const block = Math.floor(y / BLOCK) * 8 + Math.floor(x / BLOCK);
      pixels[block] += rgba[4 * (y * PICTURE + x) + 3] / 255;
    }
  }
  return pixels.map(Math.round);
}
