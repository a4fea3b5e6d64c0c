// Usage: calls of models over time, by day, against the caps.

import { get } from '../api.js';
import { dollars, empty, h, number, plural, put } from '../dom.js';
import { barPlot } from '../plot.js';
import { note } from '../place.js';

const PERIODS = [7, 30, 90];

export async function show(root, params, signal) {
  const days = Number(params.get('days')) || 30;
  const since = new Date(Date.now() - (days - 1) * 86_400_000);
  const usage = await get('/v1/usage', { since: localDay(since) }, signal);
  const choice = PERIODS.map((count) => h('button.chip', {
    type: 'button', 'aria-pressed': String(count === days),
    onclick: () => { note('usage', { days: count }); show(root, new URLSearchParams({ days: count }), signal); },
  }, `${count} days`));
  const rows = usage.days ?? [];
  put(root, h('h1', null, 'Usage'), h('p.lead', null, 'Every call of a model, for replies and for work in the background.'),
    h('div.filters', { role: 'group', 'aria-label': 'Period' }, choice),
    rows.length ? plots(rows, usage, since, days) : empty('No model was called in this time.', 'The built-in model costs nothing and is not counted here.'));
}
