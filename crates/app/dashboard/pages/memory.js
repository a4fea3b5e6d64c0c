// Memory: what is known, the words that prove it, and how it came to be so. Everything can be changed, forgotten and taken back.

import { get, patch, post } from '../api.js';
import { chats as readChats, chosen, noChats, picker } from '../chat_picker.js';
import { notice, told } from '../dialogs.js';
import { empty, h, put } from '../dom.js';
import { forget } from '../forgetting.js';
import { KINDS, memoryCard } from '../memory_card.js';
import { note } from '../place.js';

const HOLDS = ['active', 'suggested'];

export async function show(root, params, signal) {
  const all = await readChats(signal);
  if (!all.length) return put(root, h('h1', null, 'Memory'), noChats());
  await new Memory(root, all, params, signal).open();
}

class Memory {
  constructor(root, all, params, signal) {
    Object.assign(this, {
      root,
      all,
      signal,
      chat: chosen(all, params),
      kind: params.get('kind') ?? '',
      past: params.has('past'),
    });
    this.chosen = params.get('id');
    this.profile = h('section.card.profile', { 'aria-label': 'Profile' });
    this.suggestions = h('section.suggestions', { 'aria-label': 'Suggestions', hidden: true });
    this.list = h('div.memories');
  }

  async open() {
    put(
      this.root,
      h('h1', null, 'Memory'),
      h('p.lead', null, 'What your assistant knows, with the words that prove it.'),
      h(
        'div.controls',
        null,
        picker(this.all, this.chat, (chat) => {
          this.chat = chat;
          this.chosen = null;
          this.refresh().catch(told);
        }),
        this.adding(),
        this.forgetting(),
      ),
      this.suggestions,
      this.profile,
      this.list,
    );
    await this.refresh();
  }

  /** Reads everything again. */
  async refresh() {
    const [memories, profile] = await Promise.all([this.read(), get('/v1/profile', { chat: this.chat }, this.signal)]);
    this.memories = memories;
    this.drawProfile(profile);
    this.drawSuggestions();
    this.show();
  }

  /** Shows the memories that are wished for. */
  show() {
    note('memory', { chat: this.chat, kind: this.kind, past: this.past && '1', id: this.chosen });
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
    put(
      this.profile,
      h(
        'details',
        { open: Boolean(profile.narrative) },
        h('summary', null, h('h2', null, 'Profile'), h('span.muted', null, 'what every turn is told')),
        h('p.prose', null, text),
      ),
    );
  }

  drawSuggestions() {
    const open = this.memories.filter((memory) => memory.status === 'suggested');
    this.suggestions.hidden = !open.length;
    put(
      this.suggestions,
      h('h2', null, 'Shall this be remembered?'),
      h(
        'ul',
        null,
        open.map((memory) =>
          h(
            'li.card',
            null,
            h('p', null, memory.text),
            h(
              'div.buttons',
              null,
              h(
                'button.primary.small',
                { type: 'button', onclick: () => this.settle(memory, 'active', 'Remembered.') },
                'Keep',
              ),
              h('button.small', { type: 'button', onclick: () => this.settle(memory, 'done', 'Skipped.') }, 'Skip'),
            ),
          ),
        ),
      ),
    );
  }

  draw() {
    const shown = this.memories.filter(
      (memory) => memory.status !== 'suggested' && (this.past || HOLDS.includes(memory.status)),
    );
    const count = (kind) => shown.filter((memory) => !kind || memory.kind === kind).length;
    const chip = (kind, title) =>
      h(
        'button.chip',
        {
          type: 'button',
          'aria-pressed': String(this.kind === kind),
          onclick: () => {
            this.kind = kind;
            this.show();
          },
        },
        title,
        h('span.count', null, String(count(kind))),
      );
    const groups = Object.entries(KINDS).filter(([kind]) => (!this.kind || this.kind === kind) && count(kind));
    put(
      this.list,
      h(
        'div.filters',
        { role: 'group', 'aria-label': 'Kinds' },
        chip('', 'All'),
        Object.entries(KINDS).map(([kind, title]) => chip(kind, title)),
        h(
          'label.check',
          null,
          h('input', {
            type: 'checkbox',
            checked: this.past,
            onchange: (event) => {
              this.past = event.target.checked;
              this.show();
            },
          }),
          'What no longer holds',
        ),
      ),
      groups.map(([kind, title]) =>
        h(
          'section',
          { 'aria-label': title },
          h('h2', null, title),
          h(
            'ul.cards',
            null,
            shown.filter((memory) => memory.kind === kind).map((memory) => memoryCard(memory, this)),
          ),
        ),
      ),
      !groups.length &&
        empty(
          this.kind ? `No ${KINDS[this.kind].toLowerCase()} are known.` : 'Nothing is remembered in this chat yet.',
          'Talk about yourself, or write a statement above: “I live in Oslo”.',
        ),
    );
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
      told(error);
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
    return asking('A topic to forget', 'For example: my address', 'Forget…', (topic) => forget({ topic }, this));
  }
}

/** A line to write, and what to do with it. */
function asking(label, placeholder, action, run) {
  const input = h('input', { type: 'text', placeholder, required: true });
  const submit = async (event) => {
    event.preventDefault();
    await run(input.value.trim());
    input.value = '';
  };
  return h(
    'form.field.grow',
    { onsubmit: submit },
    h('label', null, h('span', null, label), input),
    h('button', null, action),
  );
}
