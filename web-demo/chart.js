// The learning curve: the loss of every step, its running mean, and the accuracy after every epoch.
import uPlot from "./vendor/uPlot.esm.js";

const SMOOTHING = 0.92;
const LOSS_TICKS = [0.001, 0.01, 0.1, 1];
const ACCURACY_TICKS = [50, 60, 70, 80, 90, 100];

export class Chart {
  constructor(container) {
    this.container = container;
    this.colour = (name) => getComputedStyle(container).getPropertyValue(name).trim();
    this.clear(1);
    this.plot = new uPlot(this.options(), this.data, container);
    new ResizeObserver(() => this.plot.setSize(this.size())).observe(container);
  }

  size() {
    return { width: this.container.clientWidth, height: this.container.clientHeight };
  }

  clear(totalSteps) {
    this.totalSteps = totalSteps;
    // an empty place at step 0, so that the axes are there before the first step
    this.data = [[0], [null], [null], [null]];
    this.count = 0;
    this.mean = 0;
    this.plot?.setData(this.data);
  }

  add(states) {
    const [steps, losses, means, accuracies] = this.data;
    for (const { step, loss, accuracy } of states) {
      steps.push(step);
      losses.push(loss);
      this.mean = SMOOTHING * this.mean + (1 - SMOOTHING) * loss;
      means.push(this.mean / (1 - SMOOTHING ** ++this.count));
      accuracies.push(accuracy === undefined ? null : 100 * accuracy);
    }
    this.plot.setData(this.data);
  }

  redraw() {
    this.plot.redraw(false, true);
  }

  options() {
    const font = "12px 'IBM Plex Mono', monospace";
    const axis = { stroke: () => this.colour("--muted"), font, labelFont: font, ticks: { show: false } };
    const grid = { stroke: () => this.colour("--rule"), width: 1 };
    const within = (unit) => (plot, splits) => splits.filter((v) => v >= plot.scales[unit].min && v <= plot.scales[unit].max);
    return {
      ...this.size(),
      padding: [12, 0, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: () => [0, this.totalSteps] },
        loss: { distr: 3, range: (_, low) => [Math.min(0.01, low ?? 1), 3.5] },
        accuracy: { range: (_, low) => [Math.min(60, 10 * Math.floor((low ?? 100) / 10)), 100] },
      },
      axes: [
        { ...axis, grid: { show: false }, size: 30, space: 70 },
        { ...axis, scale: "loss", grid, size: 46, splits: (plot) => within("loss")(plot, LOSS_TICKS), filter: (_, s) => s,
          values: (_, splits) => splits.map(String) },
        { ...axis, scale: "accuracy", side: 1, grid: { show: false }, size: 48,
          splits: (plot) => within("accuracy")(plot, ACCURACY_TICKS), values: (_, splits) => splits.map((v) => `${v} %`) },
      ],
      series: [
        {},
        { scale: "loss", stroke: () => this.colour("--faint"), width: 1, points: { show: false } },
        { scale: "loss", stroke: () => this.colour("--accent"), width: 2.25, points: { show: false } },
        { scale: "accuracy", stroke: () => this.colour("--second"), width: 1.5, spanGaps: true,
          points: { show: true, size: 7, fill: () => this.colour("--second"), stroke: () => this.colour("--second") } },
      ],
    };
  }
}
