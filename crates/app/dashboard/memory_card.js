// One memory: the statement, the words that prove it, how it came to be so, and what can be done about it.

import { get, patch } from './api.js';
import { failure, h, put } from './dom.js';
import { forget } from './forgetting.js';
import { address } from './place.js';
import { moment, percent } from './words.js';

export const KINDS = { fact: 'Facts', preference: 'Preferences', goal: 'Goals', date: 'Dates', outcome: 'Outcomes' };

/** A memory, which tells more when it is opened. `page` carries out what is decided, and shows what came of it. */
export function memoryCard(memory, page) {
  const body = h('div.details');
  const open = page.chosen === memory.id;
  const details = h(
    'details',
    {
      open,
      ontoggle: () => {
        if (!details.open || body.childElementCount) return;
        explain(memory, body, page).catch((error) => put(body, failure(error)));
      },
    },
    h(
      'summary',
      null,
      h('span.statement', null, memory.text),
      h('span.muted.small', null, validity(memory), memory.status !== 'active' && h('span.tag', null, memory.status)),
    ),
    body,
  );
  return h('li', { class: `card memory ${memory.status}` }, details);
}

/** The proof and history of a memory, and what can be done with it. */
async function explain(memory, body, page) {
  const { chat, signal } = page;
  put(body, h('p.muted', null, 'Reading…'));
  const [one, past] = await Promise.all([
    get(`/v1/memories/${memory.id}`, { chat }, signal),
    get(`/v1/memories/${memory.id}/history`, { chat }, signal),
  ]);
  const { quotes = [] } = one.memories?.[0] ?? one;
  const proofs = quotes.map((quote) =>
    h(
      'li',
      null,
      h('blockquote', null, quote.text),
      h(
        'p.muted.small',
        null,
        quote.speaker ?? (quote.role === 'assistant' ? 'Assistant' : 'You'),
        ', ',
        moment(quote.at),
        ' · ',
        h('a', { href: address('chats', { chat: quote.chat, at: quote.message }) }, 'in the chat'),
      ),
    ),
  );
  put(
    body,
    h(
      'dl.facts',
      null,
      fact('Learned', memory.extracted ? 'from what was said' : 'because you asked'),
      fact('Sure', percent(memory.confidence)),
      fact('Seen', memory.scope === 'person' ? 'in all your chats' : 'in this chat only'),
      memory.category && fact('About', memory.category),
      memory.day && fact('Day', memory.day),
      memory.used_at && fact('Last used', moment(memory.used_at)),
    ),
    proofs.length > 0 && [h('h3', null, 'The words that prove it'), h('ul.proofs', null, proofs)],
    past.memories.length > 1 && [h('h3', null, 'History'), timeline(past.memories, memory.id)],
    memory.status !== 'forgotten' &&
      h(
        'div.buttons',
        null,
        memory.status === 'active' &&
          h('button.small', { type: 'button', onclick: () => edit(memory, body, page) }, 'Edit'),
        memory.status === 'active' &&
          memory.kind === 'goal' &&
          h('button.small', { type: 'button', onclick: () => page.settle(memory, 'done', 'Done.') }, 'Mark as done'),
        h('button.small.danger', { type: 'button', onclick: () => forget({ id: memory.id }, page) }, 'Forget'),
      ),
  );
}

function edit(memory, body, page) {
  const text = h('textarea', { rows: '2', 'aria-label': 'Statement', value: memory.text });
  const kind = h(
    'select',
    { 'aria-label': 'Kind' },
    Object.keys(KINDS).map((name) => h('option', { value: name, selected: name === memory.kind }, name)),
  );
  const form = h(
    'form.edit',
    null,
    text,
    h(
      'div.buttons',
      null,
      kind,
      h('button.small', { type: 'button', onclick: () => form.remove() }, 'Cancel'),
      h('button.primary.small', null, 'Save'),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    page.act(async () => {
      await patch(`/v1/memories/${memory.id}`, { text: text.value, kind: kind.value }, { chat: page.chat });
      return 'Changed. What was known before is in the history.';
    });
  });
  body.append(form);
  text.focus();
}

function fact(name, value) {
  return h('div', null, h('dt', null, name), h('dd', null, value));
}

function validity(memory) {
  return memory.valid_to
    ? [moment(memory.valid_from, 'day'), ' to ', moment(memory.valid_to, 'day')]
    : ['since ', moment(memory.valid_from, 'day')];
}

/** How a memory came to be what it is, oldest first. */
function timeline(memories, current) {
  return h(
    'ol.timeline',
    null,
    memories.map((memory) =>
      h(
        'li',
        { class: memory.id === current ? 'current' : null },
        h('p', null, memory.text),
        h('p.muted.small', null, validity(memory), ' · ', memory.status),
      ),
    ),
  );
}
