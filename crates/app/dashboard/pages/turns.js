// Turns: for each reply what went into it, how long it took and what it cost.

import { get } from '../api.js';
import { chats as readChats, noChats, picker } from '../chat_picker.js';
import { told } from '../dialogs.js';
import { empty, h, put } from '../dom.js';
import { chatLabel, dollars, milliseconds, moment, number } from '../words.js';
import { layerBar, layerList } from '../layers.js';
import { address, note } from '../place.js';

export async function show(root, params, signal) {
  const turn = params.get('turn');
  if (turn) return showReceipt(root, turn, signal);
  const all = await readChats(signal);
  if (!all.length) return put(root, h('h1', null, 'Turns'), noChats());
  let chat = params.get('chat') ?? '';
  const list = h('div');
  const read = async (cursor) => {
    note('turns', { chat });
    const page = await get('/v1/turns', { chat, limit: 50, cursor }, signal);
    if (!cursor)
      put(
        list,
        page.turns.length
          ? table()
          : empty(
              'No turn was run here yet.',
              'A turn is one run of the assistant, from a message to its reply. Imported messages have none.',
            ),
      );
    list.querySelector('tbody')?.append(...page.turns.map(row));
    list.querySelector('.more-rows')?.remove();
    if (page.next_cursor)
      list.append(h('button.more-rows', { type: 'button', onclick: () => read(page.next_cursor).catch(told) }, 'More'));
  };
  put(
    root,
    h('h1', null, 'Turns'),
    h('p.lead', null, 'Why each reply is what it is: what the model read, how long it took, what it cost.'),
    h(
      'form.controls',
      null,
      picker(
        all,
        chat,
        (other) => {
          chat = other;
          read().catch(told);
        },
        [['', 'All chats']],
      ),
    ),
    list,
  );
  await read();
}

function table() {
  const heads = ['When', 'Chat', 'Model', 'Context', 'Own time', 'Model’s time', 'Tokens', 'Cost'];
  const cell = (head, index) => h('th', { scope: 'col', class: index > 3 ? 'figure' : null }, head);
  return h(
    'div.table',
    { tabindex: '0', role: 'region', 'aria-label': 'Turns' },
    h('table', null, h('thead', null, h('tr', null, heads.map(cell))), h('tbody')),
  );
}

function row(turn) {
  const { usage } = turn;
  const figure = (value, write) => h('td.figure', null, value === null || value === undefined ? '–' : write(value));
  return h(
    'tr',
    null,
    h(
      'td',
      null,
      h('a', { href: address('turns', { turn: turn.turn }) }, moment(turn.started_at)),
      turn.status !== 'answered' && h('span', { class: `tag ${turn.status}` }, turn.status),
    ),
    h('td', null, chatLabel(turn.chat)),
    h(
      'td',
      null,
      turn.model ?? '–',
      turn.degraded.length > 0 && h('span.tag.missed', { title: turn.degraded.join('\n') }, 'with problems'),
    ),
    h(
      'td.bar-cell',
      null,
      turn.budget
        ? [
            h(
              'span.meter',
              { 'aria-hidden': 'true' },
              h('span', { style: { width: `${Math.min(1, turn.tokens / turn.budget) * 100}%` } }),
            ),
            number(turn.tokens),
          ]
        : '–',
    ),
    figure(turn.own_ms, milliseconds),
    figure(turn.model_ms, milliseconds),
    h('td.figure', null, usage.input_tokens ? `${number(usage.input_tokens)} → ${number(usage.output_tokens)}` : '–'),
    figure(usage.cost_usd, dollars),
  );
}

/** Everything about one turn. */
async function showReceipt(root, id, signal) {
  const turn = await get(`/v1/turns/${encodeURIComponent(id)}/receipt`, null, signal);
  const { receipt, usage, chat } = turn;
  const figure = (name, value) => h('div', null, h('dt', null, name), h('dd', null, value));
  put(
    root,
    h('p', null, h('a', { href: '#/turns' }, '← All turns')),
    h('h1', null, 'Why this reply'),
    h(
      'dl.figures',
      null,
      figure('When', moment(turn.started_at)),
      figure(
        'Chat',
        turn.reply ? h('a', { href: address('chats', { chat, at: turn.reply }) }, chatLabel(chat)) : chatLabel(chat),
      ),
      receipt && [
        figure('Model', receipt.model),
        figure('Thread', receipt.thread === 'new' ? 'a new conversation' : 'continued'),
        figure('Preset', receipt.preset),
        figure('Own time', milliseconds(receipt.own_ms)),
        figure('Model’s time', milliseconds(receipt.model_ms)),
      ],
      usage.input_tokens > 0 &&
        figure('Tokens', `${number(usage.input_tokens)} read, ${number(usage.output_tokens)} written`),
      figure('Cost', dollars(usage.cost_usd)),
    ),
    turn.degraded.length > 0 &&
      h(
        'section.card.warn',
        { 'aria-label': 'What went wrong' },
        h('h2', null, 'What went wrong'),
        h(
          'ul',
          null,
          turn.degraded.map((problem) => h('li', null, problem)),
        ),
      ),
    receipt
      ? h(
          'section.card.result',
          { 'aria-label': 'What the model read' },
          h('h2', null, 'What the model read'),
          h('p.total', null, h('strong', null, number(receipt.tokens)), ` of ${number(receipt.budget)} tokens`),
          layerBar(receipt),
          layerList(receipt.layers, {
            open: new Set(['memories', 'recent']),
            link: (item) => item.kind === 'message' && address('chats', { chat, at: item.id }),
          }),
        )
      : empty(`This turn is ${turn.status}.`, 'It has no receipt, since no reply was recorded.'),
    h('p.muted.small', null, 'A receipt holds ids and figures, never text.'),
  );
}
