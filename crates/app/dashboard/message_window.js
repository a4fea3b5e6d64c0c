// Shows a lane of any length: only the messages near the person are on the page. Others are read when they come near, and
// those far away are taken off.

import { told } from './dialogs.js';
import { h, put } from './dom.js';
import { markdown } from './markdown.js';
import { dayName, moment } from './words.js';

/** Messages that are read at a time. */
const PAGE = 60;
/** Maximum number of messages on the page. */
const MOST = 300;
/** How near to an end the next page is read, in heights of the window. */
const NEAR = 1.5;

const SILENCE = 30 * 60_000;

export class MessageWindow {
  /**
   * @param {(where: object) => Promise<{messages: object[], before: boolean, after: boolean}>} read reads a page: the
   *   newest, or the one before, after or around a message; and tells whether there is more on each side
   * @param {(message: object) => Node[]} extras what stands below a message
   */
  constructor(read, extras) {
    this.read = read;
    this.extras = extras;
    this.messages = [];
    this.rows = [];
    this.list = h('ol.messages');
    this.scroll = h(
      'div.scroll',
      { tabindex: '0', role: 'region', 'aria-label': 'Messages', onscroll: () => this.near().catch(told) },
      this.list,
    );
    this.more = { before: false, after: false };
    this.reading = null;
  }

  /** Shows the newest messages, or those around one, which is marked. */
  async open(around) {
    const page = await this.read(around ? { around, limit: PAGE } : { limit: PAGE });
    this.messages = page.messages;
    this.rows = page.messages.map((message, index) => this.row(message, page.messages[index - 1]));
    this.more = { before: page.before, after: page.after };
    put(this.list, this.rows);
    const target = around && this.rows[this.messages.findIndex((message) => message.id === around)];
    if (target) {
      target.classList.add('target');
      target.scrollIntoView({ block: 'center' });
    } else {
      this.toEnd();
    }
    // A page may be shorter than the window.
    await this.near();
  }

  /** Whether the newest message is on the page, and in sight. */
  get isAtEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroll;
    return !this.more.after && scrollHeight - scrollTop - clientHeight < 80;
  }

  toEnd() {
    this.scroll.scrollTop = this.scroll.scrollHeight;
  }

  /** Reads what was said after the last message that is shown. */
  async catchUp() {
    if (this.more.after) return;
    const follow = this.isAtEnd;
    this.more.after = true;
    await this.extend('after');
    if (follow) this.toEnd();
  }

  /** Reads on where an end of what is on the page comes near. */
  async near() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroll;
    if (!clientHeight) return;
    const reach = clientHeight * NEAR;
    if (this.more.before && scrollTop < reach) await this.extend('before');
    else if (this.more.after && scrollHeight - scrollTop - clientHeight < reach) await this.extend('after');
  }

  async extend(side) {
    // One page at a time: the next one begins where this one ends.
    if (this.reading) return this.reading;
    this.reading = this.readOn(side).finally(() => {
      this.reading = null;
    });
    await this.reading;
    requestAnimationFrame(() => this.near().catch(told));
  }

  async readOn(side) {
    const from = side === 'before' ? this.messages[0] : this.messages.at(-1);
    const page = await this.read(from ? { [side]: from.id, limit: PAGE } : { limit: PAGE });
    const fresh = page.messages.filter((message) => !this.messages.some((known) => known.id === message.id));
    this.more[side] = page[side] && fresh.length > 0;
    if (side === 'before') this.prepend(fresh);
    else this.append(fresh);
  }

  prepend(fresh) {
    const rows = fresh.map((message, index) => this.row(message, fresh[index - 1]));
    if (this.messages.length && fresh.length) {
      const first = this.row(this.messages[0], fresh.at(-1));
      this.rows[0].replaceWith(first);
      this.rows[0] = first;
    }
    this.held(() => {
      this.list.prepend(...rows);
      this.messages.unshift(...fresh);
      this.rows.unshift(...rows);
      const over = this.rows.length - MOST;
      if (over <= 0) return;
      this.rows.splice(-over).forEach((row) => row.remove());
      this.messages.splice(-over);
      this.more.after = true;
    });
  }

  append(fresh) {
    const rows = fresh.map((message, index) => this.row(message, fresh[index - 1] ?? this.messages.at(-1)));
    this.held(() => {
      this.list.append(...rows);
      this.messages.push(...fresh);
      this.rows.push(...rows);
      const over = this.rows.length - MOST;
      if (over <= 0) return;
      this.rows.splice(0, over).forEach((row) => row.remove());
      this.messages.splice(0, over);
      this.more.before = true;
    });
  }

  /** Changes the list so that what the person reads stays where it is. */
  held(change) {
    const top = this.scroll.getBoundingClientRect().top;
    const held = this.rows.find((row) => row.getBoundingClientRect().bottom > top);
    const before = held?.getBoundingClientRect().top;
    change();
    if (held?.isConnected) this.scroll.scrollTop += held.getBoundingClientRect().top - before;
  }

  row(message, before) {
    const isNewDay = !before || dayName(before.at) !== dayName(message.at);
    const isLater = before && new Date(message.at) - new Date(before.at) >= SILENCE;
    return h(
      'li',
      { 'data-id': message.id },
      isNewDay
        ? h('div.day', null, h('span', null, dayName(message.at)))
        : isLater && h('div.pause', { 'aria-hidden': 'true' }),
      bubble(message, this.extras(message)),
    );
  }
}

const WHO = {
  user: 'You',
  assistant: 'Assistant',
  tool_use: 'Tool call',
  tool_result: 'Tool result',
  system: 'System',
};

/** One message. What people wrote is shown as they wrote it. */
export function bubble(message, extras = []) {
  const isReply = message.role === 'assistant';
  return h(
    'article',
    { class: `message ${message.role}` },
    h(
      'p.who',
      null,
      h('span', null, message.speaker ?? WHO[message.role] ?? message.role),
      ' ',
      moment(message.at, 'time'),
    ),
    h(isReply ? 'div.text.markdown' : 'div.text', null, isReply ? markdown(message.text) : message.text),
    extras,
  );
}
