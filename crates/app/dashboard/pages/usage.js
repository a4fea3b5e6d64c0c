// Usage: calls of models over time, by day, against the caps.

import { get } from '../api.js';
import { told } from '../dialogs.js';
import { empty, h, put } from '../dom.js';
import { note } from '../place.js';
import { barPlot, plotWidth } from '../plot.js';
import { dollars, number, shortNumber } from '../words.js';

const PERIODS = [7, 30, 90];
const SERIES = ['Replies', 'Background'];

export async function show(root, params, signal) {
  const count = Number(params.get('days')) || 30;
  const usage = await get('/v1/usage', { days: count }, signal);
  const choice = PERIODS.map((days) =>
    h(
      'button.chip',
      {
        type: 'button',
        'aria-pressed': String(days === count),
        onclick: () => {
          note('usage', { days });
          show(root, new URLSearchParams({ days }), signal).catch(told);
        },
      },
      `${days} days`,
    ),
  );
  put(
    root,
    h('h1', null, 'Usage'),
    h('p.lead', null, 'Every call of a model, for replies and for work in the background.'),
    h('div.filters', { role: 'group', 'aria-label': 'Period' }, choice),
    usage.total.calls
      ? [figures(usage), plots(usage, count, root), table(usage.by)]
      : empty('No model was called in this time.', 'What a model costs is shown here from its first call on.'),
  );
}

function figures({ total }) {
  const figure = (name, value, more) =>
    h('div', null, h('dt', null, name), h('dd', null, value, more && h('span.muted.small', null, more)));
  return h(
    'dl.figures',
    null,
    figure('Cost', dollars(total.cost_usd)),
    figure('Calls', number(total.calls), total.failed ? `${number(total.failed)} failed` : 'none failed'),
    figure('Tokens read', number(total.input_tokens)),
    figure('Tokens written', number(total.output_tokens)),
  );
}

function plots({ days, since, caps }, count, root) {
  const known = new Map(days.map((day) => [day.day, day]));
  const all = calendar(since, count, days.at(-1)?.day);
  const by = (value) =>
    all.map((day) => ({
      day,
      values: known.has(day) ? [value(known.get(day).replies), value(known.get(day).background)] : [0, 0],
    }));
  const width = plotWidth(root);
  return [
    barPlot({
      width,
      title: 'Cost by day',
      days: by((spent) => spent.cost_usd),
      series: SERIES,
      cap: caps.replies.usd + caps.background.usd,
      write: dollars,
    }),
    barPlot({
      width,
      title: 'Tokens by day',
      days: by((spent) => spent.input_tokens + spent.output_tokens),
      series: SERIES,
      cap: caps.replies.tokens + caps.background.tokens,
      write: shortNumber,
    }),
  ];
}

/** The days of a period, those without a call too. */
function calendar(since, count, last) {
  const days = [];
  const date = new Date(`${since}T12:00Z`);
  while (days.length <= count || (last && days.at(-1) < last)) {
    days.push(date.toISOString().slice(0, 10));
    date.setUTCDate(date.getUTCDate() + 1);
  }
  return days;
}

function table(by) {
  const heads = ['Purpose', 'Model', 'Calls', 'Tokens read', 'Tokens written', 'Cost'];
  return h(
    'div.table',
    { tabindex: '0', role: 'region', 'aria-label': 'By purpose and model' },
    h(
      'table',
      null,
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          heads.map((head, index) => h('th', { scope: 'col', class: index > 1 ? 'figure' : null }, head)),
        ),
      ),
      h(
        'tbody',
        null,
        by.map((row) =>
          h(
            'tr',
            null,
            h('td', null, row.purpose),
            h('td', null, row.model),
            h('td.figure', null, number(row.calls)),
            h('td.figure', null, number(row.input_tokens)),
            h('td.figure', null, number(row.output_tokens)),
            h('td.figure', null, dollars(row.cost_usd)),
          ),
        ),
      ),
    ),
  );
}
