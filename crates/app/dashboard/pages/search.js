// Search: over one chat or all, each hit with the evidence for it.

import { post } from '../api.js';
import { chats as readChats, noChats, picker } from '../chat_picker.js';
import { empty, failure, h, put, settled } from '../dom.js';
import { chatLabel, marked, milliseconds, moment } from '../words.js';
import { address, note } from '../place.js';

/** Hits at first, and the most that are shown. */
const HITS = 20;
const MOST_HITS = 500;
const KINDS = [
  ['', 'Everything'],
  ['message', 'Messages'],
  ['memory', 'Memories'],
  ['summary', 'Summaries'],
];
const VERDICTS = {
  strong: 'The best hit very likely answers this.',
  weak: 'These come near; none is a sure answer.',
  none: 'Nothing found about that.',
};

export async function show(root, params, signal) {
  const all = await readChats(signal);
  if (!all.length) return put(root, h('h1', null, 'Search'), noChats());
  const state = Object.fromEntries(
    ['query', 'chat', 'kind', 'since', 'until'].map((name) => [name, params.get(name) ?? '']),
  );
  const results = h('div.results', { 'aria-live': 'polite' });
  let asked = 0;

  const search = async (limit = HITS) => {
    const mine = ++asked;
    note('search', state);
    if (!state.query.trim()) {
      return put(
        results,
        empty(
          'What are you looking for?',
          'Ask as you would ask a person: “what did I say about the garden in spring?”',
        ),
      );
    }
    try {
      const found = await post(
        '/v1/search',
        {
          query: state.query,
          ...(state.chat ? { chat: state.chat } : { all: true }),
          kind: state.kind || undefined,
          since: state.since || undefined,
          until: nextDay(state.until),
          limit,
        },
        signal,
      );
      if (mine !== asked) return;
      put(
        results,
        h(
          'p',
          { class: `verdict ${found.verdict}` },
          h('span.tag', null, found.verdict),
          VERDICTS[found.verdict],
          h('span.muted', null, milliseconds(found.took_ms)),
        ),
        found.degraded && h('p.muted', null, `By words alone: ${found.degraded}`),
        h(
          'ol.hits',
          null,
          found.hits.map((hit) => row(hit, state.query)),
        ),
        found.hits.length === limit &&
          limit < MOST_HITS &&
          h('button', { type: 'button', onclick: () => search(limit * 3) }, 'More'),
      );
    } catch (error) {
      if (error.name !== 'AbortError' && mine === asked) put(results, failure(error));
    }
  };
  const soon = settled(() => search(), 250);

  const date = (name, label) =>
    h(
      'label.field',
      null,
      h('span', null, label),
      h('input', {
        type: 'date',
        value: state[name],
        onchange: (event) => {
          state[name] = event.target.value;
          search();
        },
      }),
    );
  const input = h('input', {
    type: 'search',
    value: state.query,
    'aria-label': 'Search',
    placeholder: 'What did I say about…',
    oninput: (event) => {
      state.query = event.target.value;
      soon();
    },
  });
  put(
    root,
    h('h1', null, 'Search'),
    h(
      'form.controls.search',
      {
        role: 'search',
        onsubmit: (event) => {
          event.preventDefault();
          search();
        },
      },
      h('div.field.whole', null, input),
      picker(
        all,
        state.chat,
        (chat) => {
          state.chat = chat;
          search();
        },
        [['', 'All chats']],
      ),
      h(
        'label.field',
        null,
        h('span', null, 'Kind'),
        h(
          'select',
          {
            onchange: (event) => {
              state.kind = event.target.value;
              search();
            },
          },
          KINDS.map(([value, title]) => h('option', { value, selected: value === state.kind }, title)),
        ),
      ),
      date('since', 'Since'),
      date('until', 'Until'),
    ),
    results,
  );
  if (matchMedia('(min-width: 800px)').matches) input.focus();
  await search();
}

function row(hit, query) {
  const to =
    hit.kind === 'memory'
      ? address('memory', { chat: hit.chat, id: hit.id })
      : address('chats', {
          chat: hit.chat,
          lane: hit.lane?.startsWith('root') ? null : hit.lane,
          at: hit.messages?.[0] ?? hit.id,
        });
  return h(
    'li.card.hit',
    null,
    h(
      'p.hit-head',
      null,
      h('span.tag', null, hit.kind),
      hit.role && h('span', null, hit.speaker ?? (hit.role === 'user' ? 'You' : 'Assistant')),
      moment(hit.at),
      chatLabel(hit.chat),
    ),
    h('a.hit-text', { href: to }, marked(hit.text, query)),
    h('ul.evidence', { 'aria-label': 'Why' }, [
      meter('Words', hit.why.coverage ?? 0, hit.why.terms ? `${hit.why.terms} of your words` : null),
      meter('Meaning', hit.why.meaning),
      hit.why.time > 0 && h('li', null, 'of that time'),
      hit.why.speaker > 0 && h('li', null, 'by that person'),
    ]),
  );
}

function meter(name, share, text) {
  const value = Math.max(0, Math.min(1, share));
  return h(
    'li',
    null,
    h('span', null, name),
    h('span.meter', { 'aria-hidden': 'true' }, h('span', { style: { width: `${value * 100}%` } })),
    h('span.figure', null, text ?? value.toFixed(2)),
  );
}

/** The day after: a search until a day is meant to have that day in it. */
function nextDay(day) {
  if (!day) return undefined;
  const date = new Date(`${day}T12:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}
