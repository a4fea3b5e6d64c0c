// Turns: for each reply what went into it, how long it took and what it cost.

import { get } from '../api.js';
import { chats as readChats, noChats, picker } from '../chat_picker.js';
import { chatLabel, dollars, empty, h, milliseconds, moment, number, put } from '../dom.js';
import { layerBar, layerList } from '../layers.js';
import { address, note } from '../place.js';

export async function show(root, params, signal) {
  const turn = params.get('turn');
  if (turn) return receipt(root, turn, signal);
  const all = await readChats(signal);
  if (!all.length) return put(root, h('h1', null, 'Turns'), noChats());
  let chat = params.get('chat') ?? '';
  const list = h('div');
  const read = async (cursor) => {
    note('turns', { chat });
    const page = await get('/v1/turns', { chat, limit: 50, cursor }, signal);
    if (!cursor) put(list, page.turns.length ? table() : empty('No turn was run here yet.', 'A turn is one run of the assistant, from a message to its reply. Imported messages have none.'));
    list.querySelector('tbody')?.append(...page.turns.map(row));
    list.querySelector('.more-rows')?.remove();
    if (page.next_cursor) list.append(h('button.more-rows', { type: 'button', onclick: () => read(page.next_cursor) }, 'More'));
  };
  put(root, h('h1', null, 'Turns'), h('p.lead', null, 'Why each reply is what it is: what the model read, how long it took, what it cost.'),
    h('form.controls', null, picker(all, chat, (other) => { chat = other; read(); }, [['', 'All chats']])), list);
  await read();
}

function table() {
  const heads = ['When', 'Chat', 'Model', 'Context', 'Own time', 'Model', 'Tokens', 'Cost'];
  return h('div.table', { tabindex: '0', role: 'region', 'aria-label': 'Turns' }, h('table', null, h('thead', null, h('tr', null, heads.map((head) => h('th', { scope: 'col' }, head)))), h('tbody')));
}

function row(turn) {
  const { receipt, usage } = turn;
  return h('tr', null,
    h('td', null, h('a', { href: address('turns', { turn: turn.turn }) }, moment(turn.started_at)), turn.status !== 'answered' && h('span.tag', { class: `tag ${turn.status}` }, turn.status)),
    h('td', null, chatLabel(turn.chat)),
    h('td', null, receipt?.model ?? '–'),
    h('td.bar-cell', null, receipt ? [layerBar(receipt), h('span.muted.small', null, number(receipt.tokens))] : h('span.muted', null, turn.problem ?? '–')),
    h('td.figure', null, receipt ? milliseconds(receipt.own_ms) : '–'),
    h('td.figure', null, receipt ? milliseconds(receipt.model_ms) : '–'),
    h('td.figure', null, usage ? `${number(usage.input_tokens)} → ${number(usage.output_tokens)}` : '–'),
    h('td.figure', null, dollars(usage?.cost_usd)));
}

/** Everything about one turn. */
async function receipt(root, id, signal) {
  const turn = await get(`/v1/turns/${id}/receipt`, null, signal);
  const made = turn.receipt ?? turn;
  const figure = (name, value) => h('div', null, h('dt', null, name), h('dd', null, value));
  put(root, h('p', null, h('a', { href: '#/turns' }, '← All turns')), h('h1', null, 'Why this reply'),
    h('dl.figures', null,
      figure('Model', made.model), figure('Thread', made.thread === 'new' ? 'a new conversation' : 'continued'), figure('Preset', made.preset),
      figure('Own time', milliseconds(made.own_ms)), figure('Model’s time', milliseconds(made.model_ms)),
      turn.usage && figure('Tokens', `${number(turn.usage.input_tokens)} read, ${number(turn.usage.output_tokens)} written`),
      turn.usage && figure('Cost', dollars(turn.usage.cost_usd))),
    made.degraded?.length > 0 && h('section.card.warn', { 'aria-label': 'What went wrong' }, h('h2', null, 'What went wrong'), h('ul', null, made.degraded.map((problem) => h('li', null, problem)))),
    h('section.card', { 'aria-label': 'What the model read' }, h('h2', null, 'What the model read'),
      h('p.total', null, h('strong', null, number(made.tokens)), ` of ${number(made.budget)} tokens`),
      layerBar(made),
      layerList(made.layers, { open: new Set(['memories', 'recent']), link: (item) => turn.chat && item.kind === 'message' && address('chats', { chat: turn.chat, at: item.id }) })),
    h('p.muted.small', null, 'A receipt holds ids and figures, never text: what was forgotten since is not in it.'));
}
