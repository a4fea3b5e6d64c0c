// Health: what is stored, what waits, and whether everything works.

import { get } from '../api.js';
import { failure, h, put } from '../dom.js';
import { bytes, moment, number, plural } from '../words.js';

const MARKS = { ok: ['✓', 'fine'], mended: ['✓', 'mended'], note: ['·', 'note'], broken: ['✗', 'broken'] };

export async function show(root, params, signal) {
  const checks = h('section.card', { 'aria-label': 'Checks' }, h('h2', null, 'Checks'), h('p.muted', null, 'Looking…'));
  const status = await get('/v1/status', null, signal);
  const figure = (name, value, more) =>
    h('div', null, h('dt', null, name), h('dd', null, value, more && h('span.muted.small', null, more)));
  put(
    root,
    h('h1', null, 'Health'),
    status.problem &&
      h(
        'section.card.warn',
        { 'aria-label': 'Problem' },
        h('h2', null, 'The newest reply had a problem'),
        h('p', null, status.problem.problem),
        h('p.muted.small', null, moment(status.problem.at), ' · ', status.problem.model),
      ),
    h(
      'dl.figures',
      null,
      figure('Messages', number(status.messages), `in ${plural(status.chats.length, 'chat')}`),
      figure('Memories', number(status.memories), plural(status.summaries, 'summary', 'summaries')),
      figure('Database', bytes(status.database.bytes)),
      figure('Model', status.model, status.small_model ? `background: ${status.small_model}` : 'learns by rules'),
      figure('Embedder', status.embedder.id, `${number(status.embedder.embedded)} embedded`),
      figure(
        'Jobs',
        `${number(status.jobs.waiting)} waiting`,
        status.jobs.failing ? `${status.jobs.failing} failing: ${status.jobs.problem}` : 'none failing',
      ),
      figure('Turns', `${number(status.turns_running)} running`, `${plural(status.waiting, 'message')} waiting`),
      figure(
        'Sending',
        `${number(status.outbox.pending)} waiting`,
        `${number(status.outbox.uncertain)} uncertain, ${number(status.outbox.failed)} refused`,
      ),
      status.accounts.map((account) =>
        figure(account.name ? `@${account.name}` : account.id, account.state, account.problem),
      ),
    ),
    checks,
  );
  await look(checks, signal);
}

/** Runs the checks of `throughline doctor`. Asking a model may cost something, so that is done only if a person wants it. */
async function look(section, signal, model = false) {
  try {
    const { ok, checks } = await get('/v1/doctor', { model: model || null }, signal);
    put(
      section,
      h(
        'h2',
        null,
        'Checks',
        h('span', { class: `tag ${ok ? 'ok' : 'broken'}` }, ok ? 'all is well' : 'something is broken'),
      ),
      h(
        'ul.checks',
        null,
        checks.map((check) => {
          const [mark, word] = MARKS[check.state];
          return h(
            'li',
            { class: check.state },
            h('span.mark', { 'aria-label': word, role: 'img' }, mark),
            h('span.check-name', null, check.check),
            h('span', null, check.message),
          );
        }),
      ),
      h(
        'button.small',
        {
          type: 'button',
          onclick: (event) => {
            event.currentTarget.disabled = true;
            look(section, signal, true);
          },
        },
        'Look again, and ask the model',
      ),
    );
  } catch (error) {
    if (error.name !== 'AbortError') put(section, h('h2', null, 'Checks'), failure(error));
  }
}
