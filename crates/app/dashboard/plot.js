// Plots of figures by day, drawn by hand.

import { h, svg } from './dom.js';

const HEIGHT = 200;
const LEFT = 48;
const BOTTOM = 22;
const TOP = 18;
/** Room around a plot: the paddings and borders of its card. */
const FRAME = 34;
/** Room for the name of a day. */
const DATE = 60;

/** The width of a plot in a page, in pixels: drawn at their own size, words stay readable on a phone. */
export function plotWidth(page) {
  const { paddingLeft, paddingRight } = getComputedStyle(page);
  return Math.max(260, Math.floor(page.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - FRAME));
}

/**
 * Bars by day, stacked by series, and a line for the cap.
 * @param {{day: string, values: number[]}[]} days in order
 */
export function barPlot({ width, title, days, series, cap, write }) {
  const totals = days.map((day) => day.values.reduce((sum, value) => sum + value, 0));
  const largest = Math.max(...totals, 0);
  // A cap far above everything is named, not drawn: the bars would vanish.
  const showsCap = cap > 0 && cap < largest * 4;
  const top = rounded(Math.max(largest, showsCap ? cap : 0) || 1);
  const y = (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - TOP);
  const step = (width - LEFT) / Math.max(days.length, 1);
  const every = Math.ceil(DATE / step);
  const bars = days.flatMap((day, index) => {
    let sum = 0;
    return day.values.map((value, which) => {
      if (!value) return null;
      const from = y(sum);
      sum += value;
      const height = Math.max(from - y(sum), 1);
      return svg(
        `rect.series-${which}`,
        {
          x: LEFT + index * step + step * 0.15,
          y: from - height,
          width: step * 0.7,
          height,
          rx: Math.min(2, step * 0.2),
        },
        svg('title', null, `${day.day}, ${series[which]}: ${write(value)}`),
      );
    });
  });
  const lines = [0, 0.5, 1].map((share) => [
    svg('line.grid', { x1: LEFT, x2: width, y1: y(top * share), y2: y(top * share) }),
    svg('text', { x: LEFT - 8, y: y(top * share) + 4, 'text-anchor': 'end' }, write(top * share)),
  ]);
  const dates = days.map((day, index) =>
    index % every === 0 && (days.length - index) * step > DATE / 2
      ? svg('text', { x: LEFT + (index + 0.5) * step, y: HEIGHT - 5, 'text-anchor': 'middle' }, shortDay(day.day))
      : null,
  );
  const line = showsCap
    ? [
        svg('line.cap', { x1: LEFT, x2: width, y1: y(cap), y2: y(cap) }),
        svg('text.cap', { x: width, y: y(cap) - 5, 'text-anchor': 'end' }, `cap ${write(cap)}`),
      ]
    : [];
  return h(
    'figure.plot',
    null,
    h(
      'figcaption',
      null,
      h('h2', null, title),
      h(
        'ul.legend',
        null,
        series.map((name, which) =>
          h('li', null, h('span', { class: `swatch series-${which}`, 'aria-hidden': 'true' }), name),
        ),
        cap > 0 && h('li.muted', null, `cap ${write(cap)} a day`),
      ),
    ),
    svg(
      'svg',
      {
        viewBox: `0 0 ${width} ${HEIGHT}`,
        width,
        height: HEIGHT,
        role: 'img',
        'aria-label': `${title}: ${write(totals.reduce((sum, value) => sum + value, 0))} in ${days.length} days`,
      },
      lines,
      bars,
      dates,
      line,
    ),
  );
}

/** The next number that reads well. */
function rounded(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= value);
}

function shortDay(day) {
  return new Date(`${day}T12:00`).toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
}
