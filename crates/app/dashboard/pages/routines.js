// Routines: what the assistant does at set times, when it did so, and a way to have it done now.

import { get, post } from '../api.js';
import { notice } from '../dialogs.js';
import { empty, h, put } from '../dom.js';
import { ahead, chatLabel, moment } from '../words.js';
import { address } from '../place.js';

const STATES = { running: 'running', sent: 'sent', declined: 'nothing to say', missed: 'missed', failed: 'failed' };

export async function show(root, params, signal) {
  const [{ routines }, { runs }] = await Promise.all([
    get('/v1/routines', null, signal),
    get('/v1/routines/runs', { limit: 50 }, signal),
  ]);
  const again = () => show(root, params, signal);
  const on = routines.filter((routine) => routine.enabled);
  const off = routines.filter((routine) => !routine.enabled);
  put(
    root,
    h('h1', null, 'Routines'),
    h('p.lead', null, 'What your assistant does at set times.'),
    on.length
      ? [
          h('h2', null, 'On'),
          h(
            'ul.cards',
            null,
            on.map((routine) => card(routine, again)),
          ),
        ]
      : empty(
          'No routine is on.',
          h(
            'p',
            null,
            'Turn one on with ',
            h('code', null, 'enabled = true'),
            ' under ',
            h('code', null, '[routines.NAME]'),
            ' in config.toml, and restart the program.',
          ),
        ),
    off.length > 0 &&
      h(
        'details.off',
        { open: !on.length },
        h('summary', null, h('h2', null, 'Ready, and off')),
        h(
          'ul.cards',
          null,
          off.map((routine) => card(routine, again)),
        ),
      ),
    h('h2', null, 'History'),
    runs.length ? history(runs) : h('p.muted', null, 'No routine has run yet.'),
  );
}

function card(routine, again) {
  const run = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    button.textContent = 'Running…';
    try {
      const done = await post(`/v1/routines/${encodeURIComponent(routine.name)}/run`);
      notice(
        done.text
          ? `${routine.name}: ${done.text.slice(0, 200)}`
          : `Nothing was sent: ${done.problem ?? 'it said nothing'}`,
      );
      await again();
    } catch (error) {
      notice(error.message);
      button.disabled = false;
      button.textContent = 'Run now';
    }
  };
  return h(
    'li.card.routine',
    null,
    h(
      'div',
      null,
      h('h3', null, routine.name, !routine.enabled && h('span.tag', null, 'off')),
      h(
        'p.muted.small',
        null,
        routine.schedule && h('code', null, routine.schedule),
        ' ',
        chatLabel(routine.chat),
        routine.decides && h('span.tag', null, 'decides whether to write'),
      ),
    ),
    h(
      'p.next',
      null,
      routine.next
        ? [h('strong', null, ahead(routine.next)), h('br'), moment(routine.next)]
        : h('span.muted', null, routine.enabled ? 'no set time' : ''),
    ),
    h('button.small', { type: 'button', onclick: run, 'aria-label': `Run now: ${routine.name}` }, 'Run now'),
  );
}

function history(runs) {
  return h(
    'div.table',
    { tabindex: '0', role: 'region', 'aria-label': 'History' },
    h(
      'table',
      null,
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          ['Routine', 'Due', 'Outcome', ''].map((head) =>
            h('th', { scope: 'col' }, head || h('span.hidden', null, 'Message')),
          ),
        ),
      ),
      h(
        'tbody',
        null,
        runs.map((run) =>
          h(
            'tr',
            null,
            h('td', null, run.routine),
            h('td', null, moment(run.due)),
            h(
              'td',
              null,
              h('span', { class: `tag ${run.state}` }, STATES[run.state] ?? run.state),
              run.problem && h('span.muted.small', null, run.problem),
            ),
            h(
              'td',
              null,
              run.message &&
                run.chat &&
                h('a', { href: address('chats', { chat: run.chat, at: run.message }) }, 'in the chat'),
            ),
          ),
        ),
      ),
    ),
  );
}
