// Chats: what was said, lane by lane, as it is said; and a place to write.

import { get, post, stream } from '../api.js';
import { choose, chats as readChats } from '../chat_picker.js';
import { ask, notice, told } from '../dialogs.js';
import { empty, h, put } from '../dom.js';
import { chatLabel, chatParts, moment, number, plural } from '../words.js';
import { icon } from '../icons.js';
import { markdown } from '../markdown.js';
import { MessageWindow, bubble } from '../message_window.js';
import { address } from '../place.js';

/** The chat that a new home begins with. */
const FIRST = 'cli:chat:main';
/** Chats in the list; a search finds the others. */
const LISTED = 200;
/** What is said below a reply that is not whole. */
const SHORTFALLS = { stopped: 'You stopped this reply.', cut: 'This reply broke off.' };

export async function show(root, params, signal) {
  const all = await readChats(signal);
  const isWide = matchMedia('(min-width: 800px)').matches;
  const chat = params.get('chat') ?? (isWide || !all.length ? (all[0]?.chat ?? FIRST) : null);
  root.classList.toggle('has-chat', Boolean(chat));
  const thread = h('section.thread', { 'aria-label': 'Chat' });
  put(root, h('h1.hidden', null, 'Chats'), chatList(all, chat), thread);
  if (!chat) return;
  choose(chat);
  await new Thread(thread, chat, params.get('lane') ?? 'root', signal).open(params.get('at'));
}

function chatList(all, chosen) {
  const list = h('ul');
  const fill = (query) => {
    const found = all.filter((entry) => entry.chat.toLowerCase().includes(query)).slice(0, LISTED);
    put(
      list,
      found.map((entry) =>
        h(
          'li',
          null,
          h(
            'a',
            { href: address('chats', { chat: entry.chat }), 'aria-current': entry.chat === chosen ? 'page' : null },
            chatLabel(entry.chat),
            h(
              'span.muted',
              null,
              plural(entry.messages, 'message'),
              entry.last_at && ' · ',
              entry.last_at && moment(entry.last_at, 'day'),
            ),
          ),
        ),
      ),
    );
    if (!found.length) put(list, h('li.muted.none', null, all.length ? 'No chat has that name.' : 'No chats yet.'));
  };
  fill('');
  return h(
    'nav.chat-list',
    { 'aria-label': 'Chats' },
    h(
      'div.list-head',
      null,
      h('h2', null, 'Chats'),
      h('button.small', { type: 'button', 'aria-label': 'New chat', onclick: begin }, 'New'),
    ),
    all.length > 8 &&
      h('input', {
        type: 'search',
        placeholder: 'Find a chat',
        'aria-label': 'Find a chat',
        oninput: (event) => fill(event.target.value.toLowerCase().trim()),
      }),
    list,
  );
}

/** Begins a chat of the terminal's kind: its memory is the owner's. */
async function begin() {
  const name = await ask('New chat', 'Its name', 'Begin');
  const plain = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  if (plain) location.hash = address('chats', { chat: `cli:chat:${plain}` });
}

/** One lane of a chat. */
class Thread {
  constructor(root, chat, lane, signal) {
    Object.assign(this, { root, chat, lane, signal });
    this.window = new MessageWindow(
      (where) => this.read(where),
      (message) => this.extras(message),
    );
    this.live = h('ol.messages.live');
    this.window.scroll.append(this.live);
    this.jump = h(
      'button.jump',
      { type: 'button', hidden: true, onclick: () => this.toNewest().catch(told) },
      icon('down'),
      'Newest',
    );
    this.window.scroll.addEventListener('scroll', () => {
      this.jump.hidden = this.window.isAtEnd;
    });
  }

  async open(at) {
    const { chat, signal } = this;
    const [{ lanes, connected }, { conversations }] = await Promise.all([
      get('/v1/lanes', { chat }, signal),
      get('/v1/conversations', { chat, lane: this.lane, limit: 50 }, signal),
    ]);
    this.nothing = empty(
      'Nothing was said here yet.',
      'Write something below. What you say about yourself is remembered.',
    );
    put(this.root, this.head(lanes), h('div.reading', null, this.window.scroll, this.jump), this.composer(connected));
    if (conversations.length > 1) this.root.after(this.conversations(conversations));
    await this.window.open(at);
    this.showNothing();
    this.listen();
  }

  showNothing() {
    if (this.window.messages.length || this.live.children.length) this.nothing.remove();
    else this.window.scroll.prepend(this.nothing);
  }

  head(lanes) {
    const { chat } = this;
    const tab = (lane) =>
      h(
        'a',
        { href: address('chats', { chat, lane: lane.lane }), 'aria-current': lane.lane === this.lane ? 'page' : null },
        laneName(lane.lane),
        h('span.count', null, number(lane.messages)),
      );
    return h(
      'header',
      null,
      h('a.back', { href: '#/chats', 'aria-label': 'All chats' }, icon('back')),
      h('h2', null, chatLabel(chat)),
      h(
        'div.actions',
        null,
        h(
          'a.button.small',
          { href: address('context', { chat, lane: this.lane === 'root' ? null : this.lane }) },
          'Context',
        ),
        h('a.button.small', { href: address('memory', { chat }) }, 'Memory'),
      ),
      lanes.length > 1 && h('nav.lanes', { 'aria-label': 'Lanes' }, lanes.map(tab)),
    );
  }

  conversations(all) {
    const { chat, lane } = this;
    return h(
      'nav.conversations',
      { 'aria-label': 'Conversations' },
      h('h2', null, 'Conversations'),
      h(
        'ul',
        null,
        all.map((conversation) =>
          h(
            'li',
            null,
            h(
              'a',
              { href: address('chats', { chat, lane: lane === 'root' ? null : lane, at: conversation.id }) },
              moment(conversation.from),
              h('span.muted', null, plural(conversation.messages, 'message')),
            ),
          ),
        ),
      ),
    );
  }

  read(where) {
    return get('/v1/lanes/messages', { chat: this.chat, lane: this.lane, ...where }, this.signal);
  }

  extras(message) {
    const short = SHORTFALLS[message.shortfall];
    return [
      short && h('p.short', null, short),
      message.turn && h('a.why', { href: address('turns', { turn: message.turn }) }, 'Why this reply?'),
    ];
  }

  composer(connected) {
    const text = h('textarea', {
      rows: '1',
      placeholder: `Message ${chatParts(this.chat).name}`,
      'aria-label': 'Message',
      enterkeyhint: 'send',
    });
    this.button = h('button.primary.round', {
      onclick: (event) => {
        if (!this.isWriting) return;
        event.preventDefault();
        this.stop();
      },
    });
    this.writing(false);
    const fit = () => {
      text.style.height = 'auto';
      text.style.height = `${Math.min(text.scrollHeight + 2, 180)}px`;
    };
    const form = h('form.composer', null, text, this.button);
    text.addEventListener('input', fit);
    text.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const said = text.value.trim();
      // The next message waits in the box until the reply is there.
      if (!said || this.isWriting) return;
      text.value = '';
      fit();
      const sent = await (said.startsWith('/') ? this.command(said) : this.say(said));
      if (!sent && !text.value) text.value = said;
      text.focus();
    });
    if (chatParts(this.chat).channel !== 'telegram') return form;
    const where = connected
      ? 'What you write here is sent to Telegram too, with the reply.'
      : 'Telegram is not connected: what you write here is answered here only.';
    return [h('p.where', null, where), form];
  }

  /** Whether a reply is being written, which the button then stops. */
  writing(isWriting) {
    this.isWriting = isWriting;
    put(this.button, icon(isWriting ? 'stop' : 'send')).setAttribute('aria-label', isWriting ? 'Stop' : 'Send');
  }

  /** Ends the reply that is being written; what was shown of it is recorded. */
  stop() {
    const { chat, lane } = this;
    return post('/v1/commands', { chat, lane, text: '/stop' }).catch(told);
  }

  /** Says something, and shows the reply as it comes. Gives whether it was recorded. */
  async say(said) {
    if (this.window.more.after) await this.window.open();
    this.writing(true);
    const { chat, lane } = this;
    const reply = bubble({ role: 'assistant', at: new Date(), text: '' });
    const words = reply.querySelector('.text');
    words.classList.add('writing');
    let written = '';
    put(this.live, h('li', null, bubble({ role: 'user', at: new Date(), text: said })), h('li', null, reply));
    this.showNothing();
    this.window.toEnd();
    try {
      for await (const { event, data } of stream('/v1/turns', { chat, lane, message: said })) {
        const follow = this.window.isAtEnd;
        if (event === 'delta') put(words, markdown((written += data.text)));
        if (event === 'error') throw new Error(data.error?.message ?? 'The reply broke off.');
        if (follow) this.window.toEnd();
      }
      return true;
    } catch (error) {
      notice(error.message);
      return Boolean(written);
    } finally {
      this.writing(false);
      // What was recorded takes the place of what was shown.
      await this.window.catchUp().catch(() => {});
      put(this.live);
      this.showNothing();
      this.window.toEnd();
    }
  }

  /** Runs a slash command; a line that is none is said. */
  async command(line) {
    try {
      const { reply } = await post('/v1/commands', { chat: this.chat, lane: this.lane, text: line });
      await this.window.catchUp();
      // Long answers are recorded in short.
      if (this.window.messages.at(-1)?.text !== reply)
        put(this.live, h('li', null, bubble({ role: 'assistant', at: new Date(), text: reply })));
      this.window.toEnd();
      return true;
    } catch (error) {
      if (error.code === 'no_command') return this.say(line);
      notice(error.message);
      return false;
    }
  }

  /** Shows what is said elsewhere, such as on a phone, as it is recorded. */
  listen() {
    const events = new EventSource(`/v1/events?${new URLSearchParams({ chat: this.chat })}`);
    events.addEventListener('message', () => {
      if (!this.isWriting)
        this.window
          .catchUp()
          .then(() => this.showNothing())
          .catch(told);
    });
    this.signal.addEventListener('abort', () => events.close());
  }

  async toNewest() {
    if (this.window.more.after) await this.window.open();
    this.window.toEnd();
  }
}

function laneName(lane) {
  const [kind, ...rest] = lane.split(':');
  return kind === 'root' ? 'Main' : kind === 'topic' ? `Topic ${rest.at(-1)}` : `Replies to ${rest.at(-1).slice(0, 8)}`;
}
