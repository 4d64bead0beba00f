// Digits as halftone: 8x8 dots, each as large as its pixel is dark.

const SVG = "http://www.w3.org/2000/svg";
const FULL = 16;

// one of each from the data set, so that the page has something to show before Python is there; one character per pixel
const SPECIMENS = [
  "00aeb30004gd6e1004g20b7008g00a5008g00e4008g01g1004g1bf0000bgc300",
  "0001ed100001gg3005bfgg0004fggf000008g700000ag3000008g6000002df20",
  "008g500001dbg00000a0d3000031g1000009c000003f500000ef8830007cccd1",
  "00ege600007agg300005gg100002g8000000cd1000004g700059eg7000dgga10",
  "0002d0000008f000005g520000fc1g4004g29g8000aegg400000d8000000d600",
  "02dgggb005ga541006g7300009ggg6000384bf000001cf00004dg60002gf8000",
  "000cd000005g800000dg300000ed000000fc720000dgdg30007gbf800019fb30",
  "0018fa0003dfee0005a0ac000035fa2000ggggc0018ce830000ad000000b9000",
  "0048g500009g8b00005a0d20000d4f200009g800008fe50000g5e400006gc100",
  "009de50004gadg0000dfeg1000037g3000004g0000001g3001f58g20007fg900",
];

export const specimens = SPECIMENS.map((text) => Array.from(text, (character) => parseInt(character, 17)));

const radius = (value) => 0.5 * Math.sqrt(value / FULL);

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// An SVG of 64 dots; `show` gives it 64 values from 0 to 16.
export function halftone(pixels = new Array(64).fill(0)) {
  const svg = element("svg", { viewBox: "0 0 8 8", "aria-hidden": "true" });
  const dots = pixels.map((_, i) => element("circle", { cx: (i % 8) + 0.5, cy: (i >> 3) + 0.5 }));
  svg.append(...dots);
  const show = (values) => dots.forEach((dot, i) => dot.setAttribute("r", radius(values[i]).toFixed(3)));
  show(pixels);
  return { svg, dots, show };
}

// Ten digits side by side that are inked from left to right as `setProgress` goes from 0 to 1.
export function inkedStrip(container) {
  const columns = specimens.flatMap((pixels) => {
    const { svg, dots } = halftone(pixels);
    container.append(svg);
    return Array.from({ length: 8 }, (_, x) => dots.filter((_, i) => i % 8 === x));
  });
  let inked = 0;
  return function setProgress(fraction) {
    const upTo = Math.round(fraction * columns.length);
    for (; inked < upTo; inked++) columns[inked].forEach((dot) => dot.classList.add("inked"));
  };
}

// Many digits on one canvas. `marks[i]` is true where the network reads digit i wrongly, null where it was not asked.
export class Wall {
  constructor(canvas, onPick) {
    this.canvas = canvas;
    this.pixels = new Uint8Array(0);
    this.marks = [];
    canvas.addEventListener("click", (event) => {
      const index = this.indexAt(event);
      if (index < this.count) onPick(index);
    });
    new ResizeObserver(() => this.draw()).observe(canvas.parentElement);
  }

  get count() {
    return this.pixels.length / 64;
  }

  show(pixels, marks) {
    this.pixels = pixels ?? this.pixels;
    this.marks = marks;
    this.draw();
  }

  digit(index) {
    return this.pixels.slice(64 * index, 64 * index + 64);
  }

  layout() {
    const width = this.canvas.parentElement.clientWidth;
    const columns = width > 820 ? 30 : width > 520 ? 20 : 15;
    return { width, columns, cell: width / columns, rows: Math.ceil(this.count / columns) };
  }

  indexAt(event) {
    const { columns, cell } = this.layout();
    const box = this.canvas.getBoundingClientRect();
    const column = Math.min(columns - 1, Math.floor((event.clientX - box.left) / cell));
    return Math.floor((event.clientY - box.top) / cell) * columns + column;
  }

  draw() {
    const { width, columns, cell, rows } = this.layout();
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(rows * cell * scale);
    this.canvas.style.height = `${rows * cell}px`;
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    const style = getComputedStyle(this.canvas);
    for (let i = 0; i < this.count; i++) {
      const x = (i % columns) * cell, y = Math.floor(i / columns) * cell;
      this.drawDigit(context, style, i, x, y, cell);
    }
  }

  drawDigit(context, style, index, x, y, cell) {
    const wrong = this.marks[index] === true;
    if (wrong) {
      context.fillStyle = style.getPropertyValue("--wrong-wash");
      context.fillRect(x + 1, y + 1, cell - 2, cell - 2);
    }
    context.fillStyle = style.getPropertyValue(wrong ? "--wrong" : this.marks[index] === false ? "--ink" : "--faint");
    const unit = (cell * 0.74) / 8, inset = cell * 0.13;
    for (let i = 0; i < 64; i++) {
      const value = this.pixels[64 * index + i];
      if (value === 0) continue;
      const side = unit * Math.sqrt(value / FULL);
      const left = x + inset + ((i % 8) + 0.5) * unit - side / 2, top = y + inset + ((i >> 3) + 0.5) * unit - side / 2;
      context.fillRect(left, top, side, side);
    }
  }
}
