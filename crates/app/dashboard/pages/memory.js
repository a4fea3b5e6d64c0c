// Memory: what is known, the words that prove it, and how it came to be so. Everything can be changed, forgotten and taken back.

import { get, patch, post } from '../api.js';
import { chats as readChats, chosen, noChats, picker } from '../chat_picker.js';
import { confirm, notice } from '../dialogs.js';
import { empty, failure, h, put } from '../dom.js';
import { moment, percent, plural } from '../words.js';
import { address, note } from '../place.js';

const KINDS = { fact: 'Facts', preference: 'Preferences', goal: 'Goals', date: 'Dates', outcome: 'Outcomes' };
const HOLDS = ['active', 'suggested'];

export async function show(root, params, signal) {
  const all = await readChats(signal);
  if (!all.length) return put(root, h('h1', null, 'Memory'), noChats());
  await new Memory(root, all, params, signal).open();
}

class Memory {
  constructor(root, all, params, signal) {
    Object.assign(this, { root, all, signal, chat: chosen(all, params), kind: params.get('kind') ?? '', past: params.has('past') });
    this.chosen = params.get('id');
    this.profile = h('section.card.profile', { 'aria-label': 'Profile' });
    this.suggestions = h('section.suggestions', { 'aria-label': 'Suggestions', hidden: true });
    this.list = h('div.memories');
  }

  async open() {
    put(this.root, h('h1', null, 'Memory'), h('p.lead', null, 'What your assistant knows, with the words that prove it.'),
      h('form.controls', { onsubmit: (event) => event.preventDefault() },
        picker(this.all, this.chat, (chat) => { this.chat = chat; this.chosen = null; this.refresh(); }),
        this.adding(), this.forgetting()),
      this.suggestions, this.profile, this.list);
    await this.refresh();
  }

  async refresh() {
    note('memory', { chat: this.chat, kind: this.kind, past: this.past && '1', id: this.chosen });
    const { chat, signal } = this;
    const [memories, profile] = await Promise.all([
      this.read(), get('/v1/profile', { chat }, signal),
    ]);
    this.memories = memories;
    this.drawProfile(profile);
    this.drawSuggestions();
    this.draw();
  }

  /** All memories, past ones too: a long list comes in pages. */
  async read() {
    const memories = [];
    let cursor;
    do {
      const page = await get('/v1/memories', { chat: this.chat, all: true, limit: 200, cursor }, this.signal);
      memories.push(...page.memories);
      cursor = page.next_cursor;
    } while (cursor);
    return memories;
  }

  drawProfile(profile) {
    const text = (profile.narrative || profile.profile || '').trim();
    this.profile.hidden = !text;
    put(this.profile, h('details', { open: Boolean(profile.narrative) },
      h('summary', null, h('h2', null, 'Profile'), h('span.muted', null, 'what every turn is told')), h('p.prose', null, text)));
  }

  drawSuggestions() {
    const open = this.memories.filter((memory) => memory.status === 'suggested');
    this.suggestions.hidden = !open.length;
    put(this.suggestions, h('h2', null, 'Shall this be remembered?'),
      h('ul', null, open.map((memory) => h('li.card', null, h('p', null, memory.text),
        h('div.buttons', null,
          h('button.primary.small', { type: 'button', onclick: () => this.settle(memory, 'active', 'Remembered.') }, 'Keep'),
          h('button.small', { type: 'button', onclick: () => this.settle(memory, 'done', 'Skipped.') }, 'Skip'))))));
  }

  draw() {
    const shown = this.memories.filter((memory) => memory.status !== 'suggested' && (this.past || HOLDS.includes(memory.status)));
    const count = (kind) => shown.filter((memory) => !kind || memory.kind === kind).length;
    const chip = (kind, title) => h('button.chip', { type: 'button', 'aria-pressed': String(this.kind === kind), onclick: () => { this.kind = kind; this.refresh(); } },
      title, h('span.count', null, String(count(kind))));
    const groups = Object.entries(KINDS).filter(([kind]) => (!this.kind || this.kind === kind) && count(kind));
    put(this.list,
      h('div.filters', { role: 'group', 'aria-label': 'Kinds' }, chip('', 'All'), Object.entries(KINDS).map(([kind, title]) => chip(kind, title)),
        h('label.check', null, h('input', { type: 'checkbox', checked: this.past, onchange: (event) => { this.past = event.target.checked; this.refresh(); } }), 'What no longer holds')),
      groups.map(([kind, title]) => h('section', { 'aria-label': title }, h('h2', null, title),
        h('ul.cards', null, shown.filter((memory) => memory.kind === kind).map((memory) => this.row(memory))))),
      !groups.length && empty(this.kind ? `No ${KINDS[this.kind].toLowerCase()} are known.` : 'Nothing is remembered in this chat yet.',
        'Talk about yourself, or write a statement above: “I live in Oslo”.'));
  }

  row(memory) {
    const body = h('div.details');
    const open = this.chosen === memory.id;
    const details = h('details', {
      open,
      ontoggle: () => {
        if (!details.open || body.childElementCount) return;
        this.explain(memory, body).catch((error) => put(body, failure(error)));
      },
    }, h('summary', null, h('span.statement', null, memory.text), h('span.muted.small', null, validity(memory), memory.status !== 'active' && h('span.tag', null, memory.status))), body);
    return h('li', { class: `card memory ${memory.status}` }, details);
  }

  /** The proof and history of a memory, and what can be done with it. */
  async explain(memory, body) {
    const { chat, signal } = this;
    put(body, h('p.muted', null, 'Reading…'));
    const [one, past] = await Promise.all([
      get(`/v1/memories/${memory.id}`, { chat }, signal),
      get(`/v1/memories/${memory.id}/history`, { chat }, signal),
    ]);
    const { quotes = [] } = one.memories?.[0] ?? one;
    const proofs = quotes.map((quote) => h('li', null, h('blockquote', null, quote.text),
      h('p.muted.small', null, quote.speaker ?? (quote.role === 'assistant' ? 'Assistant' : 'You'), ', ', moment(quote.at), ' · ',
        h('a', { href: address('chats', { chat: quote.chat, at: quote.message }) }, 'in the chat'))));
    put(body,
      h('dl.facts', null,
        fact('Learned', memory.extracted ? 'from what was said' : 'because you asked'), fact('Sure', percent(memory.confidence)),
        fact('Seen', memory.scope === 'person' ? 'in all your chats' : 'in this chat only'),
        memory.category && fact('About', memory.category), memory.day && fact('Day', memory.day), memory.used_at && fact('Last used', moment(memory.used_at))),
      proofs.length > 0 && [h('h3', null, 'The words that prove it'), h('ul.proofs', null, proofs)],
      past.memories.length > 1 && [h('h3', null, 'History'), timeline(past.memories, memory.id)],
      memory.status !== 'forgotten' && h('div.buttons', null,
        memory.status === 'active' && h('button.small', { type: 'button', onclick: () => this.edit(memory, body) }, 'Edit'),
        memory.status === 'active' && memory.kind === 'goal' && h('button.small', { type: 'button', onclick: () => this.settle(memory, 'done', 'Done.') }, 'Mark as done'),
        h('button.small.danger', { type: 'button', onclick: () => this.forget({ id: memory.id }) }, 'Forget')));
  }

  edit(memory, body) {
    const text = h('textarea', { rows: '2', 'aria-label': 'Statement', value: memory.text });
    const kind = h('select', { 'aria-label': 'Kind' }, Object.keys(KINDS).map((name) => h('option', { value: name, selected: name === memory.kind }, name)));
    const form = h('form.edit', null, text, h('div.buttons', null, kind,
      h('button.small', { type: 'button', onclick: () => form.remove() }, 'Cancel'), h('button.primary.small', null, 'Save')));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.act(async () => {
        await patch(`/v1/memories/${memory.id}`, { text: text.value, kind: kind.value }, { chat: this.chat });
        return 'Changed. What was known before is in the history.';
      });
    });
    body.append(form);
    text.focus();
  }

  settle(memory, status, said) {
    this.act(async () => {
      await patch(`/v1/memories/${memory.id}`, { status }, { chat: this.chat });
      return said;
    });
  }

  /** Does something, says what came of it, and shows the memories as they are now. */
  async act(work) {
    try {
      const said = await work();
      if (said) notice(said);
      await this.refresh();
    } catch (error) {
      notice(error.message);
    }
  }

  adding() {
    return asking('Something to remember', 'For example: I live in Oslo', 'Remember', async (text) => {
      await this.act(async () => {
        const { known, memories } = await post('/v1/memories', { chat: this.chat, text });
        return known ? `Known already: ${memories[0].text}` : `Remembered: ${memories[0].text}`;
      });
    });
  }

  forgetting() {
    return asking('A topic to forget', 'For example: my address', 'Forget…', (topic) => this.forget({ topic }));
  }

  /** Shows what would be forgotten, and forgets it if the person agrees. For a day it can be taken back. */
  async forget(what) {
    const { chat } = this;
    try {
      const { matches } = await post('/v1/forget', { chat, ...what, dry_run: true });
      const certain = matches.filter((match) => match.certain);
      const others = matches.filter((match) => !match.certain);
      const rows = (list) => h('ul.matches', null, list.slice(0, 50).map((match) => h('li', null, h('span.tag', null, match.match), h('span', null, match.text))),
        list.length > 50 && h('li.muted', null, `… and ${list.length - 50} more`));
      if (!certain.length) {
        await confirm('Nothing to forget', [h('p', null, 'Nothing contains all of these words.'), others.length > 0 && h('p', null, 'This comes near. Name it by its own words to forget it:'), rows(others)]);
        return;
      }
      const agreed = await confirm('Forget this?', [
        h('p', null, 'The memories go, and the sentences that prove them become “[forgotten]” in every message of the chat.'), rows(certain),
        others.length > 0 && [h('p', null, 'This comes near, and stays:'), rows(others)]], 'Forget', 'danger');
      if (!agreed) return;
      const done = await post('/v1/forget', { chat, ...what });
      const undo = { label: 'Undo', run: () => this.act(async () => { await post('/v1/forget', { chat, undo: done.receipt }); return 'It is back.'; }) };
      notice(`${plural(done.forgotten, 'thing')} forgotten.`, done.undo_until ? undo : undefined);
      await this.refresh();
    } catch (error) {
      notice(error.message);
    }
  }
}

/** A line to write, and what to do with it. */
function asking(label, placeholder, action, run) {
  const input = h('input', { type: 'text', placeholder });
  return h('div.field.grow', null, h('label', null, h('span', null, label), input),
    h('button', {
      type: 'button',
      onclick: async () => {
        if (!input.value.trim()) return input.focus();
        await run(input.value.trim());
        input.value = '';
      },
    }, action));
}

function fact(name, value) {
  return h('div', null, h('dt', null, name), h('dd', null, value));
}

function validity(memory) {
  return memory.valid_to ? [moment(memory.valid_from, 'day'), ' to ', moment(memory.valid_to, 'day')] : ['since ', moment(memory.valid_from, 'day')];
}

/** How a memory came to be what it is, oldest first. */
function timeline(memories, current) {
  return h('ol.timeline', null, memories.map((memory) => h('li', { class: memory.id === current ? 'current' : null },
    h('p', null, memory.text), h('p.muted.small', null, validity(memory), ' · ', memory.status))));
}
